"""Plotly figures from records: one function for each figure, and FIGURES to draw one by name."""

from collections.abc import Sequence
from typing import Protocol

import nonstop.history as history
from nonstop.arguments import text_of
from nonstop.errors import StudyError
from nonstop.outcomes.goals import Goals
from nonstop.plots.calibration import check
from nonstop.plots.captions import CAPTIONS, captions_of
from nonstop.plots.coordinates import parallel
from nonstop.plots.cuts import contour, slices
from nonstop.plots.feasibility import constraints
from nonstop.plots.front import front
from nonstop.plots.image import write_image
from nonstop.plots.lanes import timeline
from nonstop.plots.plotly import go
from nonstop.plots.progress import trace
from nonstop.plots.queries import distances
from nonstop.plots.relevance import lengthscales
from nonstop.plots.style import CONFIG
from nonstop.plots.volume import hypervolume
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.wording import shown


class Draw(Protocol):
    """From trials to a figure; some figures are of one outcome, the first objective unless it is named."""

    def __call__(self, spec: Spec, trials: Sequence[Trial], outcome: str | None = None, /) -> go.Figure:
        """The figure."""


def _progress(spec: Spec, trials: Sequence[Trial], outcome: str | None = None) -> go.Figure:
    """The best value so far; with several objectives the hypervolume, unless an outcome is named."""
    if spec.goals.several and outcome is None:
        return hypervolume(history.hypervolume(spec, trials))
    return trace(history.trace(spec, trials, outcome))


#: Functions from trials to figures by name, in the order in which reports show them.
FIGURES: dict[str, Draw] = {
    "trace": _progress,
    "timeline": lambda spec, trials, _=None: timeline(history.timeline(spec, trials)),
    "slices": lambda spec, trials, outcome=None: slices(history.slices(spec, trials, outcome=outcome)),
    "contour": lambda spec, trials, outcome=None: contour(history.contour(spec, trials, outcome=outcome)),
    "parallel": lambda spec, trials, outcome=None: parallel(history.parallel(spec, trials, outcome=outcome)),
    "lengthscales": lambda spec, trials, outcome=None: lengthscales(history.lengthscales(spec, trials, outcome)),
    "distances": lambda spec, trials, _=None: distances(history.distances(spec, trials)),
    "check": lambda spec, trials, outcome=None: check(history.check(spec, trials, outcome)),
}
#: Figures that only some studies have.
_MORE: dict[str, Draw] = {
    "front": lambda spec, trials, _=None: front(history.front(spec, trials)),
    "hypervolume": lambda spec, trials, _=None: hypervolume(history.hypervolume(spec, trials)),
    "constraints": lambda spec, trials, _=None: constraints(history.feasibility(spec, trials)),
}
_NEEDS = {"front": "several objectives", "hypervolume": "several objectives", "constraints": "constraints"}
#: Figures of one outcome.
BY_OUTCOME = frozenset({"trace", "slices", "contour", "parallel", "lengthscales", "check"})


def figures_of(goals: Goals) -> dict[str, Draw]:
    """The figures of a study by name, in the order in which reports show them. With several objectives, its trace is
    the hypervolume."""
    names = ["front"] * goals.several + ["trace"] + ["constraints"] * bool(goals.constraints)
    return {name: ({**FIGURES, **_MORE})[name] for name in dict.fromkeys([*names, *FIGURES])}


def draw(name: str, spec: Spec, trials: Sequence[Trial], outcome: str | None = None) -> go.Figure:
    """The figure of that name; StudyError lists the names if there is none."""
    known, goals = text_of(name), spec.goals
    figures = figures_of(goals) | ({"hypervolume": _MORE["hypervolume"]} if goals.several else {})
    if known is None or known not in figures:
        why = f"the figure {known!r} needs {_NEEDS[known]}" if known in _NEEDS else f"there is no figure {shown(name)}"
        raise StudyError(f"{why}: use one of {', '.join(figures)}")
    if outcome is not None and known not in BY_OUTCOME:
        raise StudyError(f"the figure {known!r} is of all outcomes: leave out outcome={shown(outcome)}")
    return figures[known](spec, trials, outcome)


__all__ = [
    "BY_OUTCOME",
    "CAPTIONS",
    "CONFIG",
    "FIGURES",
    "Draw",
    "captions_of",
    "check",
    "constraints",
    "contour",
    "distances",
    "draw",
    "figures_of",
    "front",
    "hypervolume",
    "lengthscales",
    "parallel",
    "slices",
    "timeline",
    "trace",
    "write_image",
]
