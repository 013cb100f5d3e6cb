"""Seeds and generators from whole numbers, the same in every process."""

from __future__ import annotations

import numpy as np

#: Comes before every seed of a generator: a caller who draws with the same seed, as in default_rng(0), draws other
#: numbers than we do.
_OURS = 0x6E6F6E73


def seed_of(*numbers: int) -> int:
    """A seed below 2^63, which fits an integer column of any database. Different numbers below 2^32, as many of them,
    give different seeds for all practical purposes."""
    (state,) = np.random.SeedSequence(numbers).generate_state(1, np.uint64)
    return int(state) >> 1


def generator(*numbers: int) -> np.random.Generator:
    """A generator that depends on the numbers alone."""
    return np.random.default_rng((_OURS, *numbers))
