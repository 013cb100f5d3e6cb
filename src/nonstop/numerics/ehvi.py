"""The expected growth of a dominated area or volume by a point whose two or three coordinates are independent and
normal.

Symbols: front (n, k) points, larger being better; reference (k,); mean, sd (m, k) of m points. The region that the
front does not dominate is cut into boxes from l to u (cells.py). With psi_i(t) = E[max(y_i - t, 0)],

    E[growth] = sum_boxes prod_i (psi_i(l_i) - psi_i(u_i))

The growth to be expected far from the front is far below the smallest float, so its logarithm is computed from those of
its parts. An estimate for many points need not be that careful, and takes a fraction of the time.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from nonstop.numerics.cells import Cells
from nonstop.numerics.linalg import row_dots
from nonstop.numerics.normal import log_h_and_ratios
from nonstop.types import Array

_SQRT_2PI = math.sqrt(2.0 * math.pi)
_LEAST = 1e-280  # a growth below it may be made of parts that vanished
_NARROWEST = 1e-300  # what is left of a box whose levels cannot be told apart


def log_ehvi(mean: Array, sd: Array, cells: Cells) -> tuple[Array, Array, Array]:
    """The logarithm (m,) of the expected growth, and its derivatives (m, k) in mean and in sd."""
    sides = [_Side(mean[:, i : i + 1], sd[:, i : i + 1], cells, i) for i in range(len(cells.levels))]
    terms = sides[0].width + sides[1].width
    for side in sides[2:]:
        terms += side.width
    top = terms.max(axis=1, keepdims=True)
    weights = np.exp(terms - top)
    total = weights.sum(axis=1, keepdims=True)
    weights /= total
    by_mean, by_sd = np.empty_like(mean), np.empty_like(mean)
    for i, side in enumerate(sides):
        by_mean[:, i], by_sd[:, i] = side.slopes(weights)
    return (top + np.log(total))[:, 0], by_mean / sd, by_sd / sd


def estimated_log_ehvi(mean: Array, sd: Array, cells: Cells) -> Array:
    """The logarithm (m,) of the expected growth; where that is below 1e-280, some number that is smaller the farther
    away the front is."""
    growth = _plain_width(mean[:, :1], sd[:, :1], cells, 0)
    for i in range(1, len(cells.levels)):
        growth *= _plain_width(mean[:, i : i + 1], sd[:, i : i + 1], cells, i)
    total = growth.sum(axis=1)
    value = np.log(np.maximum(total, _LEAST))
    far = np.flatnonzero(total <= _LEAST)
    if len(far):
        value[far] = np.minimum(_remote(mean[far], sd[far], cells), value[far])
    return np.asarray(value)


class _Side:
    """log(psi(l) - psi(u)) (m, boxes) in one objective, and what its derivatives take."""

    def __init__(self, mean: Array, sd: Array, cells: Cells, i: int) -> None:
        value, self._by_mean, self._by_sd = log_h_and_ratios((mean - cells.levels[i]) / sd)
        value += np.log(sd)
        self._low, self._high = cells.lower[i], cells.upper[i]
        self.width = value.take(self._low, axis=1)
        if self._high is not None:
            drop = value.take(self._high, axis=1)
            drop -= self.width  # negative
            self._left = np.maximum(-np.expm1(drop), _NARROWEST)
            self._share = np.exp(drop)
            self.width += np.log(self._left)

    def slopes(self, weights: Array) -> tuple[Array, Array]:
        """The weighted sums (m,) of the derivatives of `width` in mean and in sd, times sd."""
        if self._high is None:
            found = [row_dots(weights, slope.take(self._low, axis=1)) for slope in (self._by_mean, self._by_sd)]
        else:
            weights = weights / self._left
            ends = weights * self._share
            found = [
                row_dots(weights, slope.take(self._low, axis=1)) - row_dots(ends, slope.take(self._high, axis=1))
                for slope in (self._by_mean, self._by_sd)
            ]
        return found[0], found[1]


def _plain_width(mean: Array, sd: Array, cells: Cells, i: int) -> Array:
    """psi(l) - psi(u) (m, boxes) in objective i."""
    z = (mean - cells.levels[i]) / sd
    psi = np.exp(-0.5 * z * z)
    psi *= 1.0 / _SQRT_2PI
    psi += z * ndtr(z)
    psi *= sd
    width = psi.take(cells.lower[i], axis=1)
    high = cells.upper[i]
    if high is not None:
        width -= psi.take(high, axis=1)
    return np.maximum(width, 0.0, out=width)


def _remote(mean: Array, sd: Array, cells: Cells) -> Array:
    """Minus half of the squared distance (m,) to the nearest box, in standard deviations."""
    total = np.zeros((len(mean), len(cells.lower[0])))
    for i, levels in enumerate(cells.levels):
        z = np.minimum((mean[:, i : i + 1] - levels) / sd[:, i : i + 1], 0.0)
        total -= np.square(z).take(cells.lower[i], axis=1)
    return np.asarray(0.5 * total.max(axis=1))
