"""The title and the caption of each figure: what it shows, and how to read it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nonstop.outcomes.goals import Goals

#: The title and the caption of each figure of a study that has only a value.
CAPTIONS: Final[dict[str, tuple[str, str]]] = {
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
#: Of figures that other studies have.
_OUTCOMES: Final[dict[str, tuple[str, str]]] = {
    "front": (
        "Trade-offs",
        "Each dot is one result. Those on the front are the choices: better in one objective is worse in another.",
    ),
    "hypervolume": (
        "Progress",
        "The volume that the front dominates, from a fixed reference point: once it is flat, more trials hardly help.",
    ),
    "constraints": (
        "Constraints",
        "The share of results that keep all constraints, and each constraint’s outcome with its bound.",
    ),
}
#: Of figures that look different there.
_OTHERWISE: Final[dict[str, tuple[str, str]]] = {
    "trace": (
        "Progress",
        "Each dot is one result; the line is the best feasible one so far: once it is flat, more trials hardly help.",
    ),
    "slices": (
        "What the model believes",
        "One predicted outcome along each parameter, all others as in the best trial.",
    ),
    "contour": (
        "Two parameters at once",
        "One predicted outcome over the two parameters that matter most to it, and its uncertainty.",
    ),
    "parallel": (
        "All results",
        "Each line is one result, crossing every axis at its parameter or outcome. Drag along an axis to select.",
    ),
}


def captions_of(goals: Goals, names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The title and the caption of each of these figures of a study."""
    known = {**CAPTIONS, **_OUTCOMES, **(_OTHERWISE if len(goals.names) > 1 else {})}
    if goals.several:
        known["trace"] = known["hypervolume"]
    return {name: known[name] for name in names}
