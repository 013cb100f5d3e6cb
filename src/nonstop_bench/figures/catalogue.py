"""The figures by name: what each shows, which experiments it needs, and how it is drawn; all of them into a folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from nonstop_bench.figures import distances, lengthscales, overhead, overview, regret, step, timeline, trajectories
from nonstop_bench.figures.canvas import Drawing, save, settings
from nonstop_bench.figures.results import NoResultsError

CAPTIONS: Final = "captions.md"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure. `needs` are names of experiments; without any, it is simulated while it is drawn."""

    name: str
    about: str
    needs: tuple[str, ...]
    painter: Callable[[Path], Drawing]

    def draw(self, results: Path) -> Drawing:
        """Draw it from the result files of a folder, without missing experiments; NoResultsError if all are missing."""
        with settings():
            return self.painter(results)


_ALL: Final = (
    Figure("figure-1", "regret, distances and sequential distances on one task", overview.NEEDS, overview.overview),
    Figure("timeline", "workers that wait against workers that do not", (), timeline.timeline),
    Figure("step-1d", "one asynchronous step in one dimension", (), step.step),
    Figure("step-1d-continued", "the steps after it", (), step.continued),
    Figure("trajectories-2d", "where UCB and LP-UCB go in two dimensions", (), trajectories.main),
    Figure("trajectories-2d-more", "where other rules go in two dimensions", (), trajectories.more),
    Figure("lengthscales", "mean lengthscale and its change", (lengthscales.TASK,), lengthscales.lengthscales),
    Figure("regret-synthetic", "regret on synthetic tasks", regret.SYNTHETIC, regret.synthetic),
    Figure("regret-real", "regret on real tasks", regret.REAL, regret.real),
    Figure("longer-budgets", "regret with more time", regret.LONGER, regret.longer),
    Figure("synchronous", "regret of workers that wait", regret.WAITING, regret.waiting),
    Figure("distances", "asynchronous against sequential distances", distances.BOTH_WAYS, distances.pairs),
    Figure("distances-synthetic", "distances on more synthetic tasks", distances.SYNTHETIC, distances.synthetic),
    Figure("distances-real", "distances on real tasks", distances.REAL, distances.real),
    Figure("overhead", "what a price of suggestions changes", overhead.NEEDS, overhead.overhead),
)
FIGURES: Final[Mapping[str, Figure]] = {figure.name: figure for figure in _ALL}


def draw_all(results: Path, out: Path, names: Sequence[str] | None = None) -> list[Path]:
    """Write NAME.png and NAME.svg for each figure, and captions.md for all of them; return the files written.

    A figure whose experiments are all missing is left out if all figures are asked for, and an error if it was named;
    experiments that are missing in a figure are named on stderr.
    """
    chosen = [_known(name) for name in (FIGURES if names is None else names)]
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    captions = _captions(out / CAPTIONS)
    for name in chosen:
        try:
            drawing = FIGURES[name].draw(results)
        except NoResultsError as error:
            if names is not None:
                raise
            _warn(f"{name} is left out: {error}")
            continue
        if drawing.absent:
            _warn(f"{name} lacks {', '.join(drawing.absent)}")
        written += save(drawing, out / name)
        captions[name] = f"![{FIGURES[name].about}]({name}.svg)\n\n{drawing.caption}"
    sections = [f"## {name}\n\n{captions[name]}\n" for name in FIGURES if name in captions]
    (out / CAPTIONS).write_text("\n".join(["# Figures\n", *sections]), encoding="utf-8")
    return [*written, out / CAPTIONS]


def _captions(path: Path) -> dict[str, str]:
    """The captions of earlier figures by name, so that drawing one figure again keeps those of the others."""
    sections = path.read_text(encoding="utf-8").split("\n## ")[1:] if path.exists() else []
    pairs = (section.split("\n", 1) for section in sections)
    return {name: text.strip() for name, text in pairs}


def _known(name: str) -> str:
    if name in FIGURES:
        return name
    near = get_close_matches(name, FIGURES, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"they are {', '.join(FIGURES)}"
    raise ValueError(f"there is no figure {name!r}: {hint}")


def _warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr)
