"""The best compromises between several objectives: NSGA-II (Deb et al. 2002), as far as AEGIS needs it.

pymoo and pygmo have it too, but each is a larger dependency than nonstop itself.

Symbols: points (m, d) of the cube; values (m, k), all to be maximised; rank 0 are the points that no other dominates,
rank 1 those that only rank 0 dominates, and so on; crowding is how far the neighbours of the same rank are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.inside import retracted
from nonstop.space.cube import Cube
from nonstop.types import Array

_SPREAD = 20.0  # distribution index of crossover and mutation: with larger ones, children are closer to their parents
_CROSSED = 0.9  # probability that two parents are crossed at all


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """Points that do not dominate each other, and their values."""

    points: Array
    values: Array


def pareto_front(
    objectives: Callable[[Array], Array],
    start: Array,
    cube: Cube,
    rng: np.random.Generator,
    generations: int = 40,
) -> Front:
    """Evolve the population `start` for some generations; those of the last one that no other dominates."""
    points, values = start, objectives(start)
    rank, crowding = standing(values)
    for _ in range(generations):
        parents = points[_tournament(rank, crowding, rng)]
        children = np.clip(_mutated(_crossed(parents, rng), rng), 0.0, 1.0)
        children = children if cube.is_continuous else cube.snap(children)
        children = children if cube.region is None else retracted(cube, parents, children)
        points, values = np.concatenate([points, children]), np.concatenate([values, objectives(children)])
        rank, crowding = standing(values)
        kept = np.lexsort((-crowding, rank))[: len(start)]
        points, values, rank, crowding = points[kept], values[kept], rank[kept], crowding[kept]
    return Front(points[rank == 0], values[rank == 0])


def ranks(values: Array) -> NDArray[np.int_]:
    """The rank of every row: the points that no other dominates have rank 0, then they are removed, and so on."""
    no_worse = np.logical_and.reduce([column[:, None] >= column for column in values.T])
    dominates = no_worse & ~no_worse.T
    above = dominates.sum(axis=0)
    rank = np.full(len(values), -1)
    level = 0
    while len(front := np.flatnonzero((above == 0) & (rank < 0))):
        rank[front] = level
        above = above - dominates[front].sum(axis=0)
        level += 1
    return rank


def standing(values: Array) -> tuple[NDArray[np.int_], Array]:
    """Rank and crowding distance of every row; the ends of each front have infinite distance, so that they stay."""
    rank, crowding = ranks(values), np.zeros(len(values))
    for column in values.T:
        order = np.lexsort((column, rank))
        sorted_rank, sorted_column = rank[order], column[order]
        gap = np.full(len(order), np.inf)
        inner = np.flatnonzero((sorted_rank[:-2] == sorted_rank[1:-1]) & (sorted_rank[2:] == sorted_rank[1:-1])) + 1
        span = max(float(np.ptp(column)), 1e-300)
        gap[inner] = (sorted_column[inner + 1] - sorted_column[inner - 1]) / span
        crowding[order] += gap
    return rank, crowding


def _tournament(rank: NDArray[np.int_], crowding: Array, rng: np.random.Generator) -> NDArray[np.int_]:
    """As many parents as rows: of two at random, the one of better rank; if the ranks are equal, the less crowded
    one."""
    one, other = rng.integers(len(rank), size=(2, len(rank)))
    better = (rank[one] < rank[other]) | ((rank[one] == rank[other]) & (crowding[one] >= crowding[other]))
    return np.asarray(np.where(better, one, other))


def _crossed(parents: Array, rng: np.random.Generator) -> Array:
    """Simulated binary crossover: each coordinate of a pair moves together or apart around the pair's mean."""
    half = len(parents) // 2
    one, other = parents[:half], parents[half : 2 * half]
    u = rng.random(one.shape)
    spread = np.where(u < 0.5, 2.0 * u, 1.0 / (2.0 - 2.0 * u)) ** (1.0 / (_SPREAD + 1.0))
    swapped = rng.random(one.shape) < 0.5
    crossed = (rng.random((half, 1)) < _CROSSED) & (rng.random(one.shape) < 0.5)
    spread = np.where(crossed, np.where(swapped, -spread, spread), 1.0)
    middle, reach = 0.5 * (one + other), 0.5 * spread * (one - other)
    return np.concatenate([middle + reach, middle - reach, parents[2 * half :]])


def _mutated(points: Array, rng: np.random.Generator) -> Array:
    """Polynomial mutation of about one coordinate of each point."""
    u = rng.random(points.shape)
    power = 1.0 / (_SPREAD + 1.0)
    step = np.where(u < 0.5, (2.0 * u) ** power - 1.0, 1.0 - (2.0 - 2.0 * u) ** power)
    return points + np.where(rng.random(points.shape) < 1.0 / points.shape[1], step, 0.0)
