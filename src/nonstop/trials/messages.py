"""The messages between workers and a storage: reports, requests, starts, insertions, handing on, and the answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Notes, Outcomes, Params


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one attempt at a trial."""

    #: Any unique string: a retry with the same id changes nothing.
    id: str
    #: The number of the trial.
    number: int
    #: Which attempt at the trial this is, from 1.
    attempt: int
    #: COMPLETED or FAILED.
    state: TrialState
    #: The value, if it is COMPLETED: a finite number; None if there are several objectives (see `outcomes`).
    value: float | None = None
    #: Why it failed, if it did.
    reason: str | None = None
    #: Seconds that the evaluation took, if they were measured.
    seconds: float | None = None
    #: What the evaluation told besides its value.
    notes: Notes = field(default_factory=dict)
    #: Objectives and constraints by name, if it is COMPLETED and has them: finite numbers.
    outcomes: Outcomes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A request for the next trial."""

    #: Any unique string: a retry with the same id is granted the same trial.
    id: str
    #: The name of the worker that asks.
    worker: str
    #: The budget: completed, proposing, waiting and running trials together never exceed it. None is no limit.
    limit: int | None = None
    #: Seconds for which the trial is held without a heartbeat, infinite for ever; None if a heartbeat keeps it.
    lease: float | None = None
    #: Parameters that are given; the others are proposed. Only a waiting trial with the same ones is granted then.
    fixed: Params | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """The params for a PROPOSING trial, which make it RUNNING."""

    #: The number of the trial.
    number: int
    #: Which attempt at the trial this is, from 1.
    attempt: int
    #: What to evaluate.
    params: Params
    #: The seed that the params were proposed with.
    seed: int
    #: How the params came about.
    diagnostics: Diagnostics
    #: Refuse the start if another running trial has the same params?
    unique: bool = True


@dataclass(frozen=True, slots=True)
class Insert:
    """A trial that the study did not propose: one to evaluate (WAITING), or a result from elsewhere."""

    #: What is to be evaluated, or was.
    params: Params
    #: WAITING, COMPLETED or FAILED.
    state: TrialState = TrialState.WAITING
    #: The value, if it is COMPLETED: a finite number; None if there are several objectives (see `outcomes`).
    value: float | None = None
    #: Why it failed, if it did.
    reason: str | None = None
    #: Who evaluated it, if that is known.
    worker: str | None = None
    #: When its evaluation began, in seconds since the epoch, if that is known.
    started_at: float | None = None
    #: When its result came. Results of one insertion are ordered by it; None is now.
    finished_at: float | None = None
    #: Seconds that the evaluation took, if they were measured.
    seconds: float | None = None
    #: What is known of it besides.
    notes: Notes = field(default_factory=dict)
    #: The parameters that were given and not chosen; None if there were none.
    fixed: Params | None = None
    #: Objectives and constraints by name, if it is COMPLETED and has them: finite numbers.
    outcomes: Outcomes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HandOn:
    """A trial that its worker does not finish: another worker is to have it."""

    #: The number of the trial.
    number: int
    #: The attempt that ends.
    attempt: int
    #: Why it ends, kept if it was the last attempt.
    reason: str
    #: With this attempt or a later one, the trial fails instead.
    max_attempts: int
    #: The heartbeat counter that an observer saw stand still; None if the trial's own worker gives it back, or is dead.
    beat: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many trials of a study are in which state; see TrialState."""

    #: Trials whose params are being proposed.
    proposing: int = 0
    #: Trials that wait for a worker.
    waiting: int = 0
    #: Trials that are being evaluated.
    running: int = 0
    #: Trials with a value.
    completed: int = 0
    #: Trials without a value that are not evaluated again.
    failed: int = 0

    @property
    def unfinished(self) -> int:
        """Trials without a result so far."""
        return self.proposing + self.waiting + self.running

    @property
    def total(self) -> int:
        """All trials."""
        return self.unfinished + self.completed + self.failed


@dataclass(frozen=True, slots=True)
class Exchange:
    """The answer of a storage to one transaction."""

    #: All trials that changed after the caller's cursor, oldest change first, each in its newest state.
    changes: tuple[Trial, ...]
    #: The sequence number of the latest change: the caller's next cursor.
    cursor: int
    #: How many results the study has.
    version: int
    #: How many trials are in which state.
    counts: Counts
    #: The trial that was granted, started or reported, if any.
    trial: Trial | None = None


@dataclass(frozen=True, slots=True)
class Pulse:
    """The heartbeat of one trial that a worker holds, as every observer sees it."""

    #: The number of the trial.
    number: int
    #: Which attempt at the trial this is, from 1.
    attempt: int
    #: The heartbeat counter: while the worker lives, it increases.
    beat: int
    #: The name of the worker.
    worker: str
    #: The trial's own lease in seconds, which is infinite if it never expires; None: that of the observers applies.
    lease: float | None = None
