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

from nonstop.space.axes import Axis, Continuous, Discrete
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
        return np.repeat([isinstance(part, Continuous) for part in self.parts], [part.width for part in self.parts])

    def snap(self, X: Array) -> Array:
        """Feasible points near X: clipped, moved to the centre of their cell, one-hot at their largest column."""
        snapped = np.clip(X, 0.0, 1.0)
        for part, _, columns in self._discrete():
            # From X and not from the clipped values, which would make a tie of 1.2 and 1.1.
            snapped[:, columns] = part.at(part.index(X[:, columns]))
        return snapped

    def spread(self, U: Array) -> Array:
        """Feasible points (m, dim) from one coordinate per axis; uniform U gives every level its share."""
        X = np.empty((len(U), self.dim))
        X[:, self.flexible] = np.clip(U[:, [isinstance(part, Continuous) for part in self.parts]], 0.0, 1.0)
        for part, axis, columns in self._discrete():
            X[:, columns] = part.at(part.pick(U[:, axis]))
        return X

    def neighbours(self, x: Array) -> Array:
        """The feasible points (k, dim) that differ from the feasible x in one discrete axis, in a fixed order."""
        blocks = [np.empty((0, self.dim))]
        for part, _, columns in self._discrete():
            levels = part.moves(int(part.index(x[None, columns])[0]))
            block = np.tile(x, (len(levels), 1))
            block[:, columns] = part.at(levels)
            blocks.append(block)
        return np.concatenate(blocks)

    def enumerate(self, limit: int) -> Array | None:
        """Every feasible point (size, dim) in lexicographic order of the levels; None if there are more than limit."""
        size = self.size
        if size is None or size > limit:
            return None
        X, rows, period = np.empty((size, self.dim)), np.arange(size, dtype=np.int64), size
        for part, _, columns in self._discrete():
            period //= part.size
            X[:, columns] = part.at(rows // period % part.size)
        return X

    def _discrete(self) -> Iterator[tuple[Discrete, int, slice]]:
        """Each discrete part with its axis and its columns."""
        start = 0
        for axis, part in enumerate(self.parts):
            if not isinstance(part, Continuous):
                yield part, axis, slice(start, start + part.width)
            start += part.width
