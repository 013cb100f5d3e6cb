"""What workers and storages say to each other about trials: reports, requests, counts, and the answer to both."""

from __future__ import annotations

from dataclasses import dataclass

from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Params


@dataclass(frozen=True, slots=True)
class Report:
    """The end of one attempt at a trial. `id` makes a retry of the same report harmless."""

    id: str
    number: int
    attempt: int
    state: TrialState  # COMPLETED or FAILED
    value: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A wish for the next trial. `id` makes a retry of the same request return the same trial."""

    id: str
    worker: str
    limit: int | None = None  # the budget: completed + proposing + waiting + running trials never exceed it


@dataclass(frozen=True, slots=True)
class Start:
    """The params for a PROPOSING trial, and how they came about. With `unique`, no running trial may have them."""

    number: int
    attempt: int
    params: Params
    seed: int
    diagnostics: Diagnostics
    unique: bool = True


@dataclass(frozen=True, slots=True)
class Counts:
    """How many trials of a study are in which state."""

    proposing: int = 0
    waiting: int = 0
    running: int = 0
    completed: int = 0
    failed: int = 0

    @property
    def unfinished(self) -> int:
        return self.proposing + self.waiting + self.running

    @property
    def total(self) -> int:
        return self.unfinished + self.completed + self.failed


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one transaction gave back: all trials changed after the caller's cursor, oldest change first, each in its
    newest state; the cursor to come with next time; and the trial granted, started or reported, if any."""

    changes: tuple[Trial, ...]
    cursor: int
    version: int
    counts: Counts
    trial: Trial | None = None


@dataclass(frozen=True, slots=True)
class Pulse:
    """The heartbeat counter of one unfinished, owned trial, as every observer sees it."""

    number: int
    attempt: int
    beat: int
    worker: str
