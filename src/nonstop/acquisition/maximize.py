"""Where an acquisition is largest: rank many candidates by a cheap estimate, then climb from the best few.

Candidates are quasi-random points (the paper's number is 1000 d) and points around the best observations, which
quasi-random points alone would miss in high dimension. In mixed spaces every candidate is feasible; the climb moves the
continuous columns only, and a search over discrete neighbours moves the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.rule import Acquisition, Choice
from nonstop.numerics.descent import Limits, minimize
from nonstop.numerics.linalg import row_dots
from nonstop.numerics.quasirandom import halton
from nonstop.space.cube import Cube
from nonstop.types import Array

_BLOCK = 1024  # candidates ranked at once, at most: enough for BLAS to be efficient, few enough for the cache
_FEWEST = 512  # candidates, however few dimensions there are
_SHORTLIST = 256  # candidates whose exact value is computed; with 128, the best hill was missed on noisy data
_STARTS = 16  # candidates to climb from
_LOCAL_SCALES = (0.02, 0.5)  # of a lengthscale: how far local candidates lie from their observation
_MOVED = 20  # coordinates in which a local candidate differs from its observation, on average
ENUMERABLE = 8192  # in a discrete cube with at most so many points, all of them are evaluated


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """Where to look for the maximum, and how thoroughly."""

    #: Which points are feasible.
    cube: Cube
    #: The distances over which the acquisition changes, one for each dimension.
    lengthscales: Array
    #: Observations to search around, best first.
    centers: Array
    #: Points that may not be chosen. They are compared exactly, which only makes sense in discrete cubes.
    taken: Array
    #: A climb ends when it expects to gain less than this.
    tolerance: float = 1e-6
    #: Quasi-random candidates for each dimension, at least.
    candidates: int = 1000


def maximize(acquisition: Acquisition, terrain: Terrain, rng: np.random.Generator) -> Choice:
    """The best point found, and the other points that were evaluated, best first."""
    cube = terrain.cube
    everything = cube.enumerate(ENUMERABLE) if cube.is_discrete else None
    if everything is not None:
        return _ranked(everything, acquisition.value(everything), terrain)
    shortlist = _screen(acquisition, terrain, rng)
    values = acquisition.value(shortlist)
    starts = shortlist[_diverse(shortlist, values, terrain.lengthscales)]
    x, value = _polish(acquisition, terrain, starts)
    if not cube.is_continuous:
        x, value = _walk(acquisition, terrain, x, value)
    return _ranked(np.concatenate([x, shortlist]), np.concatenate([value, values]), terrain)


def _screen(acquisition: Acquisition, terrain: Terrain, rng: np.random.Generator) -> Array:
    """The candidates with the largest estimated values. Block by block, so that memory stays small."""
    cube = terrain.cube
    count = max(terrain.candidates * cube.dim, _FEWEST)
    blocks = -(-count // _BLOCK)
    size = -(-count // blocks)
    best, estimates, worst = np.empty((0, cube.dim)), np.empty(0), -np.inf
    for block in range(blocks + min(2, blocks)):
        points = _global(cube, rng, size) if block < blocks else _local(terrain, rng, size)
        values = np.fmax(acquisition.screen(points), -np.inf)  # NaN counts as the worst
        if len(best):  # drop at once what is worse than the whole shortlist
            enters = np.flatnonzero(values > worst)
            points, values = points.take(enters, axis=0), values[enters]
        best, estimates = np.concatenate([best, points]), np.concatenate([estimates, values])
        if len(best) > _SHORTLIST:  # a partition takes a twentieth of the time of a sort
            worst = np.partition(estimates, -_SHORTLIST)[-_SHORTLIST]
            keep = np.flatnonzero(estimates >= worst)
            best, estimates = best.take(keep, axis=0), estimates[keep]
    return np.asarray(best[np.argsort(-estimates, kind="stable")[:_SHORTLIST]])


def _global(cube: Cube, rng: np.random.Generator, size: int) -> Array:
    """A block of quasi-random points, all shifted by the same random vector, modulo 1."""
    shifted = _pattern(cube.axes)[:size] + rng.random(cube.axes)
    shifted -= np.floor(shifted)
    return shifted if cube.is_continuous else cube.spread(shifted)


@lru_cache(maxsize=4)
def _pattern(d: int) -> Array:
    pattern = halton(_BLOCK, d, seed=0)
    pattern.flags.writeable = False
    return pattern


def _local(terrain: Terrain, rng: np.random.Generator, size: int) -> Array:
    """Points around the best observations, at distances of up to about half a lengthscale. In high dimension each
    differs from its observation in some coordinates only: with all of them changed, none would stay close to it."""
    cube, centers = terrain.cube, terrain.centers
    if not len(centers):
        return _global(cube, rng, size)
    low, high = np.log(_LOCAL_SCALES)
    scale = np.exp(rng.uniform(low, high, size=(size, 1))) * np.minimum(terrain.lengthscales, 1.0)
    if cube.dim > _MOVED:
        scale *= rng.random((size, cube.dim)) < _MOVED / cube.dim
    points = centers[rng.integers(len(centers), size=size)] + rng.standard_normal((size, cube.dim)) * scale
    if not cube.is_continuous:
        redrawn = rng.random((size, cube.dim)) < 1.0 / cube.axes
        points = np.where(redrawn & ~cube.flexible, rng.random((size, cube.dim)), points)
    return np.minimum(np.maximum(points, 0.0), 1.0) if cube.is_continuous else cube.snap(points)


def _diverse(points: Array, values: Array, lengthscales: Array) -> list[int]:
    """The best few that are not close to each other: within a tenth of a lengthscale, two would climb the same hill."""
    order = np.argsort(-values, kind="stable")
    Z = points[order] / lengthscales
    chosen: list[int] = []
    free = np.ones(len(order), dtype=bool)
    while len(chosen) < _STARTS and free.any():
        i = int(free.argmax())  # the first, and so the best, that is left
        chosen.append(int(order[i]))
        off = Z - Z[i]
        free &= row_dots(off, off) >= 0.01 * Z.shape[1]
    return chosen


def _polish(acquisition: Acquisition, terrain: Terrain, starts: Array) -> tuple[Array, Array]:
    """Climb from every start in the continuous columns."""
    flexible = terrain.cube.flexible
    if not flexible.any():
        return starts, acquisition.value(starts)

    def negative(P: Array) -> tuple[Array, Array]:
        value, gradient = acquisition.value_and_gradient(P)
        return -value, -gradient

    reach = np.minimum(terrain.lengthscales, 1.0)
    found = minimize(
        negative,
        starts,
        np.where(flexible, 0.0, starts),
        np.where(flexible, 1.0, starts),
        Limits(tolerance=terrain.tolerance, longest=0.25, merge=0.02 * reach),
        np.diag(reach**2),
    )
    return found.x, -found.value


def _walk(acquisition: Acquisition, terrain: Terrain, x: Array, value: Array) -> tuple[Array, Array]:
    """From each of the three best points, move to the best discrete neighbour as long as that is an improvement, and
    climb in the continuous columns after every move."""
    order = np.argsort(-value, kind="stable")[:3]
    ends, end_values = [x], [value]
    for point, height in zip(x[order], value[order], strict=True):
        for _ in range(4 * terrain.cube.axes):
            near = terrain.cube.neighbours(point)
            if not len(near):  # every discrete axis has a single level
                break
            near_values = acquisition.value(near)
            top = np.argsort(-near_values, kind="stable")[:3]
            ends.append(near)
            end_values.append(near_values)
            polished, heights = _polish(acquisition, terrain, near[top])
            ends.append(polished)
            end_values.append(heights)
            best = int(np.argmax(heights))
            if heights[best] <= height + 1e-9:
                break
            point, height = polished[best], heights[best]
    return np.concatenate(ends), np.concatenate(end_values)


def _ranked(points: Array, values: Array, terrain: Terrain) -> Choice:
    """The points sorted, best first, without those that are taken, unless all are."""
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")
    if len(terrain.taken):
        free = ~_among(points[order], terrain.taken)
        order = order[free] if free.any() else order
    return Choice(points[order[0]], float(values[order[0]]), points[order[1:]])


def _among(points: Array, taken: Array) -> NDArray[np.bool_]:
    """Which of the points are in `taken`, compared byte by byte: feasible points of a discrete cube are exact."""
    known = {row.tobytes() for row in np.ascontiguousarray(taken) + 0.0}
    return np.array([row.tobytes() in known for row in np.ascontiguousarray(points) + 0.0], dtype=bool)
