"""A rippled slope: the minimum lies in a corner of the box, where the gradient does not vanish."""

from __future__ import annotations

import math

import numpy as np

from nonstop_bench.problems.problem import Array, Problem


def slope(X: Array) -> Array:
    """mean_i t_i + (1 - cos 6 pi t_i) / 10 with t_i the distance to the best end: 0 for odd i, 1 for even i."""
    T = np.where(np.arange(X.shape[1]) % 2 == 0, X, 1.0 - X)
    return np.asarray(np.mean(T + 0.1 * (1.0 - np.cos(6.0 * math.pi * T)), axis=1))


def make_slope(dim: int) -> Problem:
    """The slope in dim dimensions."""
    # Both terms are non-negative and the first vanishes in that corner only.
    return Problem(f"slope-{dim}", ((0.0, 1.0),) * dim, slope, 0.0, (tuple(float(i % 2) for i in range(dim)),))
