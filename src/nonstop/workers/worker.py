"""One worker: the paper's algorithm 1. Evaluate, hand in the result and ask for the next trial in one transaction,
read what the others found, fit, propose, evaluate. Nobody waits for anybody.

    exchange(report, request) ──▶ settle (propose, start) ──▶ objective ──▶ exchange(report, request) ──▶ …
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import nonstop.trials.transitions as transitions
from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError, StudyError, TrialError
from nonstop.storage.contract import Storage
from nonstop.storage.session import Session
from nonstop.trials.messages import Counts, Exchange, Report, Request
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.lease import Heart, Lease
from nonstop.workers.objective import Objective, evaluate, limited, objective_of
from nonstop.workers.stopping import StopFlag, StopRequested
from nonstop.workers.usage import Usage

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run is allowed. `n_trials` counts all completed trials of the study, whoever ran them. After `ends_at`
    (seconds since the epoch) no trial starts, but those under way are finished. `since` is the sequence number at which
    the run began: failures before it are forgiven."""

    n_trials: int | None = None
    ends_at: float | None = None
    lease: Lease = field(default_factory=Lease)
    trial_timeout: float | None = None
    max_failures: int | None = 10
    since: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """All that a worker needs, wherever it runs; it travels there as it is."""

    storage: Storage
    study: int
    spec: Spec
    objective: str | Objective
    terms: Terms


class Streak:
    """The failures in a row at the end of a study, over all workers."""

    def __init__(self, since: int) -> None:
        self._since = since
        self.length = 0
        self.reasons: deque[str] = deque(maxlen=3)

    def feed(self, changes: Iterable[Trial]) -> None:
        """Take in changes, oldest first."""
        for trial in changes:
            if trial.sequence <= self._since or not trial.state.finished:
                continue
            if trial.state is TrialState.COMPLETED:
                self.length = 0
            else:
                self.length += 1
                self.reasons.append(f"trial {trial.number}: {trial.reason or 'no reason given'}")


