"""How good the best value was, after every result and at every time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Array, Direction


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Results in the order they came in, with the best value so far after each; failed trials, with the number of
    results there were by then. Seconds count from the first sign of the study; NaN where no one kept the time."""

    direction: Direction
    completed: tuple[Trial, ...]
    values: Array
    best: Array
    seconds: Array
    failed: tuple[Trial, ...]
    failed_after: NDArray[np.int64]
    failed_seconds: Array
    began: float | None

    @property
    def steps(self) -> list[int]:
        """The rows at which the best value changed."""
        return [0, *(np.flatnonzero(np.diff(self.best)) + 1).tolist()] if len(self.best) else []


def trace(spec: Spec, trials: Sequence[Trial]) -> Trace:
    done = completed(trials)
    failed = tuple(trial for trial in trials if trial.state is TrialState.FAILED)
    values = np.array([trial.value for trial in done], dtype=np.float64)
    start = began(trials)
    seconds, failed_seconds = (_since(start, some) for some in (done, failed))
    # A clock that was set back may not put an earlier result behind a later one.
    clock = np.maximum.accumulate(np.nan_to_num(seconds, nan=-np.inf))
    return Trace(
        spec.direction,
        done,
        values,
        spec.sign * np.maximum.accumulate(spec.sign * values),
        seconds,
        failed,
        np.searchsorted(clock, failed_seconds, side="right"),
        failed_seconds,
        start,
    )


def completed(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    """Those with a result, in the order in which the results came in."""
    done = (trial for trial in trials if trial.state is TrialState.COMPLETED and trial.value is not None)
    return tuple(sorted(done, key=lambda trial: trial.order or 0))


def began(trials: Iterable[Trial]) -> float | None:
    """When the first trial was asked for, or, if it came from outside, handed in."""
    times = (time for trial in trials for time in (trial.asked_at, trial.started_at, trial.finished_at))
    return min((time for time in times if time is not None), default=None)


def _since(start: float | None, trials: Sequence[Trial]) -> Array:
    times = [np.nan if trial.finished_at is None else trial.finished_at - (start or 0.0) for trial in trials]
    return np.array(times, dtype=np.float64)
