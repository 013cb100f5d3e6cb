"""Which trials a copy of a study has: all of them, to the last bit, but for those that somebody is evaluating."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import nonstop.trials.transitions as transitions
from nonstop.errors import StudyError
from nonstop.trials.trial import Trial, TrialState


def copied(trials: Iterable[Trial]) -> list[Trial]:
    """The trials for a copy, by number. Those that a worker of the original holds wait in the copy: none holds them
    there. Sequence numbers stay, because proposals recorded them."""
    return [_free(trial) for trial in sorted(trials, key=lambda trial: trial.number)]


def _free(trial: Trial) -> Trial:
    if trial.state not in transitions.HELD:
        return replace(trial, beat=0)
    return replace(trial, state=TrialState.WAITING, attempt=trial.attempt + 1, worker=None, beat=0, lease=None)


def check_whole(trials: Sequence[Trial]) -> None:
    """StudyError unless these can be all trials of a study that no worker has anything of."""
    results = [trial.order for trial in sorted(trials, key=lambda trial: trial.sequence) if trial.order is not None]
    whole = (
        [trial.number for trial in trials] == list(range(len(trials)))
        and len({trial.sequence for trial in trials}) == len(trials)
        and all(
            trial.sequence > 0 and (trial.state is TrialState.COMPLETED) == (trial.order is not None)
            for trial in trials
        )
        and results == list(range(1, len(results) + 1))
        and not any(trial.state in transitions.HELD for trial in trials)
    )
    if not whole:
        raise StudyError("these trials are not those of a whole study: a number, a place or a sequence number is wrong")
