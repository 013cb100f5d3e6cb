"""A trial: one evaluation of the objective, from the reservation of its number to its result.

    PROPOSING ──start──▶ RUNNING ──report──▶ COMPLETED | FAILED
        │                   │
        └──── hand on ──────┴──▶ WAITING ──claim──▶ RUNNING (or PROPOSING, if it never got params)

A trial that FAILED because its last worker was lost, and not by a result of its own, becomes COMPLETED when a late
result comes after all.

Trials are frozen: a storage returns a new Trial for each change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from nonstop.errors import TrialError
from nonstop.markup import framed, heading, table, text
from nonstop.trials.diagnostics import Diagnostics
from nonstop.types import MaybeNone, Notes, Outcomes, Params
from nonstop.wording import duration


class TrialState(StrEnum):
    """Where a trial is between its proposal and its result."""

    #: It has a number and a data version; a worker is proposing its params.
    PROPOSING = "proposing"
    #: It was enqueued, or handed on: the next worker that asks gets it.
    WAITING = "waiting"
    #: A worker is evaluating it.
    RUNNING = "running"
    #: It has a value, or several outcomes.
    COMPLETED = "completed"
    #: It has no value, and is not evaluated again. Only a late result of a worker taken for lost can still complete it.
    FAILED = "failed"

    @property
    def finished(self) -> bool:
        """Is it COMPLETED or FAILED?"""
        return self in (TrialState.COMPLETED, TrialState.FAILED)


#: Which states may follow which.
LEGAL: Mapping[TrialState, frozenset[TrialState]] = {
    TrialState.PROPOSING: frozenset({TrialState.RUNNING, TrialState.WAITING, TrialState.FAILED}),
    TrialState.WAITING: frozenset({TrialState.RUNNING, TrialState.PROPOSING, TrialState.FAILED, TrialState.COMPLETED}),
    TrialState.RUNNING: frozenset({TrialState.COMPLETED, TrialState.FAILED, TrialState.WAITING}),
    TrialState.COMPLETED: frozenset(),
    TrialState.FAILED: frozenset({TrialState.COMPLETED}),
}


def check_transition(number: int, old: TrialState, new: TrialState) -> None:
    """TrialError unless a trial may go from old to new."""
    if new not in LEGAL[old]:
        raise TrialError(f"trial {number} is {old}: it cannot become {new}")


@dataclass(frozen=True, slots=True)
class Trial:
    """One evaluation of the objective."""

    #: 0, 1, 2, … in the order in which trials were asked for, enqueued or added.
    number: int
    #: Where it is between its proposal and its result.
    state: TrialState
    #: What is evaluated; None until it is proposed.
    params: Params | MaybeNone = None
    #: The value of the objective, if it is COMPLETED; None if there are several objectives.
    value: float | None = None
    #: How many results the study had when a worker asked for its params; -1 if it was enqueued or added.
    version: int = 0
    #: The place of its result among all results (1, 2, …): the data of version v are the trials with order <= v.
    order: int | None = None
    #: The seed that its params were proposed with.
    seed: int = 0
    #: Which attempt at it this is, from 1: it grows whenever the trial is handed on.
    attempt: int = 1
    #: The name of the worker that holds it, or held it last; None while it is WAITING, and if it was added.
    worker: str | None = None
    #: The heartbeat counter of this attempt.
    beat: int = 0
    #: Why it failed, if it did; of a COMPLETED trial, why it had failed before a late result undid that (see `undone`).
    reason: str | None = None
    #: How its params came about; None if it was enqueued or added.
    diagnostics: Diagnostics | None = None
    #: When a worker was granted the latest attempt, in seconds since the epoch by the storage's clock.
    asked_at: float | None = None
    #: When its evaluation began.
    started_at: float | None = None
    #: When its result was stored.
    finished_at: float | None = None
    #: The sequence number of its latest change in the study.
    sequence: int = 0
    #: Seconds after which it is handed on unless it was told, if it was asked for: infinite if it is held until then.
    #: None if a worker holds it, whose heartbeat tells that it lives.
    lease: float | None = None
    #: The sequence number of its failure, if a late result undid one (then `reason` still says why it had failed).
    #: Proposals made in between learned from the failure, so a replay has to know when it happened.
    undone: int | None = None
    #: Seconds that the evaluation took, by the clock of its worker; None if that was not measured. From started_at to
    #: finished_at may be longer: then the storage could not be reached, or the worker had to wait for it.
    seconds: float | None = None
    #: What the evaluation told besides its value, by name.
    notes: Notes = field(default_factory=dict)
    #: The parameters that were given when it was asked for, and so not proposed; None if there were none.
    fixed: Params | None = None
    #: The objectives and constraints that the evaluation gave, by name; empty if the study asks for a value only.
    outcomes: Outcomes = field(default_factory=dict)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        about = [str(self.state), *([f"value {text(self.value)}"] if self.value is not None else [])]
        if self.seconds is not None:
            about.append(duration(self.seconds))
        elif self.started_at is not None and self.finished_at is not None:
            about.append(duration(self.finished_at - self.started_at))
        if self.worker:
            about.append(f"by {text(self.worker)}")
        params = table([text(name), text(value)] for name, value in (self.params or {}).items())
        notes = table([text(name), text(value)] for name, value in self.notes.items())
        outcomes = table([text(name), text(value)] for name, value in self.outcomes.items())
        given = heading("outcomes") + outcomes if self.outcomes else ""
        noted = heading("notes") + notes if self.notes else ""
        why = heading("reason", text(self.reason)) if self.reason else ""
        return framed(heading(f"Trial {self.number}", " · ".join(about)), params, given, noted, why)
