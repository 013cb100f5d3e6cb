"""Branin: two dimensions, three equal minima."""

from __future__ import annotations

import math

import numpy as np

from nonstop_bench.problems.problem import Array, Problem


def branin(X: Array) -> Array:
    """(x2 - b x1^2 + c x1 - 6)^2 + 10 (1 - t) cos x1 + 10"""
    b, c, t = 5.1 / (4.0 * math.pi**2), 5.0 / math.pi, 1.0 / (8.0 * math.pi)
    x1, x2 = X.T
    return np.asarray((x2 - b * x1**2 + c * x1 - 6.0) ** 2 + 10.0 * (1.0 - t) * np.cos(x1) + 10.0)


# The square vanishes where the cosine is -1, so the minimum is 10 t and exact.
BRANIN = Problem(
    name="branin",
    bounds=((-5.0, 10.0), (0.0, 15.0)),
    function=branin,
    optimum=5.0 / (4.0 * math.pi),
    optimizers=((-math.pi, 12.275), (math.pi, 2.275), (3.0 * math.pi, 2.475)),
)
