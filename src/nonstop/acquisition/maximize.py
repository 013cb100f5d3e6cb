"""Where an acquisition is largest: rank many candidates by a cheap estimate, then climb from the best few.

Candidates are quasi-random points (the paper's number is 1000 d) and points around the best observations, which
quasi-random points alone would miss in high dimension. In mixed spaces every candidate is feasible; the climb moves the
continuous columns and integers of many levels, which are rounded afterwards, and a walk over discrete neighbours moves
the others.

Where constraints leave a region of the cube, every candidate lies in it, a climb does not leave it, and the best few
go on along its border (border.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.border import slide
from nonstop.acquisition.inside import feasible_moves, retracted, topped_up
from nonstop.acquisition.rule import Acquisition, Choice
from nonstop.numerics.descent import Limits, minimize
from nonstop.numerics.linalg import row_dots
from nonstop.numerics.quasirandom import pattern
from nonstop.space.cube import Cube
from nonstop.types import Array

_BLOCK = 1024  # candidates ranked at once, at most: enough for BLAS to be efficient, few enough for the cache
_FEWEST = 512  # candidates, however few dimensions there are
_SHORTLIST = 256  # candidates whose exact value is computed; with 128, the best hill was missed on noisy data
_LOCAL_SCALES = (0.02, 0.5)  # of a lengthscale: how far local candidates lie from their observation
_MOVED = 20  # coordinates in which a local candidate differs from its observation, on average
_WALKERS = 3  # points from which to walk over discrete neighbours
_TOP = 3  # of a walker's neighbours, those from which to climb
_CLIMB = 200  # rounds of a climb, at most
_ROUNDS = 40  # of a climb in a region: one that met the border would not get further anyway
_SLIDERS = 4  # points that climb along the border of the region
_WALK = 32  # moves of a walker, at most; few take more than ten
ENUMERABLE = 8192  # in a discrete cube with at most so many points, all of them are candidates

#: The numbers that decide how thorough the search is in a continuous cube, by name, for the records of experiments.
EFFORT = {"fewest": _FEWEST, "shortlist": _SHORTLIST, "climb": _CLIMB, "around": _LOCAL_SCALES}


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
    #: Candidates to climb from.
    starts: int = 16
    #: Are there candidates around the centers?
    around: bool = True
    #: Rounds of a climb, at most.
    rounds: int = _CLIMB


@runtime_checkable
class Guide(Protocol):
    """An acquisition that knows better where to look for its maximum, and how thoroughly."""

    def guided(self, terrain: Terrain) -> Terrain:
        """The terrain, changed."""


def maximize(acquisition: Acquisition, terrain: Terrain, rng: np.random.Generator) -> Choice:
    """The best point found, and the other points that were evaluated, best first."""
    cube = terrain.cube
    everything = cube.enumerate(ENUMERABLE) if cube.is_discrete else None
    if everything is not None:
        points = _promising(acquisition, everything[_free(everything, terrain.taken)])
        return _ranked(points, acquisition.value(points))
    shortlist = _screen(acquisition, terrain, rng)
    values = acquisition.value(shortlist)
    starts = shortlist[_diverse(shortlist, values, terrain.lengthscales, terrain.starts)]
    x, value = _polish(acquisition, terrain, starts, cube.climbable)
    if not cube.is_continuous:
        x, value = _rounded(acquisition, terrain, x, value)
        x, value = _walk(acquisition, terrain, x, value)
    if cube.region is not None:
        x, value = _slid(acquisition, terrain, x, value)
    points, values = np.concatenate([x, shortlist]), np.concatenate([value, values])
    free = _free(points, terrain.taken)
    return _ranked(points[free], values[free])


def _promising(acquisition: Acquisition, points: Array) -> Array:
    """The points, if they are few; else the many with the largest estimated values, in the same order."""
    if len(points) <= _BLOCK:
        return points
    blocks = [acquisition.screen(points[i : i + _BLOCK]) for i in range(0, len(points), _BLOCK)]
    estimates = np.fmax(np.concatenate(blocks), -np.inf)  # NaN counts as the worst
    return points[np.sort(np.argsort(-estimates, kind="stable")[:_BLOCK])]


def _screen(acquisition: Acquisition, terrain: Terrain, rng: np.random.Generator) -> Array:
    """The candidates with the largest estimated values. Block by block, so that memory stays small."""
    cube = terrain.cube
    count = max(terrain.candidates * cube.dim, _FEWEST)
    blocks = -(-count // _BLOCK)
    size = -(-count // blocks)
    best, estimates, worst = np.empty((0, cube.dim)), np.empty(0), -np.inf
    for block in range(blocks + min(2, blocks) * terrain.around):
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
    shifted = pattern(_BLOCK, cube.axes)[:size] + rng.random(cube.axes)
    shifted -= np.floor(shifted)
    points = shifted if cube.is_continuous else cube.spread(shifted)
    return points if cube.region is None else topped_up(cube, points, rng)


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
    origins = centers[rng.integers(len(centers), size=size)]
    points = origins + rng.standard_normal((size, cube.dim)) * scale
    if not cube.is_continuous:
        redrawn = rng.random((size, cube.dim)) < 1.0 / cube.axes
        points = np.where(redrawn & ~cube.flexible, rng.random((size, cube.dim)), points)
    if cube.is_conditional:  # what was not active has no value to stay close to
        points = np.where(cube.active(origins), points, rng.random((size, cube.dim)))
    points = np.minimum(np.maximum(points, 0.0), 1.0) if cube.is_continuous else cube.snap(points)
    return points if cube.region is None else retracted(cube, origins, points)


def _diverse(points: Array, values: Array, lengthscales: Array, count: int) -> list[int]:
    """The best few that are not close to each other: within a tenth of a lengthscale, two would climb the same hill."""
    order = np.argsort(-values, kind="stable")
    Z = points[order] / lengthscales
    chosen: list[int] = []
    free = np.ones(len(order), dtype=bool)
    while len(chosen) < count and free.any():
        i = int(free.argmax())  # the first, and so the best, that is left
        chosen.append(int(order[i]))
        off = Z - Z[i]
        free &= row_dots(off, off) >= 0.01 * Z.shape[1]
    return chosen


def _polish(
    acquisition: Acquisition, terrain: Terrain, starts: Array, columns: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Climb from every start in these columns."""
    if not columns.any():
        return starts, acquisition.value(starts)

    def negative(P: Array) -> tuple[Array, Array]:
        value, gradient = acquisition.value_and_gradient(P)
        if terrain.cube.region is not None:  # a step out of the region was too long
            value = np.where(terrain.cube.holds(P), value, -np.inf)
        return -value, -gradient

    reach = np.minimum(terrain.lengthscales, 1.0)
    rounds = terrain.rounds if terrain.cube.region is None else min(terrain.rounds, _ROUNDS)
    found = minimize(
        negative,
        starts,
        np.where(columns, 0.0, starts),
        np.where(columns, 1.0, starts),
        Limits(tolerance=terrain.tolerance, longest=0.25, merge=0.02 * reach, rounds=rounds),
        np.diag(reach**2),
    )
    return found.x, -found.value


