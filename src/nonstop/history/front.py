"""The Pareto front: the feasible results that no other dominates, among all results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.errors import StudyError
from nonstop.history.progress import completed
from nonstop.history.view import infeasible
from nonstop.history.window import Window, window
from nonstop.outcomes.goals import Goals
from nonstop.trials.best import front_of
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """All results by their objectives, in the order of the results."""

    #: The objectives and constraints of the study.
    goals: Goals
    completed: tuple[Trial, ...]
    #: (n, objectives), as they were told.
    values: Array
    #: Which results violate no constraint.
    feasible: NDArray[np.bool_]
    #: Which results are on the front; none while nothing is feasible.
    front: NDArray[np.bool_]
    #: For each objective the part that is worth showing, the whole front included; none without a result.
    windows: tuple[Window, ...]


def front(spec: Spec, trials: Sequence[Trial]) -> Front:
    """The front of a study with several objectives; StudyError if it has one."""
    goals = spec.goals
    if not goals.several:
        raise StudyError("a study with one objective has no front: it has a best trial")
    done = completed(trials)
    out = infeasible(goals, done)
    feasible = np.array([trial.number not in out for trial in done], dtype=bool)
    best = {trial.number for trial in front_of(done, goals)} - out
    on = np.array([trial.number in best for trial in done], dtype=bool)
    values = goals.signed([trial.outcomes for trial in done]) * goals.signs
    windows = [window(values[:, i], sign, values[on, i]) for i, sign in enumerate(goals.signs)] if done else []
    return Front(goals, done, values, feasible, on, tuple(windows))
