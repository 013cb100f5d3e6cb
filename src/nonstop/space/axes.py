"""The axes of the unit cube: how one parameter is encoded as one or more adjacent columns of a point.

Symbols: u (m,) one coordinate in [0, 1] per row; i (m,) which level of a discrete axis, from 0; X (m, width) columns.
A Float is one column. An Int of k values is one column of k cells, and feasible points lie in the centre of a cell. A
Categorical of k choices is k columns, one-hot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.types import Array

Indices: TypeAlias = NDArray[np.int64]

#: Up to this size, neighbours are one level apart; on longer axes also 2, 4, 8, ... levels.
SHORT_AXIS = 8


@dataclass(frozen=True, slots=True)
class Continuous:
    """Any number in [0, 1]."""

    @property
    def width(self) -> int:
        """How many columns it has."""
        return 1


@dataclass(frozen=True, slots=True)
class Levels:
    """`size` cells side by side: equally wide, or as wide as the integers first, first + 1, ... on a log scale.

    Computed and not tabulated, because there may be 2**40 of them.
    """

    #: How many levels there are.
    size: int
    #: The first integer, if the scale is logarithmic.
    first: int | None = None

    @property
    def width(self) -> int:
        """How many columns it has."""
        return 1

    def at(self, i: Indices) -> Array:
        """The centres of the cells i: (m, 1)."""
        if self.first is None:
            return ((i + 0.5) / self.size)[:, None]
        start, end = self._ends(self.first)
        return ((np.log(self.first + i) - start) / (end - start))[:, None]

    def index(self, X: Array) -> Indices:
        """The cells that contain X (m, 1); the first or last one for what lies outside."""
        return self.pick(X[:, 0])

    def pick(self, u: Array) -> Indices:
        """The cells that contain u (m,)."""
        inside = np.clip(u, 0.0, 1.0)
        if self.first is None:
            cell = inside * self.size
        else:
            start, end = self._ends(self.first)
            cell = np.exp(start + inside * (end - start)) + (0.5 - self.first)
        return np.clip(cell.astype(np.int64), 0, self.size - 1)

    def moves(self, i: int) -> Indices:
        """The levels to try from level i: one step either way, and on long axes every power of two."""
        powers = (self.size - 1).bit_length() if self.size > SHORT_AXIS else 1
        strides = 2 ** np.arange(powers, dtype=np.int64)
        levels = np.concatenate([i - strides, i + strides])
        return levels[(levels >= 0) & (levels < self.size)]

    def _ends(self, first: int) -> tuple[float, float]:
        return math.log(first - 0.5), math.log(first + self.size - 0.5)


@dataclass(frozen=True, slots=True)
class OneHot:
    """`size` columns, one of them 1 and the others 0."""

    #: How many levels there are.
    size: int

    @property
    def width(self) -> int:
        """How many columns it has."""
        return self.size

    def at(self, i: Indices) -> Array:
        """The one-hot vectors of the levels i: (m, size)."""
        X = np.zeros((len(i), self.size))
        X[np.arange(len(i)), i] = 1.0
        return X

    def index(self, X: Array) -> Indices:
        """The levels of the largest columns of X (m, size)."""
        largest: Indices = np.argmax(X, axis=1)
        return largest

    def pick(self, u: Array) -> Indices:
        """The levels for coordinates u (m,), each level for an equal part of [0, 1]."""
        return np.clip((u * self.size).astype(np.int64), 0, self.size - 1)

    def moves(self, i: int) -> Indices:
        """The levels to try from level i: all others."""
        return np.delete(np.arange(self.size, dtype=np.int64), i)


Discrete: TypeAlias = Levels | OneHot
Axis: TypeAlias = Continuous | Discrete
