"""A trial: one evaluation of the objective, from the reservation of its number to its result.

    PROPOSING ──start──▶ RUNNING ──report──▶ COMPLETED | FAILED
        │                   │
        └──── expire ───────┴──▶ WAITING ──claim──▶ RUNNING (or PROPOSING, if it never got params)

Trials never change: storage hands out new values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from nonstop.errors import TrialError
from nonstop.trials.diagnostics import Diagnostics
from nonstop.types import Params


class TrialState(StrEnum):
    PROPOSING = "proposing"  # has a number and a data version, not yet params
    WAITING = "waiting"  # enqueued, or handed on by an expired lease: the next to ask gets it
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def finished(self) -> bool:
        return self in (TrialState.COMPLETED, TrialState.FAILED)


LEGAL: Mapping[TrialState, frozenset[TrialState]] = {
    TrialState.PROPOSING: frozenset({TrialState.RUNNING, TrialState.WAITING, TrialState.FAILED}),
    TrialState.WAITING: frozenset({TrialState.RUNNING, TrialState.PROPOSING, TrialState.FAILED, TrialState.COMPLETED}),
    TrialState.RUNNING: frozenset({TrialState.COMPLETED, TrialState.FAILED, TrialState.WAITING}),
    TrialState.COMPLETED: frozenset(),
    TrialState.FAILED: frozenset(),
}


def check_transition(number: int, old: TrialState, new: TrialState) -> None:
    """Raise TrialError unless a trial may go from old to new."""
    if new not in LEGAL[old]:
        raise TrialError(f"trial {number} is {old}: it cannot become {new}")


@dataclass(frozen=True, slots=True)
class Trial:
    """One evaluation. `version` counts the results that existed when it was proposed; `order` is the place of its own
    result among all results (1, 2, …), so that the data of version v are the trials with order <= v."""

    number: int
    state: TrialState
    params: Params | None = None
    value: float | None = None
    version: int = 0
    order: int | None = None
    seed: int = 0
    attempt: int = 1
    worker: str | None = None
    beat: int = 0
    reason: str | None = None
    diagnostics: Diagnostics | None = None
    asked_at: float | None = None
    started_at: float | None = None
    finished_at: float | None = None
    sequence: int = 0
