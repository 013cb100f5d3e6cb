"""Which points may not be proposed, and what to propose in their place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.inside import scattered
from nonstop.acquisition.maximize import ENUMERABLE, among, keys
from nonstop.acquisition.rule import Choice
from nonstop.space.cube import Cube
from nonstop.types import Array

#: Two points are the same query if they are closer than APART in every continuous column and closer than SAME, which
#: allows for rounding errors, in every discrete one. The maximiser finds the same maximum again to about 1e-4, so that
#: a point closer than APART would tell nothing new.
APART, SAME = 5e-4, 1e-6

_BLOCKS, _BLOCK = 16, 64  # of random points, tried if no runner-up is free


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Points (t, d) that may not be proposed. `tolerance` (d,) says how close to one of them is too close."""

    points: Array
    cube: Cube
    tolerance: Array

    @classmethod
    def of(cls, points: Sequence[Array], cube: Cube) -> Taken:
        taken, tolerance = np.concatenate(points), np.where(cube.flexible, APART, SAME)
        if cube.is_discrete:  # without rounding errors, points can be looked up instead of compared one by one
            exact = cube.snap(taken)
            taken = np.where((np.abs(exact - taken) < SAME).all(axis=1, keepdims=True), exact, taken)
        return cls(taken, cube, tolerance)

    def clashes(self, x: Array) -> Array:
        """The taken points that are the same query as x."""
        return self.points[(np.abs(self.points - x) < self.tolerance).all(axis=1)]

    def free(self, choice: Choice, rng: np.random.Generator) -> Choice:
        """The choice, if its point is free; else the best runner-up that is, else any free point. If no point is free,
        as in an exhausted discrete cube, the choice all the same."""
        if not self.cube.dim:  # there is one point only
            return choice
        legal = self._legal(choice.x[None])[0]
        if legal and not len(self.clashes(choice.x)):
            return choice
        known = keys(self.points)
        for points in chain([choice.others], self._anything(rng)):
            for x in points[~among(points, known) & self._legal(points)]:
                if not len(self.clashes(x)):
                    return replace(choice, x=x, value=math.nan)
        return choice if legal else replace(choice, x=scattered(self.cube, rng, 1)[0], value=math.nan)

    def _legal(self, points: Array) -> NDArray[np.bool_]:
        """Which of the points may be proposed at all. What our own search returns always may, but a rule of the user's
        own may overlook a constraint or a fixed value."""
        if self.cube.region is None and not self.cube.is_held:
            return np.ones(len(points), dtype=bool)
        off = np.abs(self.cube.snap(points) - points).max(axis=1, initial=0.0)
        exact: NDArray[np.bool_] = off < SAME
        return exact & self.cube.holds(points)

    def _anything(self, rng: np.random.Generator) -> Iterator[Array]:
        """All feasible points in random order, or, where they are too many, some random ones; in blocks."""
        everything = self.cube.enumerate(ENUMERABLE)
        if everything is not None:
            yield rng.permutation(everything)
            return
        yield from (scattered(self.cube, rng, _BLOCK) for _ in range(_BLOCKS))


def without(points: Array, others: Array) -> Array:
    """The points that are none of the others, rounding errors apart."""
    kept = [point for point in points if not (np.abs(others - point) < SAME).all(axis=1).any()]
    return np.array(kept).reshape(len(kept), points.shape[1])
