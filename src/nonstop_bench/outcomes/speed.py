"""How long a suggestion with two objectives and one constraint takes, beside one with one objective.

Both have the same points (DTLZ2's first objective is the one), four to seven busy points, so that each rule of the
defaults has its turn, and start from the hyperparameters of a proposal before the latest result. They alternate in one
process, so what else the machine does meets both alike; medians of processor times.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import nonstop
from nonstop.numerics.quasirandom import halton
from nonstop_bench.outcomes.fronts import dtlz2
from nonstop_bench.records import Array
from nonstop_bench.tables import markdown

D: Final = 6
BUSY: Final = 7
#: At least half of the points satisfy it.
GOALS: Final = ("minimize", "minimize", "<= 1.5")


def table(sizes: tuple[int, ...] = (50, 200), turns: int = 45) -> str:
    """A row for each number of results."""
    rows = []
    for n in sizes:
        one, several = (1e3 * np.median(seconds) for seconds in _alternating(_single(n), _several(n), turns))
        rows.append([str(n), f"{one:.1f}", f"{several:.1f}", f"{several / one:.2f}"])
    head = ["results", "one objective, ms", "two objectives and a constraint, ms", "times"]
    return markdown(head, rows)


def _alternating(first: Callable[[int], Any], second: Callable[[int], Any], turns: int) -> tuple[Array, Array]:
    """Processor seconds of each; the first turn does not count."""
    seconds = np.array([[_timed(first, turn), _timed(second, turn)] for turn in range(turns + 1)])[1:]
    return seconds[:, 0], seconds[:, 1]


def _timed(call: Callable[[int], Any], turn: int) -> float:
    began = time.process_time()
    call(turn)
    return time.process_time() - began


def _single(n: int) -> Callable[[int], Any]:
    X, Y = _data(n)
    y, busy = -Y[:, 0], halton(BUSY, D, 1)
    warm = nonstop.propose(X[:-1], y[:-1], busy).hyperparameters
    return lambda turn: nonstop.propose(X, y, busy[turn % 4 :], seed=turn, warm=warm)


def _several(n: int) -> Callable[[int], Any]:
    X, Y = _data(n)
    busy = halton(BUSY, D, 1)
    before = nonstop.propose(X[:-1], Y[:-1], busy, goals=GOALS)
    warm = [prediction.hyperparameters for prediction in before.predictions]
    return lambda turn: nonstop.propose(X, Y, busy[turn % 4 :], seed=turn, goals=GOALS, warm=warm)


def _data(n: int) -> tuple[Array, Array]:
    """Points, and two objectives and the sum of the third to the last parameter."""
    X = halton(n, D, 0)
    return X, np.column_stack([dtlz2(X, 2), X[:, 2:5].sum(axis=1)])
