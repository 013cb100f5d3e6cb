"""The smallest of several independent normal numbers, as a normal number with the same median and the same upper
quantile.

Symbols: u_i ~ N(mean_i, sd_i^2), i = 1..k, at m points: mean, sd (m, k). The quantile t of a level q solves

    sum_i log P(u_i > t) = log Phi(-q)

The median is that of q = 0, and the standard deviation is how far the quantile of q = 1 lies above it. For a rule that
hopes for large values this is what matters. The moments themselves (Clark 1961) mislead it: if one number is known and
another is not, the smallest one may be much smaller than the known one, but never larger, and a large variance
promises both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, log_ndtr

from nonstop.types import Array

_MILLS = math.sqrt(0.5 * math.pi)
_ROUNDS = 50  # five are usual
_TOLERANCE = 1e-11  # of the logarithm of a probability
_LEAST = 1e-150  # standard deviation, so that its square is a positive number


@dataclass(frozen=True, slots=True, eq=False)
class Smallest:
    """Mean and variance (m,) of that normal number, and their derivatives (m, k) in the means and variances of the k
    numbers."""

    mean: Array
    variance: Array
    mean_by_mean: Array
    mean_by_variance: Array
    variance_by_mean: Array
    variance_by_variance: Array


def smallest(mean: Array, variance: Array) -> Smallest:
    """The smallest number of each row: mean, variance (m, k)."""
    sd = np.sqrt(variance)
    median, median_by_mean, median_by_sd = _quantile(mean, sd, 0.0)
    upper, upper_by_mean, upper_by_sd = _quantile(mean, sd, 1.0)
    spread = np.maximum(upper - median, _LEAST)
    twice, by_variance = 2.0 * spread[:, None], 0.5 / sd
    return Smallest(
        median,
        spread * spread,
        median_by_mean,
        median_by_sd * by_variance,
        twice * (upper_by_mean - median_by_mean),
        twice * (upper_by_sd - median_by_sd) * by_variance,
    )


def _quantile(mean: Array, sd: Array, level: float) -> tuple[Array, Array, Array]:
    """The quantile (m,) of a level, and its derivatives (m, k) in mean and sd. The sum of logarithms is concave in t
    and falls, and the least of the single quantiles is not below the one sought: Newton's steps go down to it from
    there and never pass it."""
    aim = float(log_ndtr(-level))
    t = (mean + level * sd).min(axis=1)
    for _ in range(_ROUNDS):
        z = (mean - t[:, None]) / sd
        logarithms, hazard = _log_ndtr_and_hazard(z)
        slopes = hazard / sd
        off = logarithms.sum(axis=1) - aim
        if np.abs(off).max(initial=0.0) < _TOLERANCE:
            break
        t = t + off / slopes.sum(axis=1)
    shares = slopes / slopes.sum(axis=1, keepdims=True)
    return t, shares, -shares * z


def _log_ndtr_and_hazard(z: Array) -> tuple[Array, Array]:
    """log Phi(z) and phi / Phi; above 30 both are nothing."""
    z = np.minimum(z, 30.0)
    scaled = erfcx(-math.sqrt(0.5) * z)
    return np.log(0.5 * scaled) - 0.5 * z * z, 1.0 / (_MILLS * scaled)
