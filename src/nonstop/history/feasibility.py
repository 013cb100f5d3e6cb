"""Whether results keep the constraints: how many do, since when, and by how much each is kept or violated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.errors import StudyError
from nonstop.history.progress import completed
from nonstop.history.view import infeasible
from nonstop.history.window import Window, window
from nonstop.outcomes.bound import Bound
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array

#: Of how many results the latest share is.
LATEST = 20


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """One constraint: its outcome in every result."""

    name: str
    bound: Bound
    values: Array
    #: Which results violate it.
    violated: NDArray[np.bool_]
    #: The part of the values that is worth showing, with the bound.
    window: Window


@dataclass(frozen=True, slots=True, eq=False)
class Feasibility:
    """The constraints of a study over its results."""

    #: Completed trials in the order of their results; the arrays have one entry for each.
    completed: tuple[Trial, ...]
    feasible: NDArray[np.bool_]
    #: The share of feasible results, of all so far and of the latest LATEST.
    share: Array
    latest: Array
    #: One for each constraint; none without a result.
    constraints: tuple[Kept, ...]

    @property
    def first(self) -> Trial | None:
        """The first feasible trial, if there is one."""
        found = np.flatnonzero(self.feasible)
        return self.completed[int(found[0])] if len(found) else None


def feasibility(spec: Spec, trials: Sequence[Trial]) -> Feasibility:
    """The constraints of a study; StudyError if it has none."""
    goals = spec.goals
    if not goals.constraints:
        raise StudyError("the study has no constraints")
    done = completed(trials)
    out = infeasible(goals, done)
    feasible = np.array([trial.number not in out for trial in done], dtype=bool)
    counts = np.concatenate([[0], np.cumsum(feasible)])
    ends = np.arange(1, len(done) + 1)
    starts = np.maximum(ends - LATEST, 0)
    share, latest = counts[ends] / ends, (counts[ends] - counts[starts]) / (ends - starts)
    kept = [_kept(name, bound, done) for name, bound in goals.constraints.items()] if done else []
    return Feasibility(done, feasible, share, latest, tuple(kept))


def _kept(name: str, bound: Bound, done: Sequence[Trial]) -> Kept:
    values = np.array([trial.outcomes[name] for trial in done], dtype=np.float64)
    slack = bound.value - values if bound.side == "<=" else values - bound.value
    seen = window(values, -1.0 if bound.side == "<=" else 1.0).wider(np.array([bound.value]), by=1.0)
    return Kept(name, bound, values, slack < 0.0, seen)
