"""One contender on one problem: eight workers on a virtual clock, after a start that all contenders share.

The start is 2 (d + 1) quasi-random points; then 100 evaluations. Their durations vary (log-normal) and are the same for
all contenders, and so is the noise of an evaluation, where there is any. Proposing takes no virtual time; its processor
time is recorded.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from nonstop.numerics.quasirandom import halton
from nonstop_bench.durations import log_normal
from nonstop_bench.outcomes.contender import Contender
from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.records import Array

EVALUATIONS: Final = 100
WORKERS: Final = 8
#: After so many evaluations what is reached is recorded, first after the start.
STEP: Final = 10


@dataclass(frozen=True, slots=True)
class Run:
    """One run."""

    problem: str
    contender: str
    seed: int
    #: What was reached after the start, and after every tenth evaluation: the least feasible value (None: nothing
    #: feasible yet), or the hypervolume.
    reached: tuple[float | None, ...]
    #: How many of the evaluations after the start were feasible.
    feasible: int
    #: The median processor time of a suggestion.
    seconds: float
    #: Of the contender.
    version: str

    @property
    def key(self) -> tuple[str, str, int]:
        """What identifies it."""
        return self.problem, self.contender, self.seed


def start(problem: Problem) -> int:
    """How many results every contender is told first."""
    return 2 * (problem.d + 1)


def race(problem: Problem, name: str, seed: int, make: Callable[[], Contender[Any]], version: str = "") -> Run:
    """Run it."""
    contender = make()
    seen = _Seen(problem, seed)
    for x in halton(start(problem), problem.d, seed):
        contender.add(x, seen.evaluated(x))
    workers: list[tuple[float, int, Any, Array]] = []
    now, asked, seconds, reached = 0.0, 0, [], [seen.reached]
    while asked < EVALUATIONS or workers:
        if asked < EVALUATIONS and len(workers) < WORKERS:
            began = time.process_time()  # not wall time: other load on the machine must not count
            handle, x = contender.ask()
            seconds.append(time.process_time() - began)
            heapq.heappush(workers, (now + _duration(seed, asked), asked, handle, x))
            asked += 1
        else:
            now, _, handle, x = heapq.heappop(workers)
            contender.tell(handle, seen.evaluated(x))
            if (len(seen.exact) - start(problem)) % STEP == 0:
                reached.append(seen.reached)
    feasible = int(problem.feasible(np.array(seen.exact[start(problem) :])).sum())
    return Run(problem.name, name, seed, tuple(reached), feasible, float(np.median(seconds)), version)


class _Seen:
    """The outcomes of a run so far, as observed and exact."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self._problem, self._noise = problem, np.random.default_rng([seed, 1])
        self.observed: list[Array] = []
        self.exact: list[Array] = []

    def evaluated(self, x: Array) -> Array:
        """The outcomes that are observed at x."""
        exact = self._problem.outcomes(x)[0]
        self.exact.append(exact)
        self.observed.append(exact + self._problem.noise * self._noise.standard_normal(len(exact)))
        return self.observed[-1]

    @property
    def reached(self) -> float | None:
        """What the problem says of them."""
        return self._problem.reached(np.array(self.observed), np.array(self.exact))


def _duration(seed: int, number: int) -> float:
    return log_normal(np.random.default_rng([seed, number]), np.empty(0))
