"""One worker: the paper's algorithm 1. Evaluate; hand in the result, ask for the next trial and read the results of the
other workers, in one transaction; fit, propose, evaluate again. No worker waits for another.

    exchange(report, request) ──▶ start (propose) ──▶ objective ──▶ exchange(report, request) ──▶ …
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import nonstop.trials.transitions as transitions
from nonstop.arguments import seconds, whole
from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError, StudyError, TrialError
from nonstop.storage.contract import Storage
from nonstop.storage.session import Session
from nonstop.trials.messages import Counts, Exchange, HandOn, Report, Request
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.trials.until import Until, Watch
from nonstop.types import Params
from nonstop.workers.command import Command
from nonstop.workers.deadline import Deadline
from nonstop.workers.held import Beating
from nonstop.workers.lease import Lease
from nonstop.workers.objective import Objective, evaluate, limited, objective_of
from nonstop.workers.pacemaker import Hearts
from nonstop.workers.reach import Reach
from nonstop.workers.running import Surroundings
from nonstop.workers.stopping import StopFlag, StopRequested
from nonstop.workers.unsent import LOG, Unsent, described
from nonstop.workers.usage import Usage

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
#: The attempt at which an interrupted trial fails, so that nothing is given back for ever.
MAX_INTERRUPTIONS = 10
_PATIENCE = 3
_NUMBER = re.compile(r"\d+(\.\d+)?(e[-+]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Terms:
    """When a run ends, and what its workers may do until then."""

    #: The budget: completed trials of the whole study, whoever ran them; None is no limit.
    n_trials: int | None = None
    #: When the last trial may start; those under way then are finished. None is no limit.
    deadline: Deadline | None = None
    #: When a trial is handed on to another worker, and how often.
    lease: Lease = field(default_factory=Lease)
    #: Seconds after which an evaluation is interrupted and fails; None is no limit.
    trial_timeout: float | None = None
    #: How many trials in a row may fail before the run stops, if that is hopeless (see ConsecutiveFailures); None is no
    #: limit.
    max_failures: int | None = 10
    #: The sequence number at which the run began: earlier failures do not count.
    since: int = 0
    #: When the study is good enough, or has taken enough; None is no rule.
    until: Until | None = None
    #: Parameters that are given in this run, while the others are proposed; None if there are none.
    fixed: Params | None = None

    def __post_init__(self) -> None:
        seconds("lease", self.lease.seconds, StudyError)
        if self.n_trials is not None:
            object.__setattr__(self, "n_trials", whole("n_trials", self.n_trials, StudyError))
        if self.trial_timeout is not None:
            object.__setattr__(self, "trial_timeout", seconds("trial_timeout", self.trial_timeout, StudyError))
        if self.max_failures is not None:
            most = whole("max_failures", self.max_failures, StudyError, least=1, or_else=" or None")
            object.__setattr__(self, "max_failures", most)


@dataclass(frozen=True, slots=True)
class Task:
    """All that a worker needs, in whatever process or machine it runs."""

    #: Where the study is kept.
    storage: Storage
    #: The id of the study in the storage.
    study: int
    #: What every worker of the study agrees on.
    spec: Spec
    #: A function of the params, "module:function", or a Command.
    objective: str | Objective
    #: When to stop.
    terms: Terms
    #: Identifies the study everywhere (StudyRecord.creation); if empty, results are not kept beside the run.
    creation: str = ""
    #: Where evaluations run, and with what.
    surroundings: Surroundings = field(default_factory=Surroundings)

    def own_environment(self, worker: str) -> Mapping[str, str]:
        """What belongs into os.environ of a worker's process; commands get theirs themselves, from any process."""
        return {} if isinstance(self.objective, Command) else self.surroundings.environment_of(worker)


