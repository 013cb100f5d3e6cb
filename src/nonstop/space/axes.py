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

#: An axis of more levels than this is searched as if it were continuous, and the point that was found is rounded.
SHORT_AXIS = 8


@dataclass(frozen=True, slots=True)
class Continuous:
    """Any number in [0, 1]."""

    @property
    def width(self) -> int:
        """How many columns it has."""
        return 1

    @property
    def resting(self) -> tuple[float, ...]:
        """The columns of a parameter that is not active: in the middle, whatever it was."""
        return (0.5,)


@dataclass(frozen=True, slots=True)
class Levels:
    """`size` cells side by side: equally wide, or as wide as the numbers first, first + 1, ... on a log scale.

    Computed and not tabulated, because there may be 2**40 of them.
    """

    #: How many levels there are.
    size: int
    #: The first number, if the scale is logarithmic. With steps it need not be an integer.
    first: float | None = None

    @property
    def width(self) -> int:
        """How many columns it has."""
        return 1

    @property
    def resting(self) -> tuple[float, ...]:
        """The columns of a parameter that is not active: the middle level, whatever it was."""
        return (float(self.at(np.array([self.size // 2]))[0, 0]),)

    def at(self, i: Indices) -> Array:
        """The centres of the cells i: (m, 1)."""
        if self.first is None:
            return ((i + 0.5) / self.size)[:, None]
        start, end = self._ends(self.first)
        centres: Array = (np.log(self.first + i) - start) / (end - start)
        return centres[:, None]

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

    def moves(self, i: Indices) -> Indices:
        """The levels (m, 2) to try from the levels i (m,): one down and one up; i itself where the axis ends."""
        levels: Indices = np.clip(i[:, None] + np.array([-1, 1]), 0, self.size - 1)
        return levels

    def _ends(self, first: float) -> tuple[float, float]:
        # Half a step before the first number, which may be nearer to 0 than that.
        return math.log(max(first - 0.5, first / 2)), math.log(first + self.size - 0.5)


@dataclass(frozen=True, slots=True)
class OneHot:
    """`size` columns, one of them 1 and the others 0."""

    #: How many levels there are.
    size: int

    @property
    def width(self) -> int:
        """How many columns it has."""
        return self.size

    @property
    def resting(self) -> tuple[float, ...]:
        """The columns of a parameter that is not active: no choice at all, equally far from each."""
        return (0.0,) * self.size

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

    def moves(self, i: Indices) -> Indices:
        """The levels (m, size - 1) to try from the levels i (m,): all others."""
        return (i[:, None] + np.arange(1, self.size)) % self.size


@dataclass(frozen=True, slots=True)
class Held:
    """An axis with a single point: another one whose value is fixed while the others are searched."""

    #: What it was before.
    part: Continuous | Levels | OneHot
    #: Its columns.
    columns: tuple[float, ...]

    @property
    def size(self) -> int:
        """How many levels there are."""
        return 1

    @property
    def width(self) -> int:
        """How many columns it has."""
        return self.part.width

    @property
    def resting(self) -> tuple[float, ...]:
        """The columns of a parameter that is not active: those of any other of its kind."""
        return self.part.resting

    def at(self, i: Indices) -> Array:
        """The columns, for each of the levels i: (m, width)."""
        return np.tile(np.array(self.columns), (len(i), 1))

    def index(self, X: Array) -> Indices:
        """The only level, for each row of X (m, width)."""
        return np.zeros(len(X), dtype=np.int64)

    def pick(self, u: Array) -> Indices:
        """The only level, for each of u (m,)."""
        return np.zeros(len(u), dtype=np.int64)

    def moves(self, i: Indices) -> Indices:
        """The levels (m, 0) to try instead: none."""
        return np.empty((len(i), 0), dtype=np.int64)


Discrete: TypeAlias = Levels | OneHot | Held
Axis: TypeAlias = Continuous | Discrete
