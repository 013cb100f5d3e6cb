"""Which failed trials to evaluate again. A retry is a new trial with the same params: results are never changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Final

from nonstop.errors import TrialError
from nonstop.trials.messages import Insert
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import shown

#: The note of a retry: the number of the trial that failed.
NOTE: Final = "retry_of"


def retries(
    trials: Iterable[Trial], numbers: Collection[int] | None = None, reason: str | None = None, again: bool = False
) -> list[Insert]:
    """The new trials for those that failed, or only those with these numbers or with a reason that contains this text.

    A trial that was retried before is left out unless `again`; if it is named by its number, TrialError says so.
    """
    known = {trial.number: trial for trial in trials}
    before = {} if again else _retried(known.values())
    chosen = sorted(known) if numbers is None else [_checked(number, known, before) for number in sorted(set(numbers))]
    failed = [known[number] for number in chosen if known[number].state is TrialState.FAILED and number not in before]
    return [
        Insert(trial.params, notes={NOTE: trial.number}, fixed=trial.fixed)
        for trial in failed
        if trial.params is not None and (reason is None or reason in (trial.reason or ""))
    ]


def retry_id(inserts: Iterable[Insert]) -> str:
    """The id of their insertion. Two who retry the same trials at the same time have the same."""
    numbers = ",".join(str(insert.notes[NOTE]) for insert in inserts)
    return f"retry {blake2b(numbers.encode(), digest_size=16).hexdigest()}"


def _retried(trials: Iterable[Trial]) -> dict[object, int]:
    """Number of a failed trial -> number of its retry."""
    return {trial.notes[NOTE]: trial.number for trial in trials if isinstance(trial.notes.get(NOTE), int)}


def _checked(number: int, known: Mapping[int, Trial], before: Mapping[object, int]) -> int:
    trial = known.get(number)
    if trial is None:
        raise TrialError(f"there is no trial {shown(number)} to retry")
    if trial.state is not TrialState.FAILED:
        raise TrialError(f"trial {number} is {trial.state}: only failed trials are retried")
    if trial.params is None:
        raise TrialError(f"trial {number} failed before it had params: there is nothing to retry")
    if number in before:
        raise TrialError(f"trial {number} was retried before, as trial {before[number]}: ask for it again to retry it")
    return number
