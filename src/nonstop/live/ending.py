"""Why a run ended, or had nothing to do, in words."""

from __future__ import annotations

from collections.abc import Sequence

from nonstop.outcomes.goals import Goals
from nonstop.trials.trial import Trial, TrialState
from nonstop.trials.until import Until, met


def ending(
    n_trials: int | None, until: Until | None, goals: Goals, trials: Sequence[Trial], stopped: bool = False
) -> str:
    """Why a run with these limits ended, if its study has these trials then."""
    completed = sum(trial.state is TrialState.COMPLETED for trial in trials)
    rule = met(until, goals, trials)
    if rule is not None:
        return rule
    if n_trials is not None and completed >= n_trials:
        return f"the budget of {n_trials} results is complete"
    return "it was stopped by study.stop()" if stopped else "its time is over"


def nothing_left(name: str, n_trials: int | None, until: Until | None, goals: Goals, trials: Sequence[Trial]) -> str:
    """Why a run has nothing to do, and what to change; empty if it has."""
    completed = sum(trial.state is TrialState.COMPLETED for trial in trials)
    if n_trials and completed >= n_trials:
        total = f"n_trials is the total over all runs; n_trials={completed + n_trials} adds {n_trials}"
        return f"study {name!r} has {completed} of {n_trials} results: nothing to do; {total}"
    rule = met(until, goals, trials)
    return f"study {name!r} has nothing to do: {rule}" if rule is not None else ""
