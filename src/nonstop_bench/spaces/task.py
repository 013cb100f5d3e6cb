"""What a task is: a function to minimise over a declared space, with the least value known or agreed upon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nonstop_bench.spaces.declared import Declared, Params


@dataclass(frozen=True, slots=True)
class SpaceTask:
    """`optimizer` are params that attain the optimum (to the digits given), None where nobody knows them."""

    name: str
    declared: Declared
    function: Callable[[Params], float]
    optimum: float
    optimizer: Params | None = None

    def value(self, params: Params) -> float:
        """The value at params, which must be active and allowed: ValueError if not."""
        self.declared.active(params)
        if not self.declared.allows(params):
            raise ValueError(f"{dict(params)} violates {self.declared.where}")
        return float(self.function(params))

    def regret(self, value: float) -> float:
        """How far a value is above the optimum; rounding never makes it negative."""
        return max(value - self.optimum, 0.0)
