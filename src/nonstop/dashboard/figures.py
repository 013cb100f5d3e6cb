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
from nonstop.outcomes.goals import Goals
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: From the specification, the trials and, of some figures, an outcome.
Draw: TypeAlias = "Callable[..., Figure]"


@dataclass(frozen=True, slots=True)
class FigureKind:
    """A kind of figure."""

    title: str
    #: How to read it.
    caption: str
    draw: Draw
    #: Can it be of any outcome?
    by_outcome: bool = False


#: Figures that are redrawn often: they change with every trial, and need no model.
_LIVE: Final = frozenset({"trace", "timeline", "front", "constraints"})
#: Least seconds between two drawings, for these and for all others.
_OFTEN, _SELDOM = 1.0, 5.0


def figure_kinds(goals: Goals | None = None) -> Mapping[str, FigureKind]:
    """The figures of nonstop.plots by name, of a study with these goals, or with only a value; MissingExtraError
    without Plotly."""
    goals = goals or Goals.of("minimize")
    try:
        from nonstop.dashboard.parallel import lines
        from nonstop.plots import BY_OUTCOME, captions_of, figures_of
    except ImportError as error:
        raise MissingExtraError("the dashboard", "dashboard") from error
    drawn = figures_of(goals)
    words = captions_of(goals, drawn)
    several = BY_OUTCOME - {"trace"} if len(goals.names) > 1 else frozenset()
    shown = {name: FigureKind(*words[name], draw, name in several) for name, draw in drawn.items()}
    where = "at its parameter or outcome" if several else "at the value of its parameter"
    shown["parallel"] = FigureKind(
        words["parallel"][0],
        f"Each line is one result, crossing every axis {where}.",
        lambda spec, trials, outcome=None: lines(parallel(spec, trials, outcome=outcome)),
        bool(several),
    )
    return shown


def plotly_script() -> Path:
    """Plotly's JavaScript from its installed package: nothing comes from the network."""
    import plotly

    return Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


class FigureCache:
    """The figures of all studies that have been opened. `kinds` are those of a study that has only a value."""

    def __init__(self, kinds: Mapping[str, FigureKind], thread: Executor) -> None:
        self._kinds = kinds
        self._thread = thread
        self._figures: dict[tuple[str, str, str | None], Throttled[str]] = {}

    def kinds(self, watcher: Watcher | None = None) -> Mapping[str, FigureKind]:
        """The figures of a study by name, or of any that has only a value."""
        return self._kinds if watcher is None or watcher.goals is None else figure_kinds(watcher.goals)

    def captions(self, watcher: Watcher | None = None) -> dict[str, dict[str, object]]:
        """Title and caption of each figure by name, and whether it can be of any outcome."""
        found = self.kinds(watcher).items()
        return {
            name: {"title": kind.title, "caption": kind.caption, "by_outcome": kind.by_outcome} for name, kind in found
        }

    def has(self, watcher: Watcher, name: str, outcome: str | None = None) -> bool:
        """Is there such a figure of the study, of that outcome if it is given?"""
        kind = self.kinds(watcher).get(name)
        named = () if watcher.goals is None else watcher.goals.names
        return kind is not None and (outcome is None or (kind.by_outcome and outcome in named))

    async def figure(self, watcher: Watcher, name: str, outcome: str | None = None) -> str:
        """JSON with the figure and the cursor it was drawn at, which may be behind that of the study."""
        pause = _OFTEN if name in _LIVE else _SELDOM
        throttled = self._figures.setdefault((watcher.epoch, name, outcome), Throttled(pause, self._thread))
        draw, trials = self.kinds(watcher)[name].draw, watcher.snapshot()
        made = await throttled.get(watcher.cursor, partial(figure_json, draw, watcher.spec, trials, outcome))
        return f'{{"cursor":{made.version},"pause":{pause},"figure":{made.value}}}'


def figure_json(draw: Draw, spec: Spec, trials: Sequence[Trial], outcome: str | None = None) -> str:
    """The drawn figure as JSON."""
    with limit_threads(1):  # workers may need the other cores
        figure: Any = draw(spec, trials) if outcome is None else draw(spec, trials, outcome)
    return str(figure.to_json())
