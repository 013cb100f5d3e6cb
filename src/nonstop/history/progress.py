"""The best value so far, after every result and over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.history.view import view
from nonstop.history.window import Window, window
from nonstop.outcomes.bound import Bound
from nonstop.outcomes.goals import VALUE
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Array, Direction


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The results of a study over time. Seconds count from `began`; they are NaN for trials without timestamps."""

    direction: Direction
    #: Completed trials in the order of their results; `values`, `best` and `seconds` have one entry for each.
    completed: tuple[Trial, ...]
    values: Array
    #: The best value so far of a feasible result; NaN before there is one, and for an outcome that is no objective.
    best: Array
    #: When the result arrived.
    seconds: Array
    #: Failed trials; `failed_after` and `failed_seconds` have one entry for each.
    failed: tuple[Trial, ...]
    #: The number of results at the time of the failure.
    failed_after: NDArray[np.int64]
    failed_seconds: Array
    #: The first timestamp of the study; None if there is none.
    began: float | None
    #: The part of the values that is worth showing; None without a result. The best value so far is in it, the first
    #: twentieth of the results aside.
    window: Window | None
    #: Which results violate no constraint.
    feasible: NDArray[np.bool_]
    #: The outcome that is shown.
    name: str = VALUE
    #: What it has to be, if there is a constraint on it.
    bound: Bound | None = None

    @property
    def steps(self) -> list[int]:
        """The indices of results at which the best value changed."""
        known = np.flatnonzero(~np.isnan(self.best))
        first = int(known[0]) if len(known) else 0
        return [first, *(np.flatnonzero(np.diff(self.best[first:])) + 1 + first).tolist()] if len(known) else []


def trace(spec: Spec, trials: Sequence[Trial], outcome: str | None = None) -> Trace:
    """The results of the trials over time, by one of their outcomes or notes: the first objective unless it is
    named."""
    seen = view(spec, trials, outcome, noted=True)
    spec, trials = seen.spec, seen.trials
    done = completed(trials)
    failed = tuple(trial for trial in trials if trial.state is TrialState.FAILED)
    values = np.array([trial.value for trial in done], dtype=np.float64)
    start = began(trials)
    seconds, failed_seconds = (since(start, some) for some in (done, failed))
    # Results are in order even if the clock was set back; searchsorted needs sorted times.
    clock = np.maximum.accumulate(np.nan_to_num(seconds, nan=-np.inf))
    feasible = seen.feasible(done)
    counts = feasible if not seen.note and seen.bound is None else np.zeros(len(done), dtype=bool)
    best = spec.sign * np.maximum.accumulate(np.where(counts, spec.sign * values, -np.inf))
    best[np.isinf(best)] = np.nan
    keep = best[max(3, len(best) // 20) :]
    return Trace(
        spec.direction,
        done,
        values,
        best,
        seconds,
        failed,
        np.searchsorted(clock, failed_seconds, side="right"),
        failed_seconds,
        start,
        _window(values, spec.sign, keep[~np.isnan(keep)], seen.bound) if done else None,
        feasible,
        seen.name,
        seen.bound,
    )


def completed(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    """The completed trials in the order of their results."""
    done = (
        trial for trial in trials if trial.state is TrialState.COMPLETED and (trial.outcomes or trial.value is not None)
    )
    return tuple(sorted(done, key=lambda trial: trial.order or 0))


def began(trials: Iterable[Trial]) -> float | None:
    """The first timestamp of the study: of an ask, or of a trial added from outside."""
    times = (time for trial in trials for time in (trial.asked_at, trial.started_at, trial.finished_at))
    return min((time for time in times if time is not None), default=None)


def _window(values: Array, sign: float, keep: Array, bound: Bound | None) -> Window:
    usual = window(values, sign, keep)
    return usual if bound is None else usual.wider(np.array([bound.value]), by=1.0)


def since(start: float | None, trials: Sequence[Trial]) -> Array:
    """The seconds from the start to the result of each trial; NaN where it has no timestamp."""
    times = [np.nan if trial.finished_at is None else trial.finished_at - (start or 0.0) for trial in trials]
    return np.array(times, dtype=np.float64)
