"""What tell() is given, checked: which trial, and whether it is completed or failed."""

from __future__ import annotations

from nonstop.arguments import number_of, text_of, whole_of
from nonstop.errors import TrialError
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import shown


def outcome_of(value: object, state: object) -> TrialState:
    """COMPLETED or FAILED; TrialError if value and state do not fit."""
    known = text_of(state)
    if known == "failed":
        if value is not None:
            raise TrialError(f"a failed trial has no value, but {shown(value)} was told")
        return TrialState.FAILED
    if state is not None and known != "completed":
        raise TrialError(f"state must be 'completed' or 'failed', not {shown(state)}")
    if number_of(value) is None:
        raise TrialError(f"a value must be a finite number, not {shown(value)}; use state='failed' if there is none")
    return TrialState.COMPLETED


def number_of_trial(trial: object) -> int:
    """The number of a trial that is given as such or by its number."""
    number = whole_of(trial.number if isinstance(trial, Trial) else trial)
    if number is None:
        raise TrialError(f"a trial must be a nonstop.Trial or its number, not {shown(trial)}")
    return number
