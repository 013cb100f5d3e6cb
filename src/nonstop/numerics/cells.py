"""What a front of two or three objectives does not dominate, cut into boxes.

Symbols: front (n, k) points, k = 2 or 3, larger being better; reference (k,); ends (k,), beyond which nothing counts. A
box is a product of k intervals; all of its points are above the reference and below the ends, and no point of the front
is better than any of them in all objectives.

For three objectives the front is swept from its largest third coordinate down. At each height the region is a row of
strips, as it is for two objectives; a point of the front ends some strips and begins two others, and a strip makes
one box from the height at which it ends to the one at which it began. So n points make at most 2 n + 1 boxes (Yang et
al. 2019), and for two objectives n + 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.numerics.hypervolume import nondominated
from nonstop.types import Array

_UNREACHED = 1e100  # in units of standard deviations of an objective


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The boxes. `levels[i]` are the numbers at which they begin or end in objective i, ascending. Box c lies between
    the levels of index lower[i][c] and upper[i][c]; where no box ends there is no upper. What has no end there ends at
    a number that is too large to be reached."""

    levels: tuple[Array, ...]
    lower: tuple[NDArray[np.intp], ...]
    upper: tuple[NDArray[np.intp] | None, ...]

    @classmethod
    def of(cls, front: Array, reference: Array, ends: Array | None = None) -> Cells:
        """The boxes above the reference that these points do not dominate. Points may be dominated themselves. If
        nothing is left below the ends, these are ignored."""
        above = front[(front > reference).all(axis=1)]
        corners = np.unique(above[nondominated(above)], axis=0)
        intervals = _strips(corners, reference) if front.shape[1] == 2 else _boxes(corners, reference)
        if ends is not None:
            intervals = _cut(intervals, ends) or intervals
        levels, lower, upper = [], [], []
        for start, end in intervals:
            bounded = bool((end < np.inf).any())
            known = np.unique(np.concatenate([start, end]) if bounded else start)
            levels.append(np.minimum(known, _UNREACHED))
            lower.append(np.searchsorted(known, start))
            upper.append(np.searchsorted(known, end) if bounded else None)
        return cls(tuple(levels), tuple(lower), tuple(upper))


def _cut(intervals: list[tuple[Array, Array]], ends: Array) -> list[tuple[Array, Array]]:
    """What lies below the ends; empty if that is nothing."""
    below = np.all([start < end for (start, _), end in zip(intervals, ends, strict=True)], axis=0)
    if not below.any():
        return []
    return [(start[below], np.minimum(stop[below], end)) for (start, stop), end in zip(intervals, ends, strict=True)]


def _strips(corners: Array, reference: Array) -> list[tuple[Array, Array]]:
    """Where n + 1 strips begin and end in each coordinate: corners (n, 2) in the order of the first."""
    a = np.concatenate([reference[:1], corners[:, 0], [np.inf]])
    b = np.concatenate([corners[:, 1], reference[1:]])
    return [(a[:-1], a[1:]), (b, np.full_like(b, np.inf))]


def _boxes(corners: Array, reference: Array) -> list[tuple[Array, Array]]:
    """Where the boxes begin and end in each of the three coordinates."""
    x0, y0, z0 = reference.tolist()
    strips = [(x0, np.inf, y0, np.inf)]  # from x to x, above y, and the height at which it began
    boxes: list[tuple[float, float, float, float, float]] = []
    for x, y, z in corners[np.argsort(-corners[:, 2], kind="stable")].tolist():
        inside = [strip for strip in strips if strip[0] < x and strip[2] < y]
        if not inside:  # another point that is as high dominates it there
            continue
        boxes += [(left, right, base, z, top) for left, right, base, top in inside]
        first, (_, right, base, _) = strips.index(inside[0]), inside[-1]
        opened = [(inside[0][0], x, y, z), (x, right, base, z)]
        strips[first : first + len(inside)] = opened if x < right else opened[:1]
    boxes += [(left, right, base, z0, top) for left, right, base, top in strips]
    left, right, base, low, high = np.array([box for box in boxes if box[3] < box[4]]).T
    return [(left, right), (base, np.full_like(base, np.inf)), (low, high)]
