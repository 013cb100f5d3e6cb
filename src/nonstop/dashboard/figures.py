"""Figures as JSON: drawn in one thread, kept until the study changes, and drawn anew only so often."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from nonstop.dashboard.paced import Paced
from nonstop.dashboard.watch import Watcher
from nonstop.errors import MissingExtraError
from nonstop.history import parallel
from nonstop.numerics.threads import limit_threads
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Draw: TypeAlias = "Callable[[Spec, Sequence[Trial]], Figure]"


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A figure: what it shows, how to read it, and how to draw it."""

    title: str
    caption: str
    draw: Draw


#: Seconds between two drawings of a figure: two of them are watched, the others fit a model or show slow things.
_WATCHED: Final = frozenset({"trace", "timeline"})
_OFTEN, _SELDOM = 1.0, 5.0


def exhibits() -> Mapping[str, Exhibit]:
    """The figures of nonstop.plots by name; MissingExtraError without Plotly."""
    try:
        from nonstop.dashboard.parallel import lines
        from nonstop.plots import CAPTIONS, FIGURES
    except ImportError as error:
        raise MissingExtraError("the dashboard", "dashboard") from error
    shown = {name: Exhibit(*CAPTIONS[name], draw) for name, draw in FIGURES.items()}
    caption = "Each line is one evaluation, crossing every parameter at its value."
    shown["parallel"] = Exhibit(CAPTIONS["parallel"][0], caption, lambda spec, trials: lines(parallel(spec, trials)))
    return shown


def plotly_script() -> Path:
    """Plotly's own JavaScript, from its wheel: nothing comes from the network."""
    import plotly

    return Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


class Gallery:
    """The figures of all studies that somebody looks at."""

    def __init__(self, exhibits: Mapping[str, Exhibit], thread: Executor) -> None:
        self._exhibits = exhibits
        self._thread = thread
        self._paced: dict[tuple[str, str], Paced[str]] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._exhibits

    def captions(self) -> dict[str, dict[str, str]]:
        return {name: {"title": it.title, "caption": it.caption} for name, it in self._exhibits.items()}

    async def figure(self, watcher: Watcher, name: str) -> str:
        """JSON of the figure and of the cursor it was drawn at, which may be a little behind."""
        pause = _OFTEN if name in _WATCHED else _SELDOM
        paced = self._paced.setdefault((watcher.epoch, name), Paced(pause, self._thread))
        trials = watcher.snapshot()
        made = await paced.get(watcher.cursor, partial(drawn, self._exhibits[name].draw, watcher.spec, trials))
        return f'{{"cursor":{made.version},"pause":{pause},"figure":{made.value}}}'


def drawn(draw: Draw, spec: Spec, trials: Sequence[Trial]) -> str:
    with limit_threads(1):  # workers may need the other cores
        figure: Any = draw(spec, trials)
    return str(figure.to_json())
