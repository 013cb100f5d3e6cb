"""Shekel: ten narrow wells on a plain, in four dimensions."""

from __future__ import annotations

import numpy as np

from nonstop_bench.problems.problem import Array, Problem

_WIDTHS = 0.1 * np.array([1.0, 2.0, 2.0, 4.0, 4.0, 6.0, 3.0, 7.0, 5.0, 5.0])
# Each center repeats its pair of coordinates.
_PAIRS = [[4, 4], [1, 1], [8, 8], [6, 6], [3, 7], [2, 9], [5, 3], [8, 1], [6, 2], [7, 3.6]]
_CENTERS = np.tile(np.array(_PAIRS, dtype=np.float64), 2)


def shekel(X: Array) -> Array:
    """-sum_i 1 / (|x - centers_i|^2 + widths_i)"""
    distances = np.sum((X[:, None, :] - _CENTERS) ** 2, axis=2)
    return np.asarray(-np.sum(1.0 / (distances + _WIDTHS), axis=1))


# By Newton's method in 40 digits.
_BEST = (4.0007468682706344, 3.9995094800857736)
SHEKEL = Problem("shekel-4", ((0.0, 10.0),) * 4, shekel, -10.536443153483528, (_BEST * 2,))
