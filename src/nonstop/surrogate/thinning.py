"""Which rows to keep when there are too many: for a fast estimate, or because an exact GP cannot take more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nonstop.types import Array


def evenly(n: int, size: int) -> NDArray[np.intp]:
    """`size` of n rows, evenly spread from the first to the last: early results, which fill the space, and late ones,
    which cluster around the optimum."""
    size = min(n, size)
    rows: NDArray[np.intp] = np.rint(np.arange(size) * ((n - 1) / max(size - 1, 1))).astype(np.intp)
    return rows


def best_and_even(y: Array, most: int) -> NDArray[np.intp]:
    """At most `most` rows, in their order: half of them the best ones, the other half evenly from the rest."""
    if len(y) <= most:
        return np.arange(len(y))
    order = np.argsort(-y, kind="stable")
    best, rest = order[: most // 2], np.sort(order[most // 2 :])
    return np.sort(np.concatenate([best, rest[evenly(len(rest), most - len(best))]]))
