"""Which trial is the best."""

from __future__ import annotations

from collections.abc import Iterable

from nonstop.trials.trial import Trial, TrialState


def best_of(trials: Iterable[Trial], sign: float, best: Trial | None = None) -> Trial | None:
    """The completed trial with the largest sign * value, `best` included; of equals the one whose result came first."""
    for trial in trials:
        if trial.state is TrialState.COMPLETED and (best is None or _rank(trial, sign) > _rank(best, sign)):
            best = trial
    return best


def _rank(trial: Trial, sign: float) -> tuple[float, int]:
    assert trial.value is not None
    return sign * trial.value, -(trial.order or 0)
