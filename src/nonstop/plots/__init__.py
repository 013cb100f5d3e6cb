"""Plotly figures from records: one function for each figure, and FIGURES to draw one by name."""

from collections.abc import Callable, Sequence

import nonstop.history as history
from nonstop.arguments import text_of
from nonstop.errors import StudyError
from nonstop.plots.calibration import check
from nonstop.plots.coordinates import parallel
from nonstop.plots.cuts import contour, slices
from nonstop.plots.image import write_image
from nonstop.plots.lanes import timeline
from nonstop.plots.plotly import go
from nonstop.plots.progress import trace
from nonstop.plots.queries import distances
from nonstop.plots.relevance import lengthscales
from nonstop.plots.style import CONFIG
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.wording import shown

#: Functions from trials to figures by name, in the order in which reports show them.
FIGURES: dict[str, Callable[[Spec, Sequence[Trial]], go.Figure]] = {
    "trace": lambda spec, trials: trace(history.trace(spec, trials)),
    "timeline": lambda spec, trials: timeline(history.timeline(spec, trials)),
    "slices": lambda spec, trials: slices(history.slices(spec, trials)),
    "contour": lambda spec, trials: contour(history.contour(spec, trials)),
    "parallel": lambda spec, trials: parallel(history.parallel(spec, trials)),
    "lengthscales": lambda spec, trials: lengthscales(history.lengthscales(spec, trials)),
    "distances": lambda spec, trials: distances(history.distances(spec, trials)),
    "check": lambda spec, trials: check(history.check(spec, trials)),
}

#: The title and the caption of each figure.
CAPTIONS: dict[str, tuple[str, str]] = {
    "trace": (
        "Progress",
        "Each dot is one result, and the line is the best value so far: once it is flat, more trials hardly help.",
    ),
    "timeline": (
        "Workers",
        "One lane per worker: blue is time spent evaluating, and every other colour is time lost.",
    ),
    "slices": (
        "What the model believes",
        "The predicted value along one parameter, all others as in the best trial; below it, the acquisition.",
    ),
    "contour": (
        "Two parameters at once",
        "The predicted value over the two parameters that matter most, and its uncertainty.",
    ),
    "parallel": (
        "All results",
        "Each line is one result, crossing every axis at the value of its parameter. Drag along an axis to select.",
    ),
    "lengthscales": (
        "Which parameters matter",
        "A short lengthscale means that the value changes quickly with the parameter; flat lines mean a stable model.",
    ),
    "distances": (
        "Distances between queries",
        "How far each query is from earlier and from busy points; below the dotted line it nearly repeats one.",
    ),
    "check": (
        "Can the model be trusted?",
        "Each result, predicted from all others: dots should be near the diagonal, and bars should reach their marks.",
    ),
}


def draw(name: str, spec: Spec, trials: Sequence[Trial]) -> go.Figure:
    """The figure of that name; StudyError lists the names if there is none."""
    known = text_of(name)
    if known is None or known not in FIGURES:
        raise StudyError(f"there is no figure {shown(name)}: use one of {', '.join(FIGURES)}")
    return FIGURES[known](spec, trials)


__all__ = [
    "CAPTIONS",
    "CONFIG",
    "FIGURES",
    "check",
    "contour",
    "distances",
    "draw",
    "lengthscales",
    "parallel",
    "slices",
    "timeline",
    "trace",
    "write_image",
]
