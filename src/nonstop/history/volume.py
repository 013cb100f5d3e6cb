"""The volume that the front dominates, after every result: how good the whole front is, as one number that only grows.

Volume is counted from a reference point, beyond which nothing counts. It is a tenth of their range worse than the worst
of the first FIRST feasible results, in each objective: later results never move it, so that the volume never falls.

Symbols: Y (n, m) feasible results, larger being better; reference (m,).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nonstop.arguments import number_of
from nonstop.errors import StudyError
from nonstop.history.progress import began, completed, since
from nonstop.history.view import infeasible
from nonstop.numerics.hypervolume import union_of_boxes
from nonstop.numerics.quasirandom import halton
from nonstop.outcomes.goals import Goals
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array
from nonstop.wording import shown

#: How many feasible results decide where the reference point is, and how far beyond the worst of them it is.
FIRST, MARGIN = 20, 0.1
#: With two objectives the volume is exact; with three while this many boxes are enough for all of its steps. Else it is
#: estimated: from the share of so many points of the box between the reference and the best of each objective.
BOXES, POINTS = 20_000, 16_384


@dataclass(frozen=True, slots=True, eq=False)
class Hypervolume:
    """The front of a study over time. Seconds count from the start of the study; NaN for trials without timestamps."""

    #: The objectives and constraints of the study.
    goals: Goals
    #: Completed trials in the order of their results; the arrays have one entry for each.
    completed: tuple[Trial, ...]
    #: The dominated volume; 0 before the first feasible result.
    volume: Array
    #: How many results were on the front.
    size: Array
    seconds: Array
    #: The reference point, by objective; empty without a feasible result.
    reference: Mapping[str, float]
    #: Is the volume exact, and not an estimate?
    exact: bool
    #: Was the reference point given, and not found as above?
    given: bool = False

    @property
    def steps(self) -> list[int]:
        """The indices of results at which the volume grew."""
        return np.flatnonzero(np.diff(self.volume, prepend=0.0)).tolist()


def hypervolume(spec: Spec, trials: Sequence[Trial], reference: Mapping[str, float] | None = None) -> Hypervolume:
    """The volume over time, from a reference point of your own if it is given; StudyError with one objective."""
    goals = spec.goals
    if not goals.several:
        raise StudyError("a study with one objective has no hypervolume: it has a best value")
    done = completed(trials)
    out = infeasible(goals, done)
    rows = [row for row, trial in enumerate(done) if trial.number not in out]
    Y = goals.signed([done[row].outcomes for row in rows])
    point = _reference(goals, Y) if reference is None else _given(goals, reference)
    fronts = _growth(Y)
    exact = Y.shape[1] == 2 or (Y.shape[1] == 3 and sum(map(len, fronts.values())) <= BOXES)
    volume, size = np.zeros(len(done)), np.zeros(len(done))
    with np.errstate(over="ignore", invalid="ignore"):  # products of values near 1e300
        grown = _exact(Y, fronts, point) if exact else _estimated(Y, fronts, point)
    for step, members in fronts.items():
        volume[rows[step] :] = grown[step] if math.isfinite(grown[step]) else sys.float_info.max
        size[rows[step] :] = len(members)
    named = dict(zip(goals.objectives, (goals.signs * point).tolist(), strict=True)) if rows else {}
    return Hypervolume(goals, done, volume, size, since(began(trials), done), named, exact, reference is not None)


def _reference(goals: Goals, Y: Array) -> Array:
    first = Y[:FIRST]
    if not len(first):
        return np.zeros(len(goals.objectives))
    low, high = first.min(axis=0), first.max(axis=0)
    # Without a range, a tenth of the value; without that, anything.
    room = np.where(high > low, high - low, np.where(low != 0.0, np.abs(low), 1.0))
    point: Array = low - MARGIN * room
    return point


def _given(goals: Goals, reference: Mapping[str, float]) -> Array:
    for name in goals.objectives:
        if number_of(reference.get(name)) is None:
            raise StudyError(f"the reference point must have a finite number for {shown(name)}, not {shown(reference)}")
    point: Array = goals.signs * np.array([float(reference[name]) for name in goals.objectives])
    return point


def _growth(Y: Array) -> dict[int, list[int]]:
    """The rows of the front after each row that changed it."""
    fronts: dict[int, list[int]] = {}
    members: list[int] = []
    F = np.empty((0, Y.shape[1]))
    for row, y in enumerate(Y):
        if (y <= F).all(axis=1).any():  # dominated, or the same as one of them
            continue
        stays = ~(y >= F).all(axis=1)
        members = [*(member for member, keep in zip(members, stays.tolist(), strict=True) if keep), row]
        F = np.concatenate([F[stays], y[None]])
        fronts[row] = members
    return fronts


def _exact(Y: Array, fronts: Mapping[int, list[int]], reference: Array) -> dict[int, float]:
    found: dict[int, float] = {}
    for row, members in fronts.items():
        better = Y[members] - reference
        found[row] = union_of_boxes(better[(better > 0.0).all(axis=1)])
    return found


def _estimated(Y: Array, fronts: Mapping[int, list[int]], reference: Array) -> dict[int, float]:
    best = Y.max(axis=0)
    if not (best > reference).all():
        return dict.fromkeys(fronts, 0.0)
    points = reference + (best - reference) * halton(POINTS, Y.shape[1], 0)
    dominated, found = np.zeros(POINTS, dtype=bool), {}
    for row in fronts:
        dominated |= (points <= Y[row]).all(axis=1)
        found[row] = float(dominated.mean() * np.prod(best - reference))
    return found
