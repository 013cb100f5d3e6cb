"""The shape of an encoded space: a unit cube, and which of its points are feasible. It has axes without names.

An axis may have a *condition*: it is active only with some levels of another axis, its parent. Where it is not active
its columns rest at fixed values, so that points that agree in all active parameters are equal. Known constraints
between parameters leave a *region* of the cube.

Symbols: an *axis* is one parameter: one or more adjacent *columns* of a point.
    x (dim,)      a point; feasible if it encodes params      X (m, dim)   points, one per row
    U (m, axes)   one coordinate in [0, 1] for each axis
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nonstop.space.axes import SHORT_AXIS, Axis, Continuous, Discrete, Held, Levels
from nonstop.types import Array

#: With a region, a discrete cube of at most so many points is listed to see which are feasible.
LISTABLE = 2**17


@dataclass(frozen=True, slots=True)
class Condition:
    """When an axis is active: with some levels of another axis that is active itself."""

    #: The axis of the choice. Parents come before their children.
    parent: int
    #: The levels of the parent with which the axis is active.
    levels: frozenset[int]


class Region(Protocol):
    """The known constraints of a space, on points of its cube. Hashable; equal regions are equal."""

    def holds(self, X: Array) -> NDArray[np.bool_]:
        """Which of the points X (m, dim), inactive columns at rest, are feasible: decided on the decoded params."""

    def margin(self, X: Array) -> Array | None:
        """How far the points are from violating a constraint (m,): at least 0 exactly where holds(), and as smooth as
        the constraints; None if there is no such number."""


@dataclass(frozen=True, slots=True)
class Cube:
    """The shape of an encoded space, and which of its points are feasible. Arrays must be finite."""

    #: The axes, in the order of their columns.
    parts: tuple[Axis, ...]
    #: When each axis is active, None if always; empty if all are.
    conditions: tuple[Condition | None, ...] = ()
    #: The known constraints; None if there are none.
    region: Region | None = None

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
        return not any(isinstance(part, Continuous) for part in self.parts)

    @property
    def is_conditional(self) -> bool:
        """Is there an axis that is not always active?"""
        return any(condition is not None for condition in self.conditions)

    @property
    def is_held(self) -> bool:
        """Is there an axis with a fixed value?"""
        return any(isinstance(part, Held) for part in self.parts)

    @property
    def size(self) -> int | None:
        """How many feasible points there are, those that differ in inactive parts only counted once; None if an axis is
        continuous, or if too many points would have to be looked at to tell which lie in the region."""
        if not self.is_discrete:
            return None
        if self.region is None:
            return self._count()
        listed = _listed(self)
        return None if listed is None else len(listed)

    @property
    def most_active(self) -> int:
        """How many axes are active at once, at most."""
        return self._most([1] * self.axes)

    @property
    def most_columns(self) -> int:
        """How many columns are active at once, at most."""
        return self._most([part.width for part in self.parts])

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

    @property
    def columns(self) -> list[slice]:
        """The columns of each axis."""
        ends = np.cumsum([part.width for part in self.parts]).tolist()
        return [slice(end - part.width, end) for end, part in zip(ends, self.parts, strict=True)]

    @property
    def resting(self) -> Array:
        """The values (dim,) of columns that are not active."""
        return np.array([value for part in self.parts for value in part.resting])

    def active(self, X: Array) -> NDArray[np.bool_]:
        """Which columns of each point are active: (m, dim)."""
        on = np.ones((len(X), self.axes), dtype=bool)
        columns = self.columns
        for parent, children, table in self.families():
            part = self.parts[parent]
            assert not isinstance(part, Continuous)
            level = part.index(X[:, columns[parent]])
            on[:, children] = table[level] & on[:, [parent]]
        active: NDArray[np.bool_] = on[:, self.owners]
        return active

    def rest(self, X: Array) -> Array:
        """The points with their inactive columns at rest: equal if they agree in all active parameters."""
        return np.where(self.active(X), X, self.resting) if self.is_conditional else X

    def holds(self, X: Array) -> NDArray[np.bool_]:
        """Which of the points X lie in the region: (m,)."""
        return np.ones(len(X), dtype=bool) if self.region is None or not len(X) else self.region.holds(X)

    def feasible(self, X: Array) -> Array:
        """Those of the points X, moved to the values of held axes, that lie in the region."""
        moved = self.snap(X) if self.is_held else X
        return moved if self.region is None else moved[self.holds(moved)]

    def snap(self, X: Array) -> Array:
        """Points near X that encode params: clipped, moved to the centre of their cell, one-hot at their largest
        column, at rest where they are not active. They need not lie in the region."""
        snapped = np.clip(X, 0.0, 1.0)
        for part, _, columns in self._discrete():
            # From X and not from the clipped values, which would make a tie of 1.2 and 1.1.
            levels = part.index(X[:, columns].reshape(-1, part.width))
            snapped[:, columns] = part.at(levels).reshape(len(X), len(columns))
        return self.rest(snapped)

    def spread(self, U: Array) -> Array:
        """Points (m, dim) from one coordinate per axis; uniform U gives every level its share. They need not lie in the
        region."""
        X = np.empty((len(U), self.dim))
        X[:, self.flexible] = np.clip(U[:, [isinstance(part, Continuous) for part in self.parts]], 0.0, 1.0)
        for part, axes, columns in self._discrete():
            X[:, columns] = part.at(part.pick(U[:, axes].ravel())).reshape(len(U), len(columns))
        return self.rest(X)

    def neighbours(self, x: Array) -> Array:
        """The feasible points (k, dim) that differ from the feasible x in one discrete axis, in a fixed order: integers
        by one, categoricals by any other choice. Axes that become active with it start from where they rest, or from
        their first choice."""
        blocks = [np.empty((0, self.dim))]
        for part, _, columns in self._discrete():
            levels = part.moves(part.index(x[columns].reshape(-1, part.width)))
            (g, k), width = levels.shape, part.width
            block = np.tile(x, (g, k, 1))
            rows, own = np.arange(g)[:, None, None], np.reshape(columns, (g, 1, width))
            block[rows, np.arange(k)[:, None], own] = part.at(levels.ravel()).reshape(g, k, width)
            blocks.append(block.reshape(-1, self.dim))
        near = np.concatenate(blocks)
        if self.is_conditional:
            near = self.snap(near)
        moved: Array = near[(near != x).any(axis=1)]  # at the end of an axis, a move may lead nowhere
        return moved if self.region is None else moved[self.holds(moved)]

    def enumerate(self, limit: int) -> Array | None:
        """Every feasible point (size, dim) in lexicographic order of the levels; None if there are more than limit, or
        if it is not known how many there are."""
        size = self.size
        if size is None or size > limit:
            return None
        return self._list() if self.region is None else _listed(self)

    def condition(self, axis: int) -> Condition | None:
        """When the axis is active; None if always."""
        return self.conditions[axis] if self.conditions else None

    def brought(self, axis: int) -> list[int]:
        """How many other axes each level of a discrete axis brings along, at most."""
        part, inside = self.parts[axis], self._inside([1] * self.axes)[axis]
        assert not isinstance(part, Continuous)
        return [inside.get(level, 0) for level in range(part.size)]

    def families(self) -> Iterator[tuple[int, list[int], NDArray[np.bool_]]]:
        """Each parent with its children and a table (levels, children) of when they are active, parents first."""
        families: dict[int, list[int]] = {}
        for axis, condition in enumerate(self.conditions):
            if condition is not None:
                families.setdefault(condition.parent, []).append(axis)
        for parent in sorted(families):
            part, children = self.parts[parent], families[parent]
            assert not isinstance(part, Continuous)
            table = np.zeros((part.size, len(children)), dtype=bool)
            for column, child in enumerate(children):
                condition = self.conditions[child]
                assert condition is not None
                table[sorted(condition.levels), column] = True
            yield parent, children, table

    def _most(self, weights: list[int]) -> int:
        """The largest sum of weights of axes that are active at once."""
        inside = self._inside(weights)
        roots = [axis for axis in range(self.axes) if self.condition(axis) is None]
        return sum(weights[axis] + max(inside[axis].values(), default=0) for axis in roots)

    def _inside(self, weights: list[int]) -> list[dict[int, int]]:
        """For each axis and each of its levels with children, what those weigh that are active at once, at most."""
        inside: list[dict[int, int]] = [{} for _ in self.parts]
        for axis in reversed(range(self.axes)):
            condition, own = self.condition(axis), weights[axis] + max(inside[axis].values(), default=0)
            if condition is not None:
                for level in condition.levels:
                    inside[condition.parent][level] = inside[condition.parent].get(level, 0) + own
        return inside

    def _count(self) -> int:
        """How many points there are in a discrete cube, whatever the region."""
        inside: list[dict[int, int]] = [{} for _ in self.parts]  # for each level with children, how many they have
        total = 1
        for axis in reversed(range(self.axes)):
            part, condition = self.parts[axis], self.condition(axis)
            assert not isinstance(part, Continuous)
            own = part.size - len(inside[axis]) + sum(inside[axis].values())
            if condition is None:
                total *= own
                continue
            for level in condition.levels:
                inside[condition.parent][level] = inside[condition.parent].get(level, 1) * own
        return total

    def _list(self) -> Array:
        """Every point of a discrete cube, whatever the region, in lexicographic order of the levels."""
        if self.is_conditional:
            return self._list_conditional()
        size = self._count()
        X, rows = np.empty((size, self.dim)), np.arange(size, dtype=np.int64)[:, None]
        periods = size // np.cumprod([part.size for part in self.parts if not isinstance(part, Continuous)])
        for part, axes, columns in self._discrete():
            X[:, columns] = part.at((rows // periods[axes] % part.size).ravel()).reshape(size, len(columns))
        return X

    def _list_conditional(self) -> Array:
        """Axis by axis: where it is active, each row is repeated once for every level."""
        X, start = self.resting[None], 0
        for part in self.parts:
            assert not isinstance(part, Continuous)
            copies = np.where(self.active(X)[:, start], part.size, 1)
            first = np.repeat(np.cumsum(copies) - copies, copies)
            X, active = np.repeat(X, copies, axis=0), np.repeat(copies > 1, copies) | (part.size == 1)
            levels = part.at(np.arange(len(X)) - first)
            X[:, start : start + part.width] = np.where(active[:, None], levels, X[:, start : start + part.width])
            start += part.width
        return self.rest(X)

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


@lru_cache(maxsize=8)
def _listed(cube: Cube) -> Array | None:
    """Every feasible point of a discrete cube with a region; None if there are too many others to look at."""
    if cube._count() > LISTABLE:
        return None
    everything = cube._list()
    feasible = everything[cube.holds(everything)]
    feasible.flags.writeable = False
    return feasible
