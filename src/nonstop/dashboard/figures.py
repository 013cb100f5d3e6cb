"""Figures as JSON: drawn in one thread, cached until the study changes, and redrawn at a limited rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from nonstop.dashboard.throttled import Throttled
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
class FigureKind:
    """A kind of figure."""

    title: str
    #: How to read it.
    caption: str
    draw: Draw


#: Figures that are redrawn often: they change with every trial, and need no model.
_LIVE: Final = frozenset({"trace", "timeline"})
#: Least seconds between two drawings, for these and for all others.
_OFTEN, _SELDOM = 1.0, 5.0


def figure_kinds() -> Mapping[str, FigureKind]:
    """The figures of nonstop.plots by name; MissingExtraError without Plotly."""
    try:
        from nonstop.dashboard.parallel import lines
        from nonstop.plots import CAPTIONS, FIGURES
    except ImportError as error:
        raise MissingExtraError("the dashboard", "dashboard") from error
    shown = {name: FigureKind(*CAPTIONS[name], draw) for name, draw in FIGURES.items()}
    caption = "Each line is one result, crossing every axis at the value of its parameter."
    shown["parallel"] = FigureKind(CAPTIONS["parallel"][0], caption, lambda spec, trials: lines(parallel(spec, trials)))
    return shown


def plotly_script() -> Path:
    """Plotly's JavaScript from its installed package: nothing comes from the network."""
    import plotly

    return Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


class FigureCache:
    """The figures of all studies that have been opened."""

    def __init__(self, kinds: Mapping[str, FigureKind], thread: Executor) -> None:
        self._kinds = kinds
        self._thread = thread
        self._figures: dict[tuple[str, str], Throttled[str]] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def captions(self) -> dict[str, dict[str, str]]:
        """Title and caption of each figure by name."""
        return {name: {"title": kind.title, "caption": kind.caption} for name, kind in self._kinds.items()}

    async def figure(self, watcher: Watcher, name: str) -> str:
        """JSON with the figure and the cursor it was drawn at, which may be behind that of the study."""
        pause = _OFTEN if name in _LIVE else _SELDOM
        throttled = self._figures.setdefault((watcher.epoch, name), Throttled(pause, self._thread))
        trials = watcher.snapshot()
        made = await throttled.get(watcher.cursor, partial(figure_json, self._kinds[name].draw, watcher.spec, trials))
        return f'{{"cursor":{made.version},"pause":{pause},"figure":{made.value}}}'


def figure_json(draw: Draw, spec: Spec, trials: Sequence[Trial]) -> str:
    """The drawn figure as JSON."""
    with limit_threads(1):  # workers may need the other cores
        figure: Any = draw(spec, trials)
    return str(figure.to_json())
