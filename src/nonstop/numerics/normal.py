"""Functions of the normal distribution, accurate far in its tails, where the plain formulas lose all digits.

Symbols: z = (mean - best) / sd; phi, Phi the standard normal density and distribution function;
h(z) = phi(z) + z Phi(z), so that EI = sd h(z) (Ament et al. 2023 name it so).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from nonstop.types import Array

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_MILLS = math.sqrt(0.5 * math.pi)
_DIRECT = -1.0  # above, h(z) has no cancellation
_SERIES = -50.0  # below, 1 + z Phi/phi loses three digits or more, and a series in 1/z^2 none


def log_h(z: Array) -> Array:
    """log(phi(z) + z Phi(z)) for any z."""
    return log_h_and_ratios(z)[0]


def log_h_and_ratios(z: Array) -> tuple[Array, Array, Array]:
    """log h(z), Phi(z) / h(z) (its derivative) and phi(z) / h(z), each to about 1e-12."""
    z = np.asarray(z, dtype=np.float64)
    value, upper, density = np.empty_like(z), np.empty_like(z), np.empty_like(z)
    near, far = z > _DIRECT, z < _SERIES
    for part, formula in ((near, _near), (~(near | far), _between), (far, _far)):
        count = np.count_nonzero(part)
        if count == z.size:  # the usual case: during a climb all points are in the same part
            return formula(z)
        if count:
            value[part], upper[part], density[part] = formula(z[part])
    return value, upper, density


def _near(z: Array) -> tuple[Array, Array, Array]:
    phi, Phi = np.exp(-0.5 * z * z - _LOG_SQRT_2PI), ndtr(z)
    h = phi + z * Phi
    return np.log(h), Phi / h, phi / h


def _between(z: Array) -> tuple[Array, Array, Array]:
    mills = _MILLS * erfcx(-z * math.sqrt(0.5))
    rest = 1.0 + z * mills  # h / phi
    return -0.5 * z * z - _LOG_SQRT_2PI + np.log(rest), mills / rest, 1.0 / rest


def _far(z: Array) -> tuple[Array, Array, Array]:
    u = 1.0 / (z * z)
    tail = u * (-3.0 + u * (15.0 - 105.0 * u))  # h / phi = u (1 + tail)
    density = 1.0 / (u * (1.0 + tail))
    value = -0.5 * z * z - _LOG_SQRT_2PI + np.log(u) + np.log1p(tail)
    return value, (1.0 - density) / z, density  # the second from h = phi + z Phi


def log_ei(mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:
    """log E[max(f - best, 0)] for f ~ N(mean, sd^2), and its derivatives in mean and in sd."""
    value, upper, density = log_h_and_ratios((mean - best) / sd)
    return value + np.log(sd), upper / sd, density / sd


def log_probability_above(mean: Array, sd: Array, bound: float) -> tuple[Array, Array, Array]:
    """log P(f >= bound) for f ~ N(mean, sd^2), and its derivatives in mean and in sd."""
    z = (mean - bound) / sd
    slope = 1.0 / (_MILLS * erfcx(-math.sqrt(0.5) * np.minimum(z, 30.0)))  # phi / Phi; above 30 it is nothing
    return log_ndtr(z), slope / sd, -slope * z / sd
