"""Params <-> points of the unit cube. Pure functions, and a Cube that knows shapes but no names.

Symbols: an *axis* is one parameter; it owns one or more neighbouring *columns* of a point.
    x (dim,)      a point; feasible if it encodes params      X (m, dim)   points, one per row
    u (m,)        one coordinate in [0, 1] per row            U (m, axes)  one such coordinate per axis
    i (m,)        which level of a discrete axis, from 0
A Float is one column, linear or logarithmic. An Int of k values is one column of k cells, and a feasible point holds
the centre of a cell. A Categorical of k choices is k columns, one-hot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nonstop.errors import DataError
from nonstop.space import Categorical, Float, Int, Parameter, Space
from nonstop.trial import Params, Value

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

#: Up to here a neighbour is one level away; on longer axes there are strides of 2, 4, 8, ... levels as well.
SHORT_AXIS = 8


@dataclass(frozen=True, slots=True)
class Continuous:
    """Any number in [0, 1]."""

    @property
    def width(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Levels:
    """`size` cells side by side: equally wide, or as wide as the integers first, first + 1, ... on a log scale.

    A formula and not a table, because there may be 2**40 of them.
    """

    size: int
    first: int | None = None

    @property
    def width(self) -> int:
        return 1

    def at(self, i: Indices) -> Array:
        """The centres of the cells i: (m, 1)."""
        if self.first is None:
            return ((i + 0.5) / self.size)[:, None]
        start, end = self._ends(self.first)
        return ((np.log(self.first + i) - start) / (end - start))[:, None]

    def index(self, X: Array) -> Indices:
        """The cells that contain X (m, 1), or the first or last one."""
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

    size: int

    @property
    def width(self) -> int:
        return self.size

    def at(self, i: Indices) -> Array:
        X = np.zeros((len(i), self.size))
        X[np.arange(len(i)), i] = 1.0
        return X

    def index(self, X: Array) -> Indices:
        largest: Indices = np.argmax(X, axis=1)
        return largest

    def pick(self, u: Array) -> Indices:
        return np.clip((u * self.size).astype(np.int64), 0, self.size - 1)

    def moves(self, i: int) -> Indices:
        return np.delete(np.arange(self.size, dtype=np.int64), i)


Discrete: TypeAlias = Levels | OneHot
Axis: TypeAlias = Continuous | Discrete


@dataclass(frozen=True, slots=True)
class Cube:
    """The shape of the encoded space, and which of its points are feasible. Arrays hold finite numbers."""

    parts: tuple[Axis, ...]

    @classmethod
    def continuous(cls, d: int) -> Cube:
        """The plain [0, 1]^d."""
        return cls((Continuous(),) * d)

    @property
    def axes(self) -> int:
        return len(self.parts)

    @property
    def dim(self) -> int:
        return sum(part.width for part in self.parts)

    @property
    def is_continuous(self) -> bool:
        return all(isinstance(part, Continuous) for part in self.parts)

    @property
    def is_discrete(self) -> bool:
        return self.size is not None

    @property
    def size(self) -> int | None:
        """How many feasible points there are; None if a continuous axis makes them uncountable."""
        discrete = [part.size for part in self.parts if not isinstance(part, Continuous)]
        return math.prod(discrete) if len(discrete) == self.axes else None

    @property
    def flexible(self) -> NDArray[np.bool_]:
        """Which columns are continuous: (dim,)."""
        return np.repeat([isinstance(part, Continuous) for part in self.parts], [part.width for part in self.parts])

    def snap(self, X: Array) -> Array:
        """The feasible points nearest to X: clipped, in the centre of their cell, the vertex of the largest column."""
        snapped = np.clip(X, 0.0, 1.0)
        for part, _, columns in self._discrete():
            # The largest column is sought before clipping, which would make 1.2 and 1.1 a tie.
            snapped[:, columns] = part.at(part.index(X[:, columns]))
        return snapped

    def spread(self, U: Array) -> Array:
        """Feasible points (m, dim) from one uniform coordinate per axis: evenly spread U lands evenly on the cells."""
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


@lru_cache(maxsize=128)
def cube_of(space: Space) -> Cube:
    """The cube that the space is encoded in."""
    return Cube(tuple(_part(parameter) for parameter in space.values()))


def encode(space: Space, params: Params) -> Array:
    """The point (dim,) of the params, which are as space.validate() returns them."""
    point: Array = encode_many(space, [params])[0]
    return point


def encode_many(space: Space, many: Sequence[Params]) -> Array:
    """The points (n, dim) of n validated params. Not checked again: every proposal encodes all trials."""
    columns = [_columns(parameter, [params[name] for params in many]) for name, parameter in space.items()]
    return np.concatenate(columns, axis=1)


def decode(space: Space, x: ArrayLike) -> dict[str, Value]:
    """The params whose point is nearest to x; they always validate.

    The inverse of encode: exact for Int, Categorical and the bounds of a Float. Other floats come back within
    2**-51 * (high - low) plus one ulp of their own; on a log scale, within 1e-12 relative.
    """
    point, cube = np.asarray(x, dtype=np.float64), cube_of(space)
    if point.shape != (cube.dim,) or np.isnan(point).any():
        raise DataError(f"got a point of shape {point.shape}: {point}, expected {cube.dim} numbers, none of them NaN")
    params, start = {}, 0
    for (name, parameter), part in zip(space.items(), cube.parts, strict=True):
        params[name] = _value(parameter, point[start : start + part.width])
        start += part.width
    return params


def _part(parameter: Parameter) -> Axis:
    return Continuous() if isinstance(parameter, Float) else _discrete_part(parameter)


def _discrete_part(parameter: Int | Categorical) -> Discrete:
    if isinstance(parameter, Int):
        return Levels(parameter.high - parameter.low + 1, parameter.low if parameter.log else None)
    return OneHot(len(parameter.choices))


def _columns(parameter: Parameter, values: list[Any]) -> Array:
    """The columns (n, width) of n values of one parameter."""
    if isinstance(parameter, Float):
        return _to_unit(parameter, values)[:, None]
    if isinstance(parameter, Int):
        levels = [value - parameter.low for value in values]  # in Python integers: exact beyond 2**53
    else:
        place = {choice: i for i, choice in enumerate(parameter.choices)}
        levels = [place[value] for value in values]
    return _discrete_part(parameter).at(np.array(levels, dtype=np.int64))


def _value(parameter: Parameter, piece: Array) -> Value:
    """The value of one parameter from its columns (width,)."""
    if isinstance(parameter, Float):
        return _from_unit(parameter, float(piece[0]))
    level = int(_discrete_part(parameter).index(piece[None, :])[0])
    return parameter.low + level if isinstance(parameter, Int) else parameter.choices[level]


def _to_unit(parameter: Float, values: list[float]) -> Array:
    # math.log and not np.log: bounds and values must go through the very same function for the bounds to hit 0 and 1.
    scale = math.log if parameter.log else float
    low, high = scale(parameter.low), scale(parameter.high)
    return (np.array([scale(value) for value in values], dtype=np.float64) - low) / (high - low)


def _from_unit(parameter: Float, u: float) -> float:
    if u <= 0.0 or u >= 1.0:
        return parameter.low if u <= 0.0 else parameter.high
    scale = math.log if parameter.log else float
    low, high = scale(parameter.low), scale(parameter.high)
    # Not low * (1 - u) + high * u: in a short range far from 0 both products would lose digits.
    inside = low + u * (high - low)
    return min(max(math.exp(inside) if parameter.log else inside, parameter.low), parameter.high)
