"""What a problem is: a function to minimise over a box, with its minimum known.

Symbols: X (m, dim) points in the problem's own units, U (m, dim) the same points in the unit cube.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import nonstop
from nonstop_bench.durations import Duration

Array: TypeAlias = NDArray[np.float64]
Function: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Problem:
    """A function of the rows of X, the box it is searched in, its least value there and every point that attains it."""

    name: str
    bounds: tuple[tuple[float, float], ...]
    function: Function
    optimum: float
    optimizers: tuple[tuple[float, ...], ...]
    duration: Duration | None = None

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.bounds)

    @property
    def space(self) -> nonstop.Space:
        """The box as a search space, with the names x1, x2, …"""
        return nonstop.Space({f"x{j}": nonstop.Float(low, high) for j, (low, high) in enumerate(self.bounds, start=1)})

    def objective(self, params: Mapping[str, object]) -> float:
        """The value at params of the space: what a study minimises."""
        clean = self.space.validate(params)
        return float(self.function(np.array([list(clean.values())], dtype=np.float64))[0])

    def at(self, U: Array) -> Array:
        """The values (m,) at the points U of the unit cube."""
        return self.function(self.from_unit(U))

    def from_unit(self, U: Array) -> Array:
        """Points of the unit cube in the problem's own units."""
        low, high = self._edges
        return low + U * (high - low)

    def to_unit(self, X: Array) -> Array:
        """Points in the problem's own units as points of the unit cube."""
        low, high = self._edges
        return (X - low) / (high - low)

    @property
    def _edges(self) -> tuple[Array, Array]:
        edges: Array = np.array(self.bounds, dtype=np.float64)
        return edges[:, 0], edges[:, 1]

    def regret(self, value: float) -> float:
        """How far a value is above the minimum; rounding never makes it negative."""
        return max(value - self.optimum, 0.0)