class ConsecutiveFailures:
    """The trials of all workers that failed since the latest result, and whether it is hopeless to go on.

    It is, after `most` failures in a row, if no evaluation of the study ever completed; after `most` with the same
    reason, if none completed since the run began; and after three times as many with the same reason otherwise: with
    most = 10, where two thirds of all trials fail, that happens by chance once in half a million trials. Numbers in
    reasons are not compared.
    """

    def __init__(self, since: int) -> None:
        self._since = since
        self.count = 0
        #: Of the latest of them.
        self.reasons: deque[str] = deque(maxlen=3)
        self._alike = 0  # how many of the latest have the same reason
        self._reason = ""
        self._ever = self._now = False  # did an evaluation complete, in the study and since the run began?

    def update(self, changes: Iterable[Trial]) -> None:
        """Apply changes, oldest first."""
        for trial in changes:
            completed, recent = trial.state is TrialState.COMPLETED, trial.sequence > self._since
            self._ever |= completed and trial.asked_at is not None  # a value that was added is no evaluation
            self._now |= completed and recent
            if not recent or not trial.state.finished:
                continue
            if completed:
                self.count = self._alike = 0
            else:
                self.count, self._alike = self._with(trial.reason)
                self._reason = _without_numbers(trial.reason)
                self.reasons.append(f"trial {trial.number}: {trial.reason or 'no reason given'}")

    def is_hopeless(self, most: int | None, failed: Report | None = None) -> bool:
        """Should the run stop, once this failure is counted too?"""
        count, alike = (self.count, self._alike) if failed is None else self._with(failed.reason)
        if most is None:
            return False
        return count >= most if not self._ever else alike >= (_PATIENCE * most if self._now else most)

    def _with(self, reason: str | None) -> tuple[int, int]:
        """How many failed in a row, and how many of them for the same reason, with one more that has this reason."""
        return self.count + 1, self._alike + 1 if _without_numbers(reason) == self._reason else 1


def _without_numbers(reason: str | None) -> str:
    return _NUMBER.sub("#", reason or "")


