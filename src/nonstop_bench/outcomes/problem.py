"""What a problem is: outcomes of a point in a box, of which some are minimised and some have to stay within a bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.numerics.hypervolume import hypervolume
from nonstop.outcomes.bound import Bound
from nonstop_bench.records import Array

#: Which of several.
Mask: TypeAlias = NDArray[np.bool_]
#: Points (n, d) in the units of the problem -> outcomes (n, m).
Outcomes: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True)
class Problem:
    """Outcomes are the objectives, all minimised, and then the constraints.

    One objective: `best` is the least feasible value, `worst` the largest, which is scored while nothing feasible is
    known. Several: `best` is the hypervolume of the whole front above `reference`, and `worst` is 0.
    """

    name: str
    box: Mapping[str, tuple[float, float]]
    objectives: tuple[str, ...]
    constraints: Mapping[str, str]
    function: Outcomes
    best: float
    worst: float = 0.0
    reference: tuple[float, ...] = ()
    #: A point that attains `best`, in the units of the problem, where there is one.
    optimizer: tuple[float, ...] = ()
    #: The standard deviation of each outcome as it is observed.
    noise: float = 0.0
    #: With noise a point may seem feasible that is not. Its violation costs so many times its size, which is more than
    #: a violation can gain.
    price: float = 0.0

    @property
    def d(self) -> int:
        """How many parameters there are."""
        return len(self.box)

    @property
    def goals(self) -> list[str]:
        """What is wanted of each outcome, in nonstop's words."""
        return ["minimize"] * len(self.objectives) + list(self.constraints.values())

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """The constraints, parsed."""
        return tuple(Bound.of(name, text) for name, text in self.constraints.items())

    def outcomes(self, cube: Array) -> Array:
        """The exact outcomes (n, m) at points (n, d) of the unit cube."""
        low, high = np.array(list(self.box.values())).T
        return np.asarray(self.function(low + np.atleast_2d(cube) * (high - low)), dtype=np.float64)

    def violations(self, outcomes: Array) -> Array:
        """By how much each constraint is violated (n, constraints); negative if it holds."""
        constrained = outcomes[:, len(self.objectives) :]
        signs = np.array([1.0 if bound.side == "<=" else -1.0 for bound in self.bounds])
        limits = np.array([bound.value for bound in self.bounds])
        return np.asarray((constrained - limits) * signs)

    def feasible(self, outcomes: Array) -> Mask:
        """Which of them satisfy all constraints (n,)."""
        return np.asarray((self.violations(outcomes) <= 0.0).all(axis=1))

    def reached(self, observed: Array, exact: Array) -> float | None:
        """What a run has reached after these outcomes (n, m): the least feasible value, or the dominated hypervolume.
        None: nothing feasible is known. With noise, the exact value of what seems best, its violation added."""
        feasible = self.feasible(observed)
        if len(self.objectives) > 1:
            return hypervolume(-exact[feasible, : len(self.objectives)], -np.array(self.reference))
        if not feasible.any():
            return None
        i = np.flatnonzero(feasible)[np.argmin(observed[feasible, 0])]
        violation = np.maximum(self.violations(exact[i : i + 1]), 0.0).sum()
        return float(exact[i, 0] + self.price * violation)

    def regret(self, reached: float | None) -> float:
        """How far this is from the best, as a share of the largest regret that there is."""
        if reached is None:
            return 1.0
        return (reached - self.best) / (self.worst - self.best)
