"""The smallest of several independent normal numbers: how far it exceeds a threshold, on average.

Symbols: u_i ~ N(mean_i, sd_i^2), i = 1..k, at m points: mean, sd (m, k); b a threshold.

    E[max(min_i u_i - b, 0)] = integral from b of prod_i P(u_i > t) dt

The integrand is 1 as long as t is far below every mean, and nothing is left where it has fallen by e^-30. In between,
Gauss-Legendre nodes give four digits or more, and in logarithms also where all of it is far below the smallest float.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from nonstop.types import Array

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_FALL = 30.0
_BELOW = 6.0  # standard deviations below the mean: P(u > t) is 1 there, to nine digits
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)


def log_exceedance(mean: Array, sd: Array, b: float) -> tuple[Array, Array, Array]:
    """The logarithm (m,) of the expectation, and its derivatives (m, k) in mean and in sd."""
    start = np.maximum((mean - _BELOW * sd).min(axis=1), b)
    z = (start[:, None] - mean) / sd
    end = (mean + sd * np.sqrt(np.maximum(z, 0.0) ** 2 + 2.0 * _FALL)).min(axis=1)  # one of them has fallen by e^-30
    half = 0.5 * (end - start)  # positive: sqrt(z^2 + 60) exceeds z
    t = start[:, None] + half[:, None] * (1.0 + _NODES)  # (m, nodes)
    z = (t[:, :, None] - mean[:, None]) / sd[:, None]  # (m, nodes, k)
    survival = log_ndtr(-z)
    terms = survival.sum(axis=2) + np.log(half[:, None] * _WEIGHTS)
    flat = np.where(start > b, np.log(np.maximum(start - b, 1e-300)), -np.inf)  # the integral from b to start
    top = np.maximum(terms.max(axis=1), flat)
    shares = np.exp(terms - top[:, None])
    total = shares.sum(axis=1) + np.exp(flat - top)
    shares /= total[:, None]
    hazard = np.exp(-0.5 * z * z - _LOG_SQRT_2PI - survival)  # density over survival
    by_mean = np.einsum("mn,mnk->mk", shares, hazard) / sd
    by_sd = np.einsum("mn,mnk->mk", shares, hazard * z) / sd
    return top + np.log(total), by_mean, by_sd