def _rounded(acquisition: Acquisition, terrain: Terrain, x: Array, value: Array) -> tuple[Array, Array]:
    """The points with their integers rounded, and climbed again in the continuous columns."""
    cube = terrain.cube
    if np.array_equal(cube.climbable, cube.flexible):  # no integer was moved
        return x, value
    x = cube.snap(x)
    return _polish(acquisition, terrain, x if cube.region is None else x[cube.holds(x)], cube.flexible)


def _slid(acquisition: Acquisition, terrain: Terrain, x: Array, value: Array) -> tuple[Array, Array]:
    """The points, and where the best few of them end along the border of the region."""
    cube, reach = terrain.cube, np.minimum(terrain.lengthscales, 1.0)
    feasible = cube.holds(x)
    x, value = x[feasible], value[feasible]
    best = np.argsort(-value, kind="stable")[:_SHORTLIST]
    ends: list[tuple[Array, float]] = []
    for start in x[best[_apart(x[best], reach)[:_SLIDERS]]]:
        columns = cube.flexible & cube.active(start[None])[0]
        if columns.any():
            ends.append(slide(acquisition, cube, start, columns, reach, terrain.tolerance))
    points = [end for end, _ in ends]
    return np.concatenate([x, np.reshape(points, (-1, cube.dim))]), np.append(value, [height for _, height in ends])


def _apart(points: Array, reach: Array) -> NDArray[np.intp]:
    """The rows that are not close to an earlier one."""
    first = [i for i, point in enumerate(points) if not (np.abs(points[:i] - point) < 0.02 * reach).all(axis=1).any()]
    return np.array(first, dtype=np.intp)