class Worker:
    """Runs trials until the run is over. `on_hold` is called with the trial it holds, as (number, attempt), or None.

    `beating` beats for that trial; without it, the worker has a pacemaker of its own. If its reports and requests are
    `apart`, and not one transaction, on_hold may stop it in between.
    """

    def __init__(
        self,
        task: Task,
        name: str,
        stop: StopFlag | None = None,
        clock: Clock | None = None,
        on_hold: Callable[[tuple[int, int] | None], None] = lambda _held: None,
        beating: Beating | None = None,
        apart: bool = False,
    ) -> None:
        self._terms = task.terms
        self._apart = apart or task.terms.until is not None
        self._name = name
        self._surroundings = task.surroundings
        self._stop = stop or StopFlag()
        self._clock = clock or WallClock()
        self._on_hold = on_hold
        self._goals = task.spec.goals
        self._objective = limited(objective_of(task.objective), task.terms.trial_timeout, self._goals)
        self._failures = ConsecutiveFailures(task.terms.since)
        self._until = Watch(task.terms.until, self._goals)
        self._unsent = Unsent(task.creation, repr(task.storage))
        self._reach = Reach(name, self._unsent, self._stop, self._clock, self._is_late)
        self._session = Session(
            task.storage, task.study, task.spec, self._clock, self._learn, self._reach, task.terms.n_trials
        )
        self._beating = beating or Hearts(task.storage, task.study, task.terms.lease, clock=self._clock).of()
        self._held: tuple[int, int] | None = None
        self._evaluating = self._idle = self._total = 0.0

    @property
    def usage(self) -> Usage:
        """Where the time of the run went. What was not measured otherwise counts as proposing, so that all adds up."""
        storing = self._session.storing
        proposing = max(0.0, self._total - self._evaluating - storing - self._idle)
        return Usage(self._name, self._evaluating, proposing, storing, self._idle)

    def _learn(self, changes: Iterable[Trial]) -> None:
        """What is new may be a reason to stop."""
        self._failures.update(changes)
        self._until.update(changes)

    def run(self) -> Usage:
        """Work until the run is over or stopped; StudyError if it is hopeless, StartError if its command is."""
        with self._beating:
            before = self._clock.monotonic()
            try:
                self._exchange(None, request=False)  # reads the whole study before a request takes its lock
                self._hand_in_left()
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
        before, seconds = self._clock.monotonic(), 0.0
        try:
            with self._stop.interruptible():
                running = self._surroundings.of(trial, self._name, self._session.spec.seed)
                result = evaluate(self._objective, running.params, running, self._goals)
        finally:
            seconds = self._clock.monotonic() - before
            self._evaluating += seconds
        if result.reason is not None and self._stop.interrupted:
            raise StopRequested  # whatever the objective made of it
        state = TrialState.COMPLETED if result.reason is None else TrialState.FAILED
        identity = os.urandom(16).hex(), trial.number, trial.attempt
        return Report(*identity, state, result.value, result.reason, seconds, result.notes, result.outcomes)

    def _next(self, report: Report | None) -> Trial | None:
        """Hand in the report; the next trial to run, with params, or None if the run is over."""
        pause = _FIRST_PAUSE
        answer = self._exchange(report, request=self._may_ask(report))
        while not self._is_over(answer.counts):
            trial = self._start(answer)
            if trial is not None:
                return trial
            if _has_room(answer.counts, self._terms.n_trials):
                answer = self._exchange(None, request=True)
            if self._held is None:  # also when there was room, but what waits is not for this worker
                answer = self._wait(pause)
                pause = min(_LONGEST_PAUSE, 1.5 * pause)
        return None

    def _may_ask(self, report: Report | None) -> bool:
        """False also when this report may be the last one: a new trial would only be given back."""
        if (self._apart and report is not None) or self._until.reason() is not None:
            return False  # first see what is new, then ask
        failed = report if report is not None and report.state is TrialState.FAILED else None
        return not (self._is_late() or self._failures.is_hopeless(self._terms.max_failures, failed))

    def _exchange(self, report: Report | None, request: bool) -> Exchange:
        wanted = os.urandom(16).hex(), self._name, self._terms.n_trials
        asked = Request(*wanted, fixed=self._terms.fixed) if request else None
        if report is not None:
            self._reach.report = report, self._session.mirror.trials[report.number].params or {}
        try:
            answer = self._session.exchange(report, asked)
        except BaseException as error:
            kept = self._reach.keep()
            if kept is not None:
                self._hold(None)  # no one need evaluate it again
            if report is None or not isinstance(error, StorageError):
                raise
            where = "" if kept is None else f"; it is kept in {kept}, and the next run of this study there hands it in"
            raise type(error)(f"{described(report)} could not be handed in: {error}{where}") from error
        granted = answer.trial if asked is not None else None
        self._hold(None if granted is None else (granted.number, granted.attempt))
        return answer

    def _hand_in_left(self) -> None:
        """Hand in what workers of this study kept here when they were ended, each result once."""
        for kept in self._unsent.left():
            known = self._session.mirror.trials.get(kept.report.number)
            try:
                if known is None or known.params != kept.params:
                    raise TrialError("the study has no such trial")
                self._session.exchange(kept.report)
            except (TrialError, StudyError) as error:
                LOG.warning("%s of %s cannot be handed in, and stays: %s", described(kept.report), kept.path, error)
                continue
            kept.path.unlink(missing_ok=True)
            LOG.warning("%s was left by an earlier run, and is handed in", described(kept.report))

    def _start(self, answer: Exchange) -> Trial | None:
        """The granted trial, RUNNING with its params; None if none was granted, or it was handed on meanwhile."""
        if self._held is None or answer.trial is None:
            return None
        try:
            return self._session.start(answer.trial)
        except TrialError:
            self._hold(None)
            return None

    def _is_over(self, counts: Counts) -> bool:
        """Should this worker end? StudyError after too many failures in a row."""
        if self._failures.is_hopeless(self._terms.max_failures):
            last = "; ".join(self._failures.reasons)
            raise StudyError(f"stopped after {self._failures.count} failed trials in a row; the last: {last}")
        if self._until.reason() is not None:
            return True
        if self._held is not None:
            return self._stop.is_set
        return self._is_late() or (self._terms.n_trials is not None and counts.completed >= self._terms.n_trials)

    def _is_late(self) -> bool:
        deadline = self._terms.deadline
        return self._stop.is_set or (deadline is not None and deadline.left(self._clock) <= 0.0)

    def _wait(self, seconds: float) -> Exchange:
        """Other workers evaluate the rest of the budget; if one fails or is lost, there is room in it again. Reading
        whether there is counts as idle, not as storing."""
        before, storing = self._clock.monotonic(), self._session.storing
        try:
            with self._stop.interruptible():
                self._clock.sleep(seconds)
            return self._exchange(None, request=False)
        finally:
            self._session.storing = storing
            self._idle += self._clock.monotonic() - before

    def _hold(self, held: tuple[int, int] | None) -> None:
        self._held = held
        self._beating.hold(held)
        self._on_hold(held)

    def _give_back(self) -> None:
        """Give back the trial of an interrupted worker. If the storage does not answer, its lease expires later."""
        if self._held is not None:
            number, attempt = self._held
            if not self._reach.lost:
                with suppress(StorageError, StudyError):  # StudyError: it was deleted
                    give_back(self._session.storage, self._session.study, number, attempt)
            self._hold(None)


def give_back(storage: Storage, study: int, number: int, attempt: int) -> None:
    """Hand on the trial of a worker that was interrupted. That is no fault of the trial's, so it may happen often."""
    reason = f"interrupted at attempt {attempt}: a trial has at most {MAX_INTERRUPTIONS}"
    storage.hand_on(study, HandOn(number, attempt, reason, MAX_INTERRUPTIONS))


def _has_room(counts: Counts, limit: int | None) -> bool:
    """Would a request be granted? Reading the counts is cheaper than a request, which takes the study's lock."""
    return transitions.may_create(counts, limit) or (counts.waiting > 0 and transitions.may_claim(counts, limit))
