"""One contender on one task: four workers on a virtual clock, after a start that all contenders share.

The start is 10 points, uniform over what the constraints allow; then 60 evaluations. Their durations vary (half-normal,
as in the paper) and are the same for all contenders. Proposing takes no virtual time; its processor time is recorded.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from nonstop_bench.durations import half_normal
from nonstop_bench.spaces.contender import Contender
from nonstop_bench.spaces.declared import Params
from nonstop_bench.spaces.task import SpaceTask

START: Final = 10
EVALUATIONS: Final = 60
WORKERS: Final = 4


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `values` are in the order in which they came in, those of the start first; None: lost."""

    task: str
    contender: str
    seed: int
    values: tuple[float | None, ...]
    #: Processor seconds of the suggestions, in all.
    seconds: float
    #: The best params.
    best: Params

    @property
    def key(self) -> tuple[str, str, int]:
        """What identifies it."""
        return self.task, self.contender, self.seed


def start(task: SpaceTask, seed: int) -> list[dict[str, Any]]:
    """The points that every contender is told first."""
    return task.declared.drawn(np.random.default_rng([seed, *task.name.encode()]), START)


def race(task: SpaceTask, name: str, seed: int, make: Callable[[], Contender[Any]]) -> Run:
    """Run it."""
    contender = make()
    found: list[tuple[float | None, Params]] = []
    for given in start(task, seed):
        value = task.value(given)
        contender.add(given, value)
        found.append((value, given))
    workers: list[tuple[float, int, Any, Params]] = []
    now, asked, seconds = 0.0, 0, 0.0
    while asked < EVALUATIONS or workers:
        if asked < EVALUATIONS and len(workers) < WORKERS:
            began = time.process_time()  # not wall time: other load on the machine must not count
            handle, params = contender.ask()
            seconds += time.process_time() - began
            heapq.heappush(workers, (now + _duration(seed, asked), asked, handle, params))
            asked += 1
        else:
            now, _, handle, params = heapq.heappop(workers)
            result = task.value(params) if task.declared.allows(params) else None
            contender.tell(handle, result)
            found.append((result, params))
    _, best = min((value, i) for i, (value, _) in enumerate(found) if value is not None)
    return Run(task.name, name, seed, tuple(value for value, _ in found), seconds, dict(found[best][1]))


def _duration(seed: int, number: int) -> float:
    return half_normal(np.random.default_rng([seed, number]), np.empty(0))
