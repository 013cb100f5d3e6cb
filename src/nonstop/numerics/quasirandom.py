"""Scrambled Halton points: any number of them, from the first on, fills the cube evenly.

Each dimension counts in its own prime base. Every digit is permuted at random, with one permutation for each digit of
each base, because without it the dimensions of large bases are correlated. Point k of a seed is always the same.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nonstop.types import Array


def halton(count: int, d: int, seed: int, start: int = 0) -> Array:
    """Points start .. start + count - 1 of the sequence, (count, d), inside [0, 1)."""
    index = np.arange(start, start + count, dtype=np.int64)
    rng = np.random.default_rng([seed, 0x4A17])
    points = np.empty((count, d))
    for j, base in enumerate(primes(d)):
        points[:, j] = _radical_inverse(index, base, rng)
    return points


@lru_cache(maxsize=8)
def pattern(count: int, d: int) -> Array:
    """The first points of one sequence, the same in every call, and so made only once. They cannot be written to."""
    points = halton(count, d, seed=0)
    points.flags.writeable = False
    return points


def _radical_inverse(index: NDArray[np.int64], base: int, rng: np.random.Generator) -> Array:
    """The permuted digits of each index in reverse order, as digits after the point; as many as a float can hold."""
    digits = int(np.ceil(53.0 * np.log(2.0) / np.log(base)))
    permutations = np.argsort(rng.random((digits, base)), axis=1)
    rest = index.copy()
    total = np.zeros(len(index))
    weight = 1.0
    for permutation in permutations:
        weight /= base
        if rest.any():
            rest, digit = np.divmod(rest, base)
            total += permutation[digit] * weight
        else:  # all further digits are zero, and are permuted to the same digit for every index
            total += permutation[0] * weight
    return np.minimum(total, np.nextafter(1.0, 0.0))


@lru_cache(maxsize=8)
def primes(count: int) -> tuple[int, ...]:
    """The first `count` primes."""
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % p for p in found if p * p <= candidate):
            found.append(candidate)
        candidate += 1
    return tuple(found)
