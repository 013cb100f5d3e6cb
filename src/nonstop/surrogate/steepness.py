"""How steep the posterior mean gets inside a box: an estimate of the Lipschitz constant.

Everything here is in embedded columns (space/embedding.py), in which distances are those that the model sees.

Symbols: P (m, e); z = P / lengthscales and a the data likewise; h the kernel's steepness, h' = dh / dD; alpha the
weights of the mean. In z the gradient of the mean is G = sum_a alpha_a h_a (a - z), in x it is G / lengthscales, and
with v = G / lengthscales^2 the gradient of |grad mu|^2 / 2 in z is
    sum_a alpha_a (-2 h'_a v.(a - z) (a - z) - h_a v)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nonstop.numerics.descent import Limits, minimize
from nonstop.numerics.quasirandom import pattern
from nonstop.surrogate.gp import GP
from nonstop.surrogate.kernels.distances import squared_distances
from nonstop.types import Array

_SCREENED = 64  # quasi-random candidates per dimension, besides the data in the box
_MOST = 512  # quasi-random candidates, however many dimensions there are
_STARTS = 8  # candidates from which a descent starts
_TINY = 1e-30  # added to squared slopes: the logarithm of zero would be infinite


def steepest(gp: GP, lower: Array, upper: Array) -> float:
    """The largest |grad mu| found in the box: the best of many candidates, improved by a descent. Deterministic."""
    d = len(lower)
    points = lower + (upper - lower) * pattern(min(_SCREENED * d, _MOST), d)
    data = gp.embedding.apply(gp.X)
    outside = np.minimum(np.maximum(data, lower), upper) != data
    points = np.concatenate([points, data[~outside.any(axis=1)]])
    starts = points[np.argsort(-_Slope.at(gp, points).squared, kind="stable")[:_STARTS]]

    def negative(P: Array) -> tuple[Array, Array]:
        value, gradient = log_squared_slope(gp, P)
        return -value, -gradient

    widths = np.minimum(gp.scales, upper - lower)
    limits = Limits(tolerance=1e-4, longest=float(widths.max()), merge=0.05 * widths, rounds=40)
    return math.exp(-0.5 * float(minimize(negative, starts, lower, upper, limits, np.diag(widths**2)).value.min()))


@dataclass(frozen=True, slots=True, eq=False)
class _Slope:
    """The gradient of the mean, and what its own derivative is made of."""

    Z: Array
    A: Array
    total: Array
    v: Array
    squared: Array
    h_slope: Array

    @classmethod
    def at(cls, gp: GP, P: Array) -> _Slope:
        Z, A = P / gp.scales, gp.scaled(gp.X)
        h, h_slope = gp.kernel.steepness_and_slope(squared_distances(Z, A))
        weights = gp.alpha * h
        total = weights.sum(axis=1)[:, None]
        G = weights @ A - total * Z
        v = G / gp.scales**2
        return cls(Z, A, total, v, np.einsum("ij,ij->i", G, v) + _TINY, h_slope)


def log_squared_slope(gp: GP, P: Array) -> tuple[Array, Array]:
    """log |grad mu|^2 and its gradient (m, d). The logarithm makes the tolerance of the search a relative one."""
    at = _Slope.at(gp, P)
    along = at.v @ at.A.T - np.einsum("ij,ij->i", at.v, at.Z)[:, None]
    bend = -2.0 * gp.alpha * at.h_slope * along
    half_slope = bend @ at.A - bend.sum(axis=1)[:, None] * at.Z - at.total * at.v
    return np.log(at.squared), 2.0 * half_slope / gp.scales / at.squared[:, None]