class Worker:
    """Runs trials until the terms say that it is enough. `on_hold` hears which trial (number, attempt) it holds."""

    def __init__(
        self,
        task: Task,
        name: str,
        stop: StopFlag | None = None,
        clock: Clock | None = None,
        on_hold: Callable[[tuple[int, int] | None], None] = lambda _held: None,
    ) -> None:
        self._terms = task.terms
        self._name = name
        self._stop = stop or StopFlag()
        self._clock = clock or WallClock()
        self._on_hold = on_hold
        self._objective = limited(objective_of(task.objective), task.terms.trial_timeout)
        self._streak = Streak(task.terms.since)
        self._session = Session(task.storage, task.study, task.spec, self._clock, self._streak.feed)
        self._heart = Heart(task.storage, task.study, task.terms.lease, self._clock)
        self._held: tuple[int, int] | None = None
        self._evaluating = self._idle = self._total = 0.0
        # The wall clock is asked once; from here on it may jump.
        left = None if self._terms.ends_at is None else self._terms.ends_at - self._clock.now()
        self._deadline = None if left is None else self._clock.monotonic() + left

    @property
    def usage(self) -> Usage:
        """Where the time of the run went. What is not accounted for otherwise counts as proposing: nothing is lost."""
        storing = self._session.storing
        proposing = max(0.0, self._total - self._evaluating - storing - self._idle)
        return Usage(self._name, self._evaluating, proposing, storing, self._idle)

    def run(self) -> Usage:
        """Work until the run is over or the stop is pulled; StudyError after too many failures in a row."""
        with self._heart:
            before = self._clock.monotonic()
            try:
                self._exchange(None, request=False)  # all there is, before anything needs the study's lock
                self._loop()
            except StopRequested:
                pass
            finally:
                self._give_back()
                self._total = self._clock.monotonic() - before
        return self.usage

    def _loop(self) -> None:
        report: Report | None = None
        while True:
            trial = self._next(report)
            if trial is None:
                return
            report = self._evaluate(trial)

    def _evaluate(self, trial: Trial) -> Report:
        before = self._clock.monotonic()
        try:
            with self._stop.interruptible():
                outcome = evaluate(self._objective, trial.params or {})
        finally:
            self._evaluating += self._clock.monotonic() - before
        state = TrialState.FAILED if outcome.value is None else TrialState.COMPLETED
        return Report(os.urandom(16).hex(), trial.number, trial.attempt, state, outcome.value, outcome.reason)

    def _next(self, report: Report | None) -> Trial | None:
        """Hand in the report; the next trial to run, with params, or None when there is to be none."""
        pause = _FIRST_PAUSE
        answer = self._exchange(report, request=self._may_ask(report))
        while not self._is_over(answer.counts):
            trial = self._settle(answer)
            if trial is not None:
                return trial
            if _has_room(answer.counts, self._terms.n_trials):
                answer = self._exchange(None, request=True)
            else:
                answer = self._wait(pause)
                pause = min(_LONGEST_PAUSE, 1.5 * pause)
        return None

    def _may_ask(self, report: Report | None) -> bool:
        """Not when this very report is one failure too many: the trial would only have to be given back."""
        failed = report is not None and report.state is TrialState.FAILED
        most = self._terms.max_failures
        return not (self._is_late() or (failed and most is not None and self._streak.length + 1 >= most))

    def _exchange(self, report: Report | None, request: bool) -> Exchange:
        wish = Request(os.urandom(16).hex(), self._name, self._terms.n_trials) if request else None
        try:
            answer = self._session.exchange(report, wish)
        except StorageError as error:
            if report is None or report.value is None:
                raise
            raise StorageError(f"trial {report.number} = {report.value!r} could not be handed in: {error}") from error
        granted = answer.trial if wish is not None else None
        self._hold(None if granted is None else (granted.number, granted.attempt))
        return answer

    def _settle(self, answer: Exchange) -> Trial | None:
        """The granted trial with its params; None if none was granted, or another worker has it by now."""
        if self._held is None or answer.trial is None:
            return None
        try:
            return self._session.settle(answer.trial)
        except TrialError:
            self._hold(None)
            return None

    def _is_over(self, counts: Counts) -> bool:
        """Is there nothing more to do? StudyError if that is because everything fails."""
        most = self._terms.max_failures
        if most is not None and self._streak.length >= most:
            last = "; ".join(self._streak.reasons)
            raise StudyError(f"stopped after {self._streak.length} failed trials in a row; the last: {last}")
        if self._held is not None:
            return self._stop.is_set
        return self._is_late() or (self._terms.n_trials is not None and counts.completed >= self._terms.n_trials)

    def _is_late(self) -> bool:
        return self._stop.is_set or (self._deadline is not None and self._clock.monotonic() >= self._deadline)

    def _wait(self, seconds: float) -> Exchange:
        """The rest of the budget is under way elsewhere; a failure or a lost worker may give some of it back. To look
        whether it did is part of the waiting."""
        before, storing = self._clock.monotonic(), self._session.storing
        try:
            with self._stop.interruptible():
                self._clock.sleep(seconds)
            return self._exchange(None, request=False)
        finally:
            self._session.storing = storing
            self._idle += self._clock.monotonic() - before

    def _hold(self, held: tuple[int, int] | None) -> None:
        self._held = self._heart.held = held
        self._on_hold(held)

    def _give_back(self) -> None:
        """Hand back the trial of an interrupted worker, never as failed: nobody lost it. If the storage does not
        answer, the lease will do the same later."""
        if self._held is not None:
            number, attempt = self._held
            with suppress(StorageError):
                give_back(self._session.storage, self._session.study, number, attempt)
            self._hold(None)


def give_back(storage: Storage, study: int, number: int, attempt: int) -> None:
    storage.hand_on(study, number, attempt, None, "interrupted", max_attempts=attempt + 1)


def _has_room(counts: Counts, limit: int | None) -> bool:
    """Would a request be granted? Looking costs less than asking, which needs the study's lock."""
    return transitions.may_create(counts, limit) or (counts.waiting > 0 and transitions.may_claim(counts, limit))
