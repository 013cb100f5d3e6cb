"""Log records of a run, under the logger "nonstop": made by the process that called optimize(), from the changes it
reads, so that one place logs whatever the engine and however many workers there are.

INFO: a run begins and ends, a new best result. DEBUG: a trial begins and ends. What workers have to say themselves, in
their own processes, are warnings ("nonstop"). Where logging is not configured, Python prints warnings and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from nonstop.live.words import leaders
from nonstop.outcomes.goals import Goals
from nonstop.trials.best import front_of, result_text
from nonstop.trials.times import duration_of
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import assignments, duration, without_passwords

#: Runs and their best results; and what happens to each trial.
RUNS: Final = logging.getLogger("nonstop.study")
TRIALS: Final = logging.getLogger("nonstop.workers")


def is_wanted() -> bool:
    """Would any record of this file be seen?"""
    return RUNS.isEnabledFor(logging.INFO) or TRIALS.isEnabledFor(logging.DEBUG)


class RunLog:
    """The records of one run, from the changes of its study in their order."""

    def __init__(self, name: str, goals: Goals, trials: Iterable[Trial]) -> None:
        self._name = name
        self._goals = goals
        known = list(trials)
        self._front = front_of(known, goals)
        self._begun = {(trial.number, trial.attempt) for trial in known if trial.state is TrialState.RUNNING}

    def apply(self, changes: Iterable[Trial]) -> None:
        """Write records of what is new. A trial that began and ended between two looks has both records at once."""
        for trial in changes:
            key = trial.number, trial.attempt
            if trial.worker is not None and trial.params is not None and key not in self._begun:
                self._begun.add(key)
                TRIALS.debug("trial %d of %r begins on %s: %s", *self._of(trial), assignments(trial.params))
            if trial.state.finished:
                self._begun.discard(key)
                self._end(trial)

    def _end(self, trial: Trial) -> None:
        took = duration_of(trial)
        after = "" if took is None else f" after {duration(took)}"
        if trial.state is TrialState.FAILED:
            reason = without_passwords(" ".join((trial.reason or "no reason given").split()))
            TRIALS.debug("trial %d of %r failed on %s%s: %s", *self._of(trial), after, reason)
            return
        TRIALS.debug("trial %d of %r completed on %s%s: %s", *self._of(trial), after, result_text(trial))
        self._front = front_of([trial], self._goals, self._front)
        if any(best is trial for best in self._front):
            RUNS.info("study %r: %s", self._name, leaders(self._front, self._goals))

    def _of(self, trial: Trial) -> tuple[int, str, str]:
        return trial.number, self._name, trial.worker or "?"
