"""Small functions for figures, in one and two dimensions.

The paper draws its toys but gives no formula. These are similar: one global minimum, a broad region with a
local one, and nothing at the border. toy-1 is the function of Forrester et al., toy-2 is made of three wells.
"""

from __future__ import annotations

import numpy as np

from nonstop_bench.problems.problem import Array, Problem

_WELLS = np.array([[0.72, 0.68], [0.25, 0.3], [0.2, 0.85]])
_DEPTHS = np.array([1.0, 0.75, 0.6])
_WIDTHS = np.array([0.12, 0.2, 0.15])


def toy1(X: Array) -> Array:
    """(6 x - 2)^2 sin(12 x - 4)"""
    x = X[:, 0]
    return np.asarray((6.0 * x - 2.0) ** 2 * np.sin(12.0 * x - 4.0))


def toy2(X: Array) -> Array:
    """-sum_i depths_i exp(-|x - wells_i|^2 / (2 widths_i^2)): the deepest well is the narrowest."""
    distances = np.sum((X[:, None, :] - _WELLS) ** 2, axis=2)
    return np.asarray(-np.exp(-0.5 * distances / _WIDTHS**2) @ _DEPTHS)


# Both minima by Newton's method in 40 digits.
TOY1 = Problem("toy-1", ((0.0, 1.0),), toy1, -6.0207400557670828, ((0.75724875784185587,),))
TOY2 = Problem("toy-2", ((0.0, 1.0),) * 2, toy2, -1.0086961799951778, ((0.71838185407366936, 0.67899262198688892),))


def make_toy(dim: int) -> Problem:
    """The toy in 1 or 2 dimensions."""
    return {1: TOY1, 2: TOY2}[dim]
