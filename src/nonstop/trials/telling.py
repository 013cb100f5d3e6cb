"""What tell() is given, checked: which trial, and whether it is completed, with which outcomes, or failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nonstop.arguments import number_of, text_of, whole_of
from nonstop.errors import TrialError
from nonstop.outcomes.goals import Goals
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Outcomes
from nonstop.wording import shown


@dataclass(frozen=True, slots=True)
class Told:
    """The result of a trial, as a study with these goals has it."""

    #: COMPLETED or FAILED.
    state: TrialState
    #: The value, if it is completed and there is one objective.
    value: float | None = None
    #: Objectives and constraints by name, if the study has them.
    outcomes: Outcomes = field(default_factory=dict)
    #: What else was told.
    extras: Mapping[object, object] = field(default_factory=dict)


def told_of(goals: Goals, value: object, state: object = None) -> Told:
    """From a number, or a mapping with the outcomes; TrialError if value, state and goals do not fit."""
    known = text_of(state)
    if known == "failed":
        if value is not None:
            raise TrialError(f"a failed trial has no value, but {shown(value)} was told")
        return Told(TrialState.FAILED)
    if state is not None and known != "completed":
        raise TrialError(f"state must be 'completed' or 'failed', not {shown(state)}")
    told = value if isinstance(value, Mapping) else _by_name(goals, value)
    wrong = goals.wrong(told)
    if wrong is not None:
        raise TrialError(f"{wrong}; use state='failed' if there is none")
    outcomes = goals.outcomes_of(told)
    extras = {key: extra for key, extra in told.items() if key not in outcomes}
    return Told(TrialState.COMPLETED, goals.value_of(outcomes), outcomes if goals.named else {}, extras)


def _by_name(goals: Goals, value: object) -> dict[str, object]:
    """A number is the only outcome that there is."""
    if len(goals.names) > 1:
        wanted = ", ".join(f"{name!r}: ..." for name in goals.names)
        raise TrialError(f"the study has the outcomes {{{wanted}}}: tell all of them, not {shown(value)}")
    if number_of(value) is None:
        raise TrialError(f"a value must be a finite number, not {shown(value)}; use state='failed' if there is none")
    return {goals.names[0]: value}


def number_of_trial(trial: object) -> int:
    """The number of a trial that is given as such or by its number."""
    number = whole_of(trial.number if isinstance(trial, Trial) else trial)
    if number is None:
        raise TrialError(f"a trial must be a nonstop.Trial or its number, not {shown(trial)}")
    return number
