"""The shape of an encoded space: a unit cube, and which of its points are feasible. It has axes without names.

Symbols: an *axis* is one parameter: one or more adjacent *columns* of a point.
    x (dim,)      a point; feasible if it encodes params      X (m, dim)   points, one per row
    U (m, axes)   one coordinate in [0, 1] for each axis
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.space.axes import SHORT_AXIS, Axis, Continuous, Discrete, Levels
from nonstop.types import Array


@dataclass(frozen=True, slots=True)
class Cube:
    """The shape of an encoded space, and which of its points are feasible. Arrays must be finite."""

    #: The axes, in the order of their columns.
    parts: tuple[Axis, ...]

    @classmethod
    def continuous(cls, d: int) -> Cube:
        """The plain [0, 1]^d."""
        return cls((Continuous(),) * d)

    @property
    def axes(self) -> int:
        """How many axes there are: one per parameter."""
        return len(self.parts)

    @property
    def dim(self) -> int:
        """How many columns there are."""
        return sum(part.width for part in self.parts)

    @property
    def is_continuous(self) -> bool:
        """Are all axes continuous?"""
        return all(isinstance(part, Continuous) for part in self.parts)

    @property
    def is_discrete(self) -> bool:
        """Are all axes discrete?"""
        return self.size is not None

    @property
    def size(self) -> int | None:
        """How many feasible points there are; None if an axis is continuous."""
        discrete = [part.size for part in self.parts if not isinstance(part, Continuous)]
        return math.prod(discrete) if len(discrete) == self.axes else None

    @property
    def flexible(self) -> NDArray[np.bool_]:
        """Which columns are continuous: (dim,)."""
        return self._columns([isinstance(part, Continuous) for part in self.parts])

    @property
    def climbable(self) -> NDArray[np.bool_]:
        """Which columns are continuous or almost so, integers of many levels: (dim,)."""
        long = [isinstance(part, Levels) and part.size > SHORT_AXIS for part in self.parts]
        return self.flexible | self._columns(long)

    @property
    def owners(self) -> NDArray[np.intp]:
        """The axis of each column: (dim,)."""
        return np.repeat(np.arange(self.axes), [part.width for part in self.parts])

    def snap(self, X: Array) -> Array:
        """Feasible points near X: clipped, moved to the centre of their cell, one-hot at their largest column."""
        snapped = np.clip(X, 0.0, 1.0)
        for part, _, columns in self._discrete():
            # From X and not from the clipped values, which would make a tie of 1.2 and 1.1.
            levels = part.index(X[:, columns].reshape(-1, part.width))
            snapped[:, columns] = part.at(levels).reshape(len(X), len(columns))
        return snapped

    def spread(self, U: Array) -> Array:
        """Feasible points (m, dim) from one coordinate per axis; uniform U gives every level its share."""
        X = np.empty((len(U), self.dim))
        X[:, self.flexible] = np.clip(U[:, [isinstance(part, Continuous) for part in self.parts]], 0.0, 1.0)
        for part, axes, columns in self._discrete():
            X[:, columns] = part.at(part.pick(U[:, axes].ravel())).reshape(len(U), len(columns))
        return X

    def neighbours(self, x: Array) -> Array:
        """The feasible points (k, dim) that differ from the feasible x in one discrete axis, in a fixed order: integers
        by one, categoricals by any other choice."""
        blocks = [np.empty((0, self.dim))]
        for part, _, columns in self._discrete():
            levels = part.moves(part.index(x[columns].reshape(-1, part.width)))
            (g, k), width = levels.shape, part.width
            block = np.tile(x, (g, k, 1))
            rows, own = np.arange(g)[:, None, None], np.reshape(columns, (g, 1, width))
            block[rows, np.arange(k)[:, None], own] = part.at(levels.ravel()).reshape(g, k, width)
            blocks.append(block.reshape(-1, self.dim))
        near = np.concatenate(blocks)
        moved: Array = near[(near != x).any(axis=1)]
        return moved  # at the end of an axis, a move may lead nowhere

    def enumerate(self, limit: int) -> Array | None:
        """Every feasible point (size, dim) in lexicographic order of the levels; None if there are more than limit."""
        size = self.size
        if size is None or size > limit:
            return None
        X, rows = np.empty((size, self.dim)), np.arange(size, dtype=np.int64)[:, None]
        periods = size // np.cumprod([part.size for part in self.parts if not isinstance(part, Continuous)])
        for part, axes, columns in self._discrete():
            X[:, columns] = part.at((rows // periods[axes] % part.size).ravel()).reshape(size, len(columns))
        return X

    def _columns(self, values: list[bool]) -> NDArray[np.bool_]:
        """For each column, the value of its axis."""
        return np.array(values, dtype=bool)[self.owners]

    def _discrete(self) -> Iterator[tuple[Discrete, list[int], list[int]]]:
        """Each discrete part with its axes and their columns. Equal axes come together: the arithmetic on all of them
        takes hardly longer than on one."""
        groups: dict[Discrete, tuple[list[int], list[int]]] = {}
        start = 0
        for axis, part in enumerate(self.parts):
            if not isinstance(part, Continuous):
                axes, columns = groups.setdefault(part, ([], []))
                axes.append(axis)
                columns.extend(range(start, start + part.width))
            start += part.width
        for part, (axes, columns) in groups.items():
            yield part, axes, columns
