"""Points inside the region that the known constraints of a space leave.

Where at least one quasi-random point in sixty-four is feasible, the others are simply left out. In a thinner region the
few feasible points that a long sequence finds (with the help of the margin, if there is one) are the start of random
walks: each step goes along a random line and draws from the feasible part of it, so that in the end the points are
spread over the region. Everything is a function of the cube and the numbers given, the same in every process.

Symbols: U (m, axes) one coordinate in [0, 1] for each axis; X (m, dim) the points that they stand for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from nonstop.errors import SpaceError
from nonstop.numerics.quasirandom import halton
from nonstop.numerics.seeds import generator
from nonstop.space.axes import Held
from nonstop.space.cube import LISTABLE, Cube
from nonstop.types import Array

_BLOCK = 4096  # points looked at together
_WIDE = 64  # feasible points of the first block that make a region a wide one
_MOST = 2**17  # quasi-random points looked at before a region is taken to be empty: a 10,000th of the box is not missed
_POOL = 512  # points kept of a thin region
_SWEEPS = 24  # steps of the random walks that spread them
_SHRINKS = 12  # tries to find a feasible point on a line, each on a shorter part of it
_CLIMBERS, _CLIMBS = 64, 100  # points that climb the margin, and their steps
_HALVINGS = 6  # of the way back to a feasible point
_PAIRED = 40  # moves of which all pairs are looked at
_SOURCE = 0x1D51DE  # of the walks that belong to a cube


def filling(cube: Cube, seed: int, start: int, count: int) -> Array:
    """Points start .. start + count - 1 of the seed's sequence of feasible points, which fill the region evenly."""
    if cube.region is None:
        return cube.spread(halton(count, cube.axes, seed, start))
    if _is_wide(cube):
        return _accepted(cube, seed, start, count)
    ordered = _ordered(cube, seed)
    listed = ordered[start : start + count]
    further = range(start + len(listed), start + count)
    return np.concatenate([listed, *(scattered(cube, generator(seed, number), 1) for number in further)])


def scattered(cube: Cube, rng: np.random.Generator, count: int) -> Array:
    """Feasible points at random."""
    if cube.region is None:
        return cube.spread(rng.random((count, cube.axes)))
    points = cube.spread(rng.random((count, cube.axes)))
    return topped_up(cube, points, rng)


def topped_up(cube: Cube, points: Array, rng: np.random.Generator) -> Array:
    """Those of the points that are feasible, and in place of the others as many random ones."""
    kept = points[cube.holds(points)]
    missing = len(points) - len(kept)
    if not missing:
        return kept
    pool = _pool(cube)
    U = pool[rng.integers(len(pool), size=missing)]
    for _ in range(2):
        U = _moved(cube, U, rng)
    return np.concatenate([kept, cube.spread(U)])


def retracted(cube: Cube, origins: Array, targets: Array) -> Array:
    """The targets that are feasible; in place of the others, points on the way back to their feasible origins."""
    found, share = targets.copy(), 1.0
    bad = np.flatnonzero(~cube.holds(found))
    for _ in range(_HALVINGS):
        if not len(bad):
            return found
        share *= 0.5
        found[bad] = cube.snap(origins[bad] + share * (targets[bad] - origins[bad]))
        bad = bad[~cube.holds(found[bad])]
    found[bad] = origins[bad]
    return found


def feasible_moves(cube: Cube, x: Array) -> Array:
    """The feasible points (k, dim) one move to a neighbour away from x, and where some of these moves lead out of the
    region, those that are two moves away."""
    near = replace(cube, region=None).neighbours(x)
    holds = cube.holds(near)
    return near if holds.all() else np.concatenate([near[holds], _double_moves(cube, x, near)])


def _double_moves(cube: Cube, x: Array, near: Array) -> Array:
    near = near[np.unique(np.linspace(0, len(near) - 1, _PAIRED).astype(int))] if len(near) > _PAIRED else near
    changed = near != x
    one, other = np.triu_indices(len(near), 1)
    apart = ~(changed[one] & changed[other]).any(axis=1)
    one, other = one[apart], other[apart]
    pairs = cube.snap(np.where(changed[other], near[other], near[one]))
    return pairs[cube.holds(pairs)]


def _is_wide(cube: Cube) -> bool:
    return len(_block(cube, 0, 0)) >= _WIDE


@lru_cache(maxsize=64)
def _block(cube: Cube, seed: int, number: int) -> Array:
    """The feasible points of one block of the seed's Halton sequence."""
    X = cube.spread(halton(_BLOCK, cube.axes, seed, start=number * _BLOCK))
    feasible = X[cube.holds(X)]
    feasible.flags.writeable = False
    return feasible


def _accepted(cube: Cube, seed: int, start: int, count: int) -> Array:
    """The feasible ones among the seed's Halton points, numbered without the others."""
    found: list[Array] = []
    passed, number = 0, 0
    while passed < start + count:
        block = _block(cube, seed, number)
        found.append(block[max(start - passed, 0) : max(start + count - passed, 0)])
        passed, number = passed + len(block), number + 1
        if number * _BLOCK > _MOST and not passed:
            raise _empty(cube, number * _BLOCK)
    return np.concatenate(found)


