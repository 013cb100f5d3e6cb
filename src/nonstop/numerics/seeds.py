"""Seeds and generators from whole numbers.

By a hash, where NumPy has SeedSequence: that takes a tenth of a millisecond longer in a worker whose caches went cold
while its objective ran, and every trial needs two of them.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import DTypeLike, NDArray


def seed_of(*numbers: int) -> int:
    """A number below 2^63 that any other numbers, or the same in another order, would have made another."""
    return int.from_bytes(_hashed(numbers, 8), "little") >> 1


def generator(*numbers: int) -> np.random.Generator:
    """A generator that is the same for the same numbers, in any process."""
    return np.random.Generator(np.random.PCG64(_Hash(numbers)))  # type: ignore[arg-type]  # it takes any ISeedSequence


class _Hash(ISeedSequence):
    def __init__(self, numbers: tuple[int, ...]) -> None:
        self._numbers = numbers

    def generate_state(self, n_words: int, dtype: DTypeLike = np.uint32) -> NDArray[np.uint32 | np.uint64]:
        kind = np.dtype(dtype)
        return np.frombuffer(_hashed(self._numbers, n_words * kind.itemsize), kind)


def _hashed(numbers: tuple[int, ...], size: int) -> bytes:
    return blake2b(repr(numbers).encode(), digest_size=size).digest()
