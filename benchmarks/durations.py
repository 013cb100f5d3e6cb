"""Jobs that take different times, for the benchmarks of hosts: how long each sleeps, and what no host can do better."""

from __future__ import annotations

import heapq

import numpy as np


def drawn(count: int, seconds: float) -> list[float]:
    """Lognormal (sigma 1), with this mean; the same for every host and arrangement."""
    durations = np.random.default_rng(0).lognormal(0.0, 1.0, count)
    return [float(duration) for duration in durations * (seconds / durations.mean())]


def ideal(durations: list[float], workers: int) -> list[tuple[str, float]]:
    """Seconds from the first begin to the last end if nothing but the jobs took time: by batches, and one by one."""
    batches = sum(max(durations[place : place + workers]) for place in range(0, len(durations), workers))
    free = [0.0] * workers
    for duration in durations:
        heapq.heappush(free, heapq.heappop(free) + duration)
    return [
        ("batches, if nothing but jobs took time", batches),
        ("one by one, if nothing but jobs took time", max(free)),
    ]


def row(name: str, wall: float, share: float) -> str:
    """A row of the table."""
    return f"| {name} | {wall:.1f} | {share:.0%} |"