@lru_cache(maxsize=32)
def _ordered(cube: Cube, seed: int) -> Array:
    """All points of a small discrete region in random order, or those of the pool of a thin one, each next one as far
    as possible from those before it."""
    everything = cube.enumerate(LISTABLE) if cube.is_discrete else None
    if everything is not None:
        if not len(everything):
            raise _empty(cube, replace(cube, region=None).size or 0)
        return generator(seed, _SOURCE).permutation(everything)
    X = np.unique(cube.spread(_pool(cube)), axis=0)
    Z = X / np.maximum(X.std(axis=0), 1e-9)
    order = [int(generator(seed, _SOURCE).integers(len(X)))]
    nearest = np.full(len(X), np.inf)
    while len(order) < len(X):
        nearest = np.minimum(nearest, np.square(Z - Z[order[-1]]).sum(axis=1))
        order.append(int(nearest.argmax()))
    return X[order]


@lru_cache(maxsize=32)
def _pool(cube: Cube) -> Array:
    """Coordinates U (k, axes) of feasible points all over the region; SpaceError if none is found."""
    found, tried = np.empty((0, cube.axes)), 0
    best: list[tuple[Array, Array]] = []  # of each block, the points that come closest
    for U in _long_sequence(cube):
        X = cube.spread(U)
        holds, tried = cube.holds(X), tried + len(U)
        found = np.concatenate([found, U[holds]])
        if len(found) >= _POOL:
            return found[:_POOL]
        if not len(found):
            best.append(_closest(cube, U, X))
    if not len(found):
        found, climbed = _climbed(cube, best)
        tried += climbed
    if not len(found):
        raise _empty(cube, tried)
    return _spread_out(cube, found)


def _long_sequence(cube: Cube) -> Iterator[Array]:
    return (halton(_BLOCK, cube.axes, 0, start) for start in range(0, _MOST, _BLOCK))


def _spread_out(cube: Cube, found: Array) -> Array:
    """As many points as a pool has, by random walks from those that were found."""
    rng = generator(_SOURCE)
    U = found[np.arange(_POOL) % len(found)]
    for _ in range(_SWEEPS):
        U = _moved(cube, U, rng)
    U[: len(found)] = found
    return U


def _moved(cube: Cube, U: Array, rng: np.random.Generator) -> Array:
    """One step of a random walk from each row of U: along all axes, or two of them, or one; to a random point of the
    line, or if that is not feasible, of the shorter part of the line on this side of it, and so on."""
    m, axes = U.shape
    along = rng.standard_normal((m, axes))
    some = rng.random((m, axes)).argsort(axis=1) < rng.choice([1, 2, axes], size=(m, 1))
    along = np.where(some, along, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.sort(np.stack([-U / along, (1.0 - U) / along]), axis=0)
    low = np.where(some, ends[0], -np.inf).max(axis=1, initial=-np.inf)
    high = np.where(some, ends[1], np.inf).min(axis=1, initial=np.inf)
    moved, left = U.copy(), np.arange(m)
    for _ in range(_SHRINKS):
        t = low[left] + rng.random(len(left)) * (high[left] - low[left])
        trial = np.clip(U[left] + t[:, None] * along[left], 0.0, 1.0)
        holds = cube.holds(cube.spread(trial))
        moved[left[holds]] = trial[holds]
        low[left] = np.where(t < 0.0, t, low[left])
        high[left] = np.where(t >= 0.0, t, high[left])
        left = left[~holds]
        if not len(left):
            break
    return moved


def _margins(cube: Cube, X: Array) -> Array:
    margin = cube.region.margin(X) if cube.region is not None else None
    return np.full(len(X), -np.inf) if margin is None else np.nan_to_num(margin, nan=-np.inf)


def _closest(cube: Cube, U: Array, X: Array) -> tuple[Array, Array]:
    margin = _margins(cube, X)
    order = np.argsort(-margin, kind="stable")[:_CLIMBERS]
    return U[order], margin[order]


def _climbed(cube: Cube, best: list[tuple[Array, Array]]) -> tuple[Array, int]:
    """Feasible points that climbs of the margin find, by random steps of a length that adapts itself; and how many
    points were looked at."""
    U, margin = (np.concatenate(parts) for parts in zip(*best, strict=True))
    order = np.argsort(-margin, kind="stable")[:_CLIMBERS]
    U, margin = U[order], margin[order]
    if margin.max(initial=-np.inf) == -np.inf:
        return U[:0], 0
    rng, length, tried = generator(_SOURCE), np.full(len(U), 0.1), 0
    for _ in range(_CLIMBS):
        some = rng.random(U.shape) < rng.choice([1.0 / cube.axes, 1.0], size=(len(U), 1))
        trial = np.clip(U + length[:, None] * np.where(some, rng.standard_normal(U.shape), 0.0), 0.0, 1.0)
        reached, tried = _margins(cube, cube.spread(trial)), tried + len(U)
        better = reached > margin
        U, margin = np.where(better[:, None], trial, U), np.where(better, reached, margin)
        length = np.where(better, 2.0 * length, 0.8 * length).clip(1e-7, 0.5)
    return U[cube.holds(cube.spread(U))], tried


def _empty(cube: Cube, tried: int) -> SpaceError:
    fixed = " and the fixed values" if any(isinstance(part, Held) for part in cube.parts) else ""
    return SpaceError(
        f"the constraints{fixed} seem to leave no point: {tried} points were tried, and none of them is feasible"
    )
