"""The regret bounds of the paper's appendix B, as numbers.

Symbols: K (N, N) the prior covariance of f on a finite domain in [0, 1]^d, k(x, x) = 1; noise = eta^2; n evaluations,
q workers.
    I(f; y_A) = 1/2 sum_j log(1 + sigma_{j-1}^2(x_j) / noise)        information, for A = x_1, ..., x_n in any order
    Psi_n = max over |A| = n of I(f; y_A)                             the maximum information gain
    1/2 log xi_q >= max over |B| < q of I(f; y_B | D)                 the cost of not knowing q - 1 values
    BSR(n) <= C / n + sqrt(2 xi_q beta_n Psi_n / (n log(1 + 1/noise)))
Finding the maximum is NP-hard. But information is submodular, so the greedy set has at least 1 - 1/e of it (Nemhauser
et al. 1978), and no n points have more than I(f; y_A) + n times the largest further gain, for any A. The least of
these upper bounds is used for Psi_n, and for the information in xi_q.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

Array = NDArray[np.float64]

#: The fraction of the maximum that the greedy set is guaranteed to have.
GREEDY = 1.0 - 1.0 / math.e

#: C of the asynchronous UCB. The paper prints (pi^2 + sqrt(2 pi)) / 12, but its own sum of 1 / (j^2 sqrt(2 pi)) over j
#: is pi^2 / (6 sqrt(2 pi)) = pi sqrt(2 pi) / 12: a factor pi is lost there. This is the one that the proof gives.
C_UCB = (math.pi**2 + math.pi * math.sqrt(2.0 * math.pi)) / 12.0
C_UCB_PRINTED = (math.pi**2 + math.sqrt(2.0 * math.pi)) / 12.0
#: C of Thompson sampling, asynchronous and (with xi = 1) sequential (Kandasamy et al. 2018, as the paper quotes it).
C_THOMPSON = (2.0 * math.pi**2 + math.sqrt(2.0) * math.pi**2.5) / 12.0


@dataclass(frozen=True, slots=True, eq=False)
class Greedy:
    """The greedy choice of points."""

    #: Indices of the points, in order.
    chosen: list[int]
    #: The information of the first 1, 2, ... of them.
    information: Array
    #: The posterior covariance of f after all of them.
    covariance: Array


def greedy(covariance: Array, noise: float, count: int) -> Greedy:
    """Uncertainty sampling: always the point of largest variance, which has the largest information. A point may be
    chosen again."""
    left = np.array(covariance, order="F")
    chosen, gains = [], np.empty(count)
    for j in range(count):
        i = int(np.argmax(left.diagonal()))
        variance = max(float(left[i, i]), 0.0)
        gains[j] = 0.5 * math.log1p(variance / noise)
        left = blas.dger(-1.0 / (variance + noise), left[i], left[i], a=left, overwrite_a=1)
        chosen.append(i)
    return Greedy(chosen, np.cumsum(gains), left)


def information_gain(covariance: Array, noise: float, count: int) -> Array:
    """Upper bounds of Psi_0, ..., Psi_count."""
    found = np.concatenate([[0.0], greedy(covariance, noise, count + 1).information])
    gains = np.diff(found)
    return np.array([min(found[n] / GREEDY, (found[:-1] + n * gains).min()) for n in range(count + 1)])


def price(covariance: Array, noise: float, q: int) -> float:
    """An upper bound of xi_q given data after which f has this covariance. More data only lower it, so the bound from
    the prior covariance always holds, and the bound after an initialisation holds from then on."""
    return math.exp(2.0 * float(information_gain(covariance, noise, q - 1)[-1]))


def steepness_constants(sd: float, supremum: float) -> tuple[float, float]:
    """a and b with P(sup |g| > L) <= a exp(-(L/b)^2) for all L, for a Gaussian process g = df/dx_i with this standard
    deviation and expected supremum m: Assumption 8 of Kandasamy et al. (2018).

    Borell-TIS says P(sup |g| > L) <= 2 exp(-(L - m)^2 / (2 sd^2)) for L > m, and for every delta > 0
    (L - m)^2 >= L^2 / (1 + delta) - m^2 / delta. The delta chosen minimises a b, and with it beta.
    """
    c = (supremum / sd) ** 2
    delta = 0.5 * (c + math.sqrt(c * c + 4.0 * c))
    return 2.0 * math.exp(0.5 * c / delta), sd * math.sqrt(2.0 * (1.0 + delta))


def regret_bound(n: Array, C: float, xi: float, beta: Array, psi: Array, noise: float) -> Array:
    """C / n + sqrt(2 xi beta_n Psi_n / (n log(1 + 1/noise)))."""
    bound: Array = C / n + np.sqrt(2.0 * xi * beta * psi / (n * math.log1p(1.0 / noise)))
    return bound
