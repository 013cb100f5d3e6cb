"""Where the time of a worker went. Workers should evaluate; everything else is overhead, and is measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Seconds of one worker: in the objective, computing proposals (with all that is none of the others), in the
    storage, and idle.

    `idle` is the time in which there was nothing to do: the rest of the budget was under way elsewhere.
    """

    worker: str
    evaluating: float = 0.0
    proposing: float = 0.0
    storing: float = 0.0
    idle: float = 0.0

    @property
    def total(self) -> float:
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
    """One record per worker, by name: a worker that was replaced left several."""
    lanes: dict[str, list[Usage]] = {}
    for usage in usages:
        lanes.setdefault(usage.worker, []).append(usage)
    return tuple(overall(lane, worker) for worker, lane in sorted(lanes.items()))
