"""Test functions of two variables.

Symbols: X (m, 2) points, one per row; every function returns the values (m,).
"""

from __future__ import annotations

import math

import numpy as np

from nonstop_bench.problems.problem import Array, Problem


def egg_holder(X: Array) -> Array:
    """-(y + 47) sin sqrt|y + x/2 + 47| - x sin sqrt|x - y - 47|: waves that grow towards the border."""
    x, y = X[:, 0], X[:, 1] + 47.0
    return np.asarray(-y * np.sin(np.sqrt(np.abs(y + 0.5 * x))) - x * np.sin(np.sqrt(np.abs(x - y))))


def sixhump_camel(X: Array) -> Array:
    """(4 - 2.1 x^2 + x^4 / 3) x^2 + x y + (4 y^2 - 4) y^2: six minima, two of them global."""
    x, y = X.T
    return np.asarray((4.0 - 2.1 * x**2 + x**4 / 3.0) * x**2 + x * y + (4.0 * y**2 - 4.0) * y**2)


def goldstein_price(X: Array) -> Array:
    """A product of two polynomials: values from 3 to a million."""
    x, y = X.T
    a = (x + y + 1.0) ** 2 * (19.0 - 14.0 * x + 3.0 * x**2 - 14.0 * y + 6.0 * x * y + 3.0 * y**2)
    b = (2.0 * x - 3.0 * y) ** 2 * (18.0 - 32.0 * x + 12.0 * x**2 + 48.0 * y - 36.0 * x * y + 27.0 * y**2)
    return np.asarray((1.0 + a) * (30.0 + b))


def log_goldstein_price(X: Array) -> Array:
    """log of Goldstein-Price."""
    return np.log(goldstein_price(X))


def drop_wave(X: Array) -> Array:
    """-(1 + cos 12 r) / (r^2 / 2 + 2) with r = |x|: rings around the minimum."""
    r = np.sqrt(np.sum(X**2, axis=1))
    return np.asarray(-(1.0 + np.cos(12.0 * r)) / (0.5 * r**2 + 2.0))


def bukin(X: Array) -> Array:
    """100 sqrt|y - x^2 / 100| + |x + 10| / 100: along a bent edge, without a gradient there."""
    x, y = X.T
    return np.asarray(100.0 * np.sqrt(np.abs(y - 0.01 * x**2)) + 0.01 * np.abs(x + 10.0))


# On the border x = 512; y is the root of the derivative along it.
EGG_HOLDER = Problem(
    "egg-holder", ((-512.0, 512.0),) * 2, egg_holder, -959.64066272085080, ((512.0, 404.23180511375781),)
)
# Newton's method on the gradient; the function does not change when both signs do.
_CAMEL = (0.089842013100318062, -0.71265640302073963)
SIXHUMP_CAMEL = Problem(
    "sixhump-camel",
    ((-3.0, 3.0), (-2.0, 2.0)),
    sixhump_camel,
    -1.0316284534898774,
    (_CAMEL, (-_CAMEL[0], -_CAMEL[1])),
)
GOLDSTEIN_PRICE = Problem("goldstein-price", ((-2.0, 2.0),) * 2, goldstein_price, 3.0, ((0.0, -1.0),))
LOG_GOLDSTEIN_PRICE = Problem(
    "log-goldstein-price", ((-2.0, 2.0),) * 2, log_goldstein_price, math.log(3.0), ((0.0, -1.0),)
)
DROP_WAVE = Problem("drop-wave", ((-5.12, 5.12),) * 2, drop_wave, -1.0, ((0.0, 0.0),))
BUKIN = Problem("bukin", ((-15.0, -5.0), (-3.0, 3.0)), bukin, 0.0, ((-10.0, 1.0),))
