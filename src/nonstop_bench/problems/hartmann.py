"""Hartmann-6: six dimensions, six local minima, one of them global."""

from __future__ import annotations

import numpy as np

from nonstop_bench.problems.problem import Array, Problem

_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_STEEPNESS = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
_CENTERS = 1e-4 * np.array(
    [
        [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
        [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
        [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
        [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
    ]
)


def hartmann6(X: Array) -> Array:
    """-sum_i heights_i exp(-sum_j steepness_ij (x_j - centers_ij)^2)"""
    exponents = np.einsum("ij,mij->mi", _STEEPNESS, np.square(X[:, None, :] - _CENTERS))
    return np.asarray(-np.exp(-exponents) @ _HEIGHTS)


HARTMANN6 = Problem(
    name="hartmann6",
    bounds=((0.0, 1.0),) * 6,
    function=hartmann6,
    # Both by Newton's method in 40 digits.
    optimum=-3.3223680114155148,
    optimizers=(
        (
            0.20168951100670542,
            0.15001069182345797,
            0.47687397422189699,
            0.27533243049405607,
            0.31165161660011324,
            0.65730053406562031,
        ),
    ),
)
