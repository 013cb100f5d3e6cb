"""How long an evaluation took, and when it ended: the one place that says so.

A worker measures its evaluations (Trial.seconds). `finished_at` is when the result was stored, which is later if the
storage could not be reached: what lies between is storing, and no part of the evaluation.
"""

from __future__ import annotations

from nonstop.trials.trial import Trial


def duration_of(trial: Trial) -> float | None:
    """Seconds that the evaluation took: as its worker measured them, else from its start to its stored result; None for
    a trial that has no result, or was not started."""
    if trial.seconds is not None:
        return trial.seconds
    if trial.started_at is None or trial.finished_at is None:
        return None
    return max(0.0, trial.finished_at - trial.started_at)


def evaluated_until(trial: Trial, until: float) -> float:
    """When the evaluation ended, at the latest `until`: the moment that its result was stored, or now if it runs.

    Of a trial that runs, nobody knows whether its worker still evaluates or waits for the storage already."""
    if trial.started_at is None or trial.seconds is None:
        return until
    return min(until, trial.started_at + trial.seconds)
