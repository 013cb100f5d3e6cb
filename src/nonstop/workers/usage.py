"""Where the time of a worker went: evaluating, or the overhead of proposing, storing and being idle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """How many seconds one worker spent on what."""

    #: The name of the worker.
    worker: str
    #: Seconds in the objective.
    evaluating: float = 0.0
    #: Seconds computing proposals, with all that is none of the others.
    proposing: float = 0.0
    #: Seconds in the storage.
    storing: float = 0.0
    #: Seconds with nothing to do: no room in the budget, because other workers evaluate the rest of it.
    idle: float = 0.0

    @property
    def total(self) -> float:
        """All seconds of the worker."""
        return self.evaluating + self.proposing + self.storing + self.idle

    @property
    def utilisation(self) -> float:
        """The share of the time spent evaluating; 1 if there was no time at all."""
        return self.evaluating / self.total if self.total > 0.0 else 1.0


def overall(usages: Iterable[Usage], worker: str = "all") -> Usage:
    """The seconds of all workers together."""
    columns = zip(*(astuple(usage)[1:] for usage in usages), strict=True)
    return Usage(worker, *(float(sum(column)) for column in columns))


def by_worker(usages: Iterable[Usage]) -> tuple[Usage, ...]:
    """One record per worker, by name: a worker that was replaced has several in `usages`."""
    groups: dict[str, list[Usage]] = {}
    for usage in usages:
        groups.setdefault(usage.worker, []).append(usage)
    return tuple(overall(group, worker) for worker, group in sorted(groups.items()))
