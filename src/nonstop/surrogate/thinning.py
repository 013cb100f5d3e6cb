"""Which rows to keep when there are too many: for a fast estimate, or because an exact GP cannot take more."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nonstop.numerics.linalg import row_dots
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


def around(squares: Array, size: int) -> NDArray[np.intp]:
    """At most `size` rows, the denser the closer: all of the nearest, and of the others as many for each doubling of
    their rank. `squares` (n,) are squared distances. The nearest alone may be copies of one point, and would not say
    in which direction to go on."""
    order = np.argsort(squares, kind="stable")
    n = len(order)
    if n <= size or not size:
        return order[:size]
    # All ranks below a, then one of every r / a ranks around r: together a (1 + log(n / a)), which grows with a.
    low, high = 0.0, float(size)
    for _ in range(40):
        a = 0.5 * (low + high)
        low, high = (a, high) if a * (1.0 + math.log(n / a)) < size else (low, a)
    inner = math.floor(low)
    ranks = inner * np.exp(np.arange(size - inner) / low) if inner else np.arange(size)
    return np.union1d(order[:inner], order[np.minimum(ranks.astype(np.intp), n - 1)])


def spread(Z: Array, first: int, size: int) -> NDArray[np.intp]:
    """At most `size` rows of Z (n, e), one after the other the one that is farthest from all before it; `first` comes
    first. That no point of the space is far from a row that is kept matters more than how many there are around it."""
    norms = row_dots(Z, Z)
    rows, squares = [first], np.full(len(Z), math.inf)
    while len(rows) < min(size, len(Z)):
        last = rows[-1]
        squares = np.minimum(squares, norms + (norms[last] - 2.0 * (Z @ Z[last])))
        squares[last] = -math.inf
        rows.append(int(squares.argmax()))
    return np.array(rows[:size], dtype=np.intp)
