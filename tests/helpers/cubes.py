"""Random cubes with conditions and regions, and regions to search in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.space.axes import Axis, Continuous, Levels, OneHot
from nonstop.space.cube import Condition, Cube, Region
from nonstop.types import Array


@dataclass(frozen=True)
class HalfSpaces:
    """Points with normals . x <= offsets: one inequality for each row."""

    normals: tuple[tuple[float, ...], ...]
    offsets: tuple[float, ...]
    blind: bool = False  # has no margin

    def _slack(self, X: Array) -> Array:
        slack: Array = np.min(np.array(self.offsets) - X @ np.array(self.normals).T, axis=1)
        return slack

    def holds(self, X: Array) -> NDArray[np.bool_]:
        return self._slack(X) >= 0.0

    def margin(self, X: Array) -> Array | None:
        return None if self.blind else self._slack(X)


@dataclass(frozen=True)
class Ball:
    """Points within the radius of the centre, or those outside of it; columns in which the centre is NaN are free."""

    centre: tuple[float, ...]
    radius: float
    outside: bool = False
    blind: bool = False

    def _slack(self, X: Array) -> Array:
        off = np.nan_to_num(X - np.array(self.centre), nan=0.0)
        slack: Array = self.radius**2 - np.square(off).sum(axis=1)
        return -slack if self.outside else slack

    def holds(self, X: Array) -> NDArray[np.bool_]:
        return self._slack(X) >= 0.0

    def margin(self, X: Array) -> Array | None:
        return None if self.blind else self._slack(X)


@dataclass(frozen=True)
class Nowhere:
    """No point at all; `blind` has no margin."""

    blind: bool = True

    def holds(self, X: Array) -> NDArray[np.bool_]:
        return np.zeros(len(X), dtype=bool)

    def margin(self, X: Array) -> Array | None:
        return None if self.blind else np.full(len(X), -1.0)


def random_cube(rng: np.random.Generator, most: int = 6, discrete: bool = False) -> Cube:
    """Some axes, about half of them with a condition on an earlier discrete one; at least one if there are two axes."""
    parts: list[Axis] = []
    conditions: list[Condition | None] = []
    for axis in range(int(rng.integers(1, most + 1))):
        kinds: list[Axis] = [Levels(int(rng.integers(2, 5))), OneHot(int(rng.integers(1, 5))), Levels(12, first=1)]
        kinds += [] if discrete else [Continuous(), Continuous(), Continuous()]
        part = OneHot(3) if axis == 0 and rng.random() < 0.7 else kinds[rng.integers(len(kinds))]
        parents = [i for i, other in enumerate(parts) if not isinstance(other, Continuous)]
        condition = None
        if parents and rng.random() < 0.6:
            parent = int(rng.choice(parents))
            size = parts[parent].size  # type: ignore[union-attr]
            some = rng.permutation(size)[: rng.integers(1, max(size, 2))]
            condition = Condition(parent, frozenset(some.tolist()))
        parts.append(part)
        conditions.append(condition)
    return Cube(tuple(parts), tuple(conditions) if any(conditions) else ())


def random_region(rng: np.random.Generator, cube: Cube) -> Region:
    """A region that contains at least one point of the cube: a half space, a corner of two, a ball or its outside."""
    inside = cube.spread(rng.random((1, cube.axes)))[0]
    kind = rng.integers(4)
    blind = bool(rng.random() < 0.3)
    if kind < 2:
        normals = rng.standard_normal((kind + 1, cube.dim))
        offsets = normals @ inside + rng.exponential(0.3, kind + 1)
        return HalfSpaces(tuple(map(tuple, normals.tolist())), tuple(offsets.tolist()), blind)
    if kind == 2:
        return Ball(tuple(inside.tolist()), float(rng.uniform(0.1, 1.0)), blind=blind)
    centre = np.clip(inside + rng.choice([-0.4, 0.4], cube.dim), -0.5, 1.5)
    distance = float(np.linalg.norm(inside - centre))
    return Ball(tuple(centre.tolist()), float(rng.uniform(0.3, 1.0)) * distance, outside=True, blind=blind)
