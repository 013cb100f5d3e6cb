"""The expected growth of a dominated area by a point whose two coordinates are independent and normal.

Symbols: front (n, 2) points, larger being better; reference (2,); mean, sd (m, 2) of m points. The part of the plane
that the front does not dominate is cut into strips between its first coordinates: strip i from a_i to a_(i+1), above
b_i. With psi(t) = E[max(y - t, 0)],

    E[growth] = sum_i (psi_1(a_i) - psi_1(a_(i+1))) psi_2(b_i)

All of it is computed in logarithms, as the growth to be expected far from the front is far below the smallest float.
"""

from __future__ import annotations

import numpy as np

from nonstop.numerics.hypervolume import nondominated
from nonstop.numerics.normal import log_h_and_ratios
from nonstop.types import Array


def log_ehvi(mean: Array, sd: Array, front: Array, reference: Array) -> tuple[Array, Array, Array]:
    """The logarithm (m,) of the expected growth, and its derivatives (m, 2) in mean and in sd."""
    a, b = _strips(front, reference)
    one, one_by_mean, one_by_sd = _log_psi(mean[:, :1], sd[:, :1], a)  # (m, strips)
    two, two_by_mean, two_by_sd = _log_psi(mean[:, 1:], sd[:, 1:], b)
    # psi_1(a_i) - psi_1(a_(i+1)); the last strip has no end.
    drop = one[:, 1:] - one[:, :-1]  # negative
    keep = -np.expm1(drop)
    keep = np.maximum(keep, 1e-300)
    width = np.concatenate([one[:, :-1] + np.log(keep), one[:, -1:]], axis=1)
    share = np.exp(drop) / keep  # psi_1(a_(i+1)) over the difference

    def of_width(by: Array) -> Array:
        inner = by[:, :-1] + share * (by[:, :-1] - by[:, 1:])
        return np.concatenate([inner, by[:, -1:]], axis=1)

    terms = width + two
    top = terms.max(axis=1, keepdims=True)
    weights = np.exp(terms - top)
    total = weights.sum(axis=1, keepdims=True)
    weights /= total
    value = (top + np.log(total))[:, 0]
    by_mean = np.stack([(weights * of_width(one_by_mean)).sum(axis=1), (weights * two_by_mean).sum(axis=1)], axis=1)
    by_sd = np.stack([(weights * of_width(one_by_sd)).sum(axis=1), (weights * two_by_sd).sum(axis=1)], axis=1)
    return value, by_mean, by_sd


def _strips(front: Array, reference: Array) -> tuple[Array, Array]:
    """Where each strip begins, and above which height it is not dominated: (strips,) each."""
    above = front[(front > reference).all(axis=1)]
    corners = np.unique(above[nondominated(above)], axis=0)  # by the first coordinate, so the second one falls
    a = np.concatenate([reference[:1], corners[:, 0]])
    b = np.concatenate([corners[:, 1], reference[1:]])
    return a, b


def _log_psi(mean: Array, sd: Array, t: Array) -> tuple[Array, Array, Array]:
    """log E[max(y - t, 0)] (m, strips), and its derivatives in mean and sd."""
    value, upper, density = log_h_and_ratios((mean - t) / sd)
    return value + np.log(sd), upper / sd, density / sd