def _walk(acquisition: Acquisition, terrain: Terrain, x: Array, value: Array) -> tuple[Array, Array]:
    """From each of the best points, move to a better discrete neighbour as long as there is one, and climb in the
    continuous columns after every move. All walkers share the calls of the acquisition."""
    order = np.argsort(-value, kind="stable")[:_WALKERS]
    points, heights = x[order], value[order]
    if not len(points) or not len(_near(terrain.cube, points[0])):  # every discrete axis has a single level
        return x, value
    ends, end_values = [x], [value]
    for _ in range(_WALK):
        walker, near, near_values = _steps(acquisition, terrain.cube, points, heights)
        ends.append(near)
        end_values.append(near_values)
        top = np.concatenate([_best(near_values, walker == i, _TOP) for i in range(len(points))])
        walker, near, near_values = walker[top], near[top], near_values[top]
        if terrain.cube.flexible.any():
            near, near_values = _polish(acquisition, terrain, near, terrain.cube.flexible)
            ends.append(near)
            end_values.append(near_values)
        best = np.concatenate([_best(near_values, walker == i, 1) for i in range(len(points))])
        best = best[near_values[best] > heights[walker[best]] + terrain.tolerance]
        if not len(best):
            break
        points, heights = near[best], near_values[best]
    return np.concatenate(ends), np.concatenate(end_values)


def _best(values: Array, among: NDArray[np.bool_], count: int) -> NDArray[np.intp]:
    """The indices of the largest values among some, best first."""
    rows = np.flatnonzero(among)
    return rows[np.argsort(-values[rows], kind="stable")[:count]]


def _steps(
    acquisition: Acquisition, cube: Cube, points: Array, heights: Array
) -> tuple[NDArray[np.intp], Array, Array]:
    """Where each walker may go next: all neighbours of its point, and the best of them together. With each step, the
    index of its walker and its value."""
    near = [_near(cube, point) for point in points]
    values = np.split(acquisition.value(np.concatenate(near)), np.cumsum([len(block) for block in near])[:-1])
    far = []
    for point, height, block, value in zip(points, heights, near, values, strict=True):
        better = _best(value, value > height, len(value))
        far.append(_together(cube, point, block[better]))
    walker = np.concatenate(
        [np.repeat(np.arange(len(points)), [len(block) for block in steps]) for steps in (near, far)]
    )
    further = np.concatenate(far)
    if len(further):
        values.append(acquisition.value(further))
    return walker, np.concatenate([*near, further]), np.concatenate(values)


def _near(cube: Cube, x: Array) -> Array:
    """Where a walker may go from x."""
    return cube.neighbours(x) if cube.region is None else feasible_moves(cube, x)


def _together(cube: Cube, point: Array, near: Array) -> Array:
    """The moves from a point to its neighbours, best first, made together: the first two, four, eight, ... of them, of
    each axis the first only. Moves one by one would be as many as there are axes."""
    changed = near != point
    _, first = np.unique(cube.owners[changed.argmax(axis=1)], return_index=True)
    near, changed = near[np.sort(first)], changed[np.sort(first)]
    if len(near) < 2:
        return near[:0]
    counts = np.minimum(2 ** np.arange(1, (len(near) - 1).bit_length() + 1), len(near))
    mover = np.where(changed.any(axis=0), changed.argmax(axis=0), len(near))
    moved = np.concatenate([near, point[None]])[mover, np.arange(cube.dim)]
    steps = np.where(mover < counts[:, None], moved, point)
    if cube.is_conditional:  # a move may have made the others inactive
        steps = cube.snap(steps)
    return steps if cube.region is None else steps[cube.holds(steps)]


def _ranked(points: Array, values: Array) -> Choice:
    """The points sorted, best first."""
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")
    return Choice(points[order[0]], float(values[order[0]]), points[order[1:]])


def _free(points: Array, taken: Array) -> NDArray[np.bool_]:
    """Which of the points are not taken; all of them, if none is free."""
    free = ~among(points, keys(taken)) if len(taken) else np.ones(len(points), dtype=bool)
    return free if free.any() else ~free


def keys(points: Array) -> frozenset[object]:
    """The points as a set in which others can be looked up."""
    return frozenset(_rows(points))


def among(points: Array, known: frozenset[object]) -> NDArray[np.bool_]:
    """Which of the points are known, compared byte by byte: feasible points of a discrete cube are exact."""
    return np.fromiter(map(known.__contains__, _rows(points)), dtype=bool, count=len(points))


def _rows(points: Array) -> Sequence[object]:
    """The bytes of each row; adding 0.0 makes 0.0 of -0.0."""
    rows = np.ascontiguousarray(points) + 0.0
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel().tolist()
