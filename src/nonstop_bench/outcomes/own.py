"""nonstop with its defaults: the pure function that proposes."""

from __future__ import annotations

from typing import Any

import numpy as np

import nonstop
from nonstop.numerics.seeds import seed_of
from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.records import Array


class Own:
    """Data, busy points and the hyperparameters of the latest proposal."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self._problem, self._seed, self._asked = problem, seed, 0
        self._X: list[Array] = []
        self._Y: list[Array] = []
        self._busy: dict[int, Array] = {}
        self._warm: Any = None

    def add(self, x: Array, outcomes: Array) -> None:
        """A result."""
        self._X.append(x)
        self._Y.append(outcomes)

    def ask(self) -> tuple[int, Array]:
        """The next proposal, with the seed that a study would give the trial."""
        self._asked += 1
        proposal = nonstop.propose(
            np.array(self._X),
            np.array(self._Y),
            np.array(list(self._busy.values())).reshape(-1, self._problem.d),
            seed=seed_of(self._seed, self._asked),
            goals=self._problem.goals,
            warm=self._warm,
        )
        self._warm = [prediction.hyperparameters for prediction in proposal.predictions]
        self._busy[self._asked] = proposal.x
        return self._asked, proposal.x

    def tell(self, handle: int, outcomes: Array) -> None:
        """The result of a busy point."""
        self.add(self._busy.pop(handle), outcomes)
