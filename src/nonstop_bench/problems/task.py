"""The interface of a task for the simulator and the experiments.

`Problem` (problem.py) is a formula over a box; `BlackBox` is anything else: a function of params over any space.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

import nonstop
from nonstop_bench.durations import Duration

#: (exact value, generator of the trial) -> the value that an evaluation returns
Noise: TypeAlias = Callable[[float, np.random.Generator], float]


class Task(Protocol):
    """Something to minimise, with the least value known (or agreed upon, for regret to have a meaning)."""

    @property
    def name(self) -> str:
        """The name in the catalogue."""

    @property
    def dim(self) -> int:
        """The number of parameters."""

    @property
    def space(self) -> nonstop.Space:
        """The search space."""

    @property
    def optimum(self) -> float:
        """The least value, known or agreed upon."""

    @property
    def duration(self) -> Duration | None:
        """How long an evaluation takes by the task's own account; None: the experiment chooses a model."""

    def objective(self, params: Mapping[str, object]) -> float:
        """The value at params of the space."""

    def regret(self, value: float) -> float:
        """How far a value is above the optimum."""


@dataclass(frozen=True, slots=True)
class BlackBox:
    """A task whose objective is a function of params."""

    name: str
    space: nonstop.Space
    function: Callable[[Mapping[str, object]], float]
    optimum: float
    duration: Duration | None = None
    #: The task's own noise; an experiment may add another.
    noise: Noise | None = None

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return len(self.space)

    def objective(self, params: Mapping[str, object]) -> float:
        """The value at params of the space."""
        return self.function(self.space.validate(params))

    def regret(self, value: float) -> float:
        """How far a value is above the optimum; rounding never makes it negative."""
        return max(value - self.optimum, 0.0)


def observed(task: Task, exact: float, rng: np.random.Generator) -> float:
    """What an evaluation returns: the exact value, but for tasks with a noise of their own."""
    noise = task.noise if isinstance(task, BlackBox) else None
    return exact if noise is None else noise(exact, rng)
