"""Mean and variance of the smallest of several independent normal numbers (Clark 1961).

Symbols: of two, N(a, s) and N(b, t) with variances s and t: D = a - b, theta^2 = s + t, p = Phi(-D / theta) the
probability that the first is the smaller one, phi the normal density there. With b = 0:

    E[min] = D p - theta phi        E[min^2] = (s + D^2) p + t (1 - p) - D theta phi

Of more than two, the smallest of the first ones is taken to be normal with these moments.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from nonstop.types import Array

_SQRT_2PI = math.sqrt(2.0 * math.pi)


@dataclass(frozen=True, slots=True, eq=False)
class Smallest:
    """The moments (m,), and their derivatives (m, k) in the means and variances of the k numbers."""

    mean: Array
    variance: Array
    mean_by_mean: Array
    mean_by_variance: Array
    variance_by_mean: Array
    variance_by_variance: Array


def smallest(mean: Array, variance: Array) -> Smallest:
    """The smallest number of each row: mean, variance (m, k)."""
    m, k = mean.shape
    shape = np.zeros((m, k))
    by = [shape.copy() for _ in range(4)]  # of the moments so far, in the means and variances of all
    by[0][:, 0], by[3][:, 0] = 1.0, 1.0
    E, V = mean[:, 0], variance[:, 0]
    for j in range(1, k):
        E, V, first, second = _of_two(E, V, mean[:, j], variance[:, j])
        e_by_e, e_by_v, v_by_e, v_by_v = (term[:, None] for term in first)
        by = [
            e_by_e * by[0] + e_by_v * by[2],
            e_by_e * by[1] + e_by_v * by[3],
            v_by_e * by[0] + v_by_v * by[2],
            v_by_e * by[1] + v_by_v * by[3],
        ]
        for whole, term in zip(by, second, strict=True):
            whole[:, j] = term
    return Smallest(E, V, *by)


def _of_two(a: Array, s: Array, b: Array, t: Array) -> tuple[Array, Array, tuple[Array, ...], tuple[Array, ...]]:
    """Mean and variance, and their derivatives in (a, s) and in (b, t): mean by mean, mean by variance, variance by
    mean, variance by variance."""
    D, theta = a - b, np.sqrt(s + t)
    p, q = ndtr(-D / theta), ndtr(D / theta)
    phi = np.exp(-0.5 * (D / theta) ** 2) / _SQRT_2PI
    mean = D * p - theta * phi
    # The second moment minus the square of the mean, written so that nothing large is subtracted from its like.
    variance = s * p + t * q + D * D * p * q + D * theta * phi * (2.0 * p - 1.0) - (theta * phi) ** 2
    variance = np.maximum(variance, 1e-300)
    by_theta = -phi / (2.0 * theta)  # of the mean, in s or t
    variance_by_D = 2.0 * p * (D - mean) - 2.0 * s * phi / theta
    common = -D * phi * t / theta**3 + mean * phi / theta
    first = p, by_theta, variance_by_D, p + common
    second = q, by_theta, -variance_by_D, q + common
    return b + mean, variance, first, second
