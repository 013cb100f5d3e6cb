"""Where an acquisition is largest: screen many candidates, polish the best few together.

Candidates are quasi-random points (the paper's number is 1000 d) and points around the best observations, which a pure
quasi-random screen misses in high dimension. In mixed spaces every candidate is a real, rounded point; the polish moves
the continuous columns only, and a search over discrete neighbours moves the others.
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

_BLOCK = 1024  # candidates screened at once, at most: large enough for BLAS, small enough for the cache
_FEWEST = 512  # candidates, however few dimensions there are
_SHORTLIST = 256  # candidates whose exact value is computed; with half of them, noisy data lose their best hill
_STARTS = 16  # candidates that are polished
_LOCAL_SCALES = (0.02, 0.5)  # of a lengthscale: how far candidates lie from the observation they surround
_MOVED = 20  # coordinates, on average, that such a candidate moves
ENUMERABLE = 8192  # a discrete cube up to this size is searched completely


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """Where to look: the cube, lengthscales that say how far is far, observations worth searching around (best first),
    points that may not be chosen (only discrete cubes need them), how much of the acquisition may be left, and how many
    quasi-random candidates there are to be for each dimension, at least."""

    cube: Cube
    lengthscales: Array
    centers: Array
    taken: Array
    tolerance: float = 1e-6
    candidates: int = 1000


def maximize(acquisition: Acquisition, terrain: Terrain, rng: np.random.Generator) -> Choice:
    """The best point found, and the next best ones."""
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
    """The candidates with the largest estimated values, block by block so that memory stays small."""
    cube = terrain.cube
    count = max(terrain.candidates * cube.dim, _FEWEST)
    blocks = -(-count // _BLOCK)
    size = -(-count // blocks)
    best, estimates, worst = np.empty((0, cube.dim)), np.empty(0), -np.inf
    for block in range(blocks + min(2, blocks)):
        points = _global(cube, rng, size) if block < blocks else _local(terrain, rng, size)
        values = np.fmax(acquisition.screen(points), -np.inf)  # without NaN
        if len(best):  # only what beats the worst of the list can enter it
            enters = np.flatnonzero(values > worst)
            points, values = points.take(enters, axis=0), values[enters]
        best, estimates = np.concatenate([best, points]), np.concatenate([estimates, values])
        if len(best) > _SHORTLIST:  # a partition keeps their order, and costs a twentieth of a sort
            worst = np.partition(estimates, -_SHORTLIST)[-_SHORTLIST]
            keep = np.flatnonzero(estimates >= worst)
            best, estimates = best.take(keep, axis=0), estimates[keep]
    return np.asarray(best[np.argsort(-estimates, kind="stable")[:_SHORTLIST]])


def _global(cube: Cube, rng: np.random.Generator, size: int) -> Array:
    """A block of quasi-random points, shifted at random around the torus."""
    shifted = _pattern(cube.axes)[:size] + rng.random(cube.axes)
    shifted -= np.floor(shifted)
    return shifted if cube.is_continuous else cube.spread(shifted)


@lru_cache(maxsize=4)
def _pattern(d: int) -> Array:
    pattern = halton(_BLOCK, d, seed=0)
    pattern.flags.writeable = False
    return pattern


def _local(terrain: Terrain, rng: np.random.Generator, size: int) -> Array:
    """Points around the best observations, at all scales below a lengthscale; in high dimension each moves only some
    coordinates, because moving all of them never comes close to anything."""
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
    """The best few that are not next to each other: within a tenth of a lengthscale they would climb the same hill."""
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
    """From each of the best polished points, move to the best discrete neighbour while that is an improvement, and
    polish again after every move."""
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
    """Best first, without the points that are taken, unless all are."""
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")
    if len(terrain.taken):
        free = ~_among(points[order], terrain.taken)
        order = order[free] if free.any() else order
    return Choice(points[order[0]], float(values[order[0]]), points[order[1:]])


def _among(points: Array, taken: Array) -> NDArray[np.bool_]:
    """Which of the (feasible) points are in `taken`: exact, because feasible discrete points are exact."""
    known = {row.tobytes() for row in np.ascontiguousarray(taken) + 0.0}
    return np.array([row.tobytes() in known for row in np.ascontiguousarray(points) + 0.0], dtype=bool)
