"""Points that no other dominates, and the volume that points dominate: of the union of the boxes between a reference
point and each of them.

Symbols: Y (n, m) points, larger being better in every column; reference (m,), which a point must exceed in all columns
to dominate any volume.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nonstop.types import Array


def nondominated(Y: Array) -> NDArray[np.bool_]:
    """Which rows no other row dominates: none is at least as large everywhere and larger somewhere. Equal rows all
    stay."""
    front = np.ones(len(Y), dtype=bool)
    # Sorted by the sum, descending: a row can only be dominated by one before it, so each is compared with those that
    # are left. (In another order the result is the same.)
    with np.errstate(over="ignore"):
        order = np.argsort(-Y.sum(axis=1), kind="stable")
    for i in order:
        if front[i]:
            no_better = (Y[i] >= Y).all(axis=1) & (Y[i] > Y).any(axis=1)
            front &= ~no_better
    return front


def hypervolume(Y: Array, reference: Array) -> float:
    """The volume that the rows of Y dominate above the reference. Exact; for m <= 3 in O(n^(m-1) log n)."""
    better = Y[(reference < Y).all(axis=1)] - reference
    return union_of_boxes(better[nondominated(better)]) if len(better) else 0.0


def union_of_boxes(Y: Array) -> float:
    """The volume of the union of the boxes from 0 to each row."""
    n, m = Y.shape
    if n == 0:
        return 0.0
    if m == 1:
        return float(Y.max())
    if m == 2:
        return _area(Y)
    # Slice along the last column, from the top: between two levels, the slice is the union of what reaches above.
    order = np.argsort(-Y[:, -1], kind="stable")
    Y, total = Y[order], 0.0
    levels = np.append(Y[1:, -1], 0.0)
    for i in np.flatnonzero(Y[:, -1] > levels):
        slab = Y[: i + 1, :-1]
        total += float(Y[i, -1] - levels[i]) * union_of_boxes(slab[nondominated(slab)] if m > 3 else slab)
    return total


def _area(Y: Array) -> float:
    """The area of the union of the rectangles from 0 to each row: steps from right to left, each as high as the highest
    so far."""
    order = np.argsort(-Y[:, 0], kind="stable")
    x, y = Y[order, 0], np.maximum.accumulate(Y[order, 1])
    return float(np.sum((x - np.append(x[1:], 0.0)) * y))
