"""Hartmann: a mixture of four wells, in three and in six dimensions.

Symbols: X (m, d) points, one per row; steepness and centers (4, d).
"""

from __future__ import annotations

import numpy as np

from nonstop_bench.problems.problem import Array, Function, Problem

_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_STEEPNESS3 = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]])
_CENTERS3 = 1e-4 * np.array(
    [[3689.0, 1170.0, 2673.0], [4699.0, 4387.0, 7470.0], [1091.0, 8732.0, 5547.0], [381.0, 5743.0, 8828.0]]
)
_STEEPNESS6 = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
_CENTERS6 = 1e-4 * np.array(
    [
        [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
        [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
        [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
        [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
    ]
)


def _hartmann(steepness: Array, centers: Array) -> Function:
    """-sum_i heights_i exp(-sum_j steepness_ij (x_j - centers_ij)^2)"""

    def function(X: Array) -> Array:
        exponents = np.einsum("ij,mij->mi", steepness, np.square(X[:, None, :] - centers))
        return np.asarray(-np.exp(-exponents) @ _HEIGHTS)

    return function


# The optima and optimizers are by Newton's method in 40 digits.
HARTMANN3 = Problem(
    name="hartmann-3",
    bounds=((0.0, 1.0),) * 3,
    function=_hartmann(_STEEPNESS3, _CENTERS3),
    optimum=-3.8627797873326625,
    optimizers=((0.11458887665506897, 0.55564889461693004, 0.85254698468667744),),
)

HARTMANN6 = Problem(
    name="hartmann-6",
    bounds=((0.0, 1.0),) * 6,
    function=_hartmann(_STEEPNESS6, _CENTERS6),
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


def make_hartmann(dim: int) -> Problem:
    """The problem in 3 or 6 dimensions; there is no other."""
    return {3: HARTMANN3, 6: HARTMANN6}[dim]
