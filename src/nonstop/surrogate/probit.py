"""Classification by a Gaussian process: the posterior of a latent function given labels, by Laplace's approximation
(Rasmussen and Williams 2006, algorithms 3.1 and 5.1).

Symbols: t (n,) labels, 1 or -1; g = offset + f the latent function, f ~ N(0, K), K = s^2 C, C the kernel's correlations
of X (n, d); P(t | g) = Phi(t g). At the mode of the posterior: a = K^-1 f, slope and -W the first and second derivative
of log P(t | g), B = I + W^1/2 K W^1/2 = L L', R = L^-1, S = W^1/2 B^-1 W^1/2 = (K + W^-1)^-1.
theta = (log lengthscale_1..d, log s).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from nonstop.numerics.linalg import NotPositiveDefiniteError, cholesky, triangular_inverse
from nonstop.space.embedding import PLAIN, Embedding
from nonstop.surrogate.kernels.kernel import Kernel, symmetric
from nonstop.types import Array

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_ROUNDS, _HALVINGS = 30, 8
_CONVERGED = 1e-8  # in units of the log posterior
_FLATTEST = 1e-12  # the least W: a label far on its own side of the threshold says nothing


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """The mode of the posterior; `third` is the third derivative of log P(t | g), `value` log P(t | g) - f'a / 2."""

    f: Array
    a: Array
    slope: Array
    W: Array
    third: Array
    R: Array
    value: float


def log_likelihood(t: Array, g: Array) -> tuple[Array, Array, Array, Array]:
    """log Phi(t g) and its first three derivatives in g."""
    u = t * g
    value = log_ndtr(u)
    r = np.exp(-0.5 * u * u - _LOG_SQRT_2PI - value)  # phi / Phi
    second = -r * (u + r)
    return value, t * r, second, t * (-second * (u + r) - r * (1.0 + second))


def mode_of(K: Array, t: Array, offset: float) -> Mode:
    """Newton's method from f = 0, with shorter steps where a whole one overshoots."""
    f = a = np.zeros(len(t))
    value = float(log_likelihood(t, offset + f)[0].sum())
    for _ in range(_ROUNDS):
        _, slope, second, _ = log_likelihood(t, offset + f)
        W, R = _factorised(K, second)
        root, b = np.sqrt(W), W * f + slope
        step = b - root * (R.T @ (R @ (root * (K @ b)))) - a
        before = value
        value, a, f = _improved(K, t, offset, a, step, value)
        if value - before < _CONVERGED:
            break
    _, slope, second, third = log_likelihood(t, offset + f)
    W, R = _factorised(K, second)
    return Mode(f, a, slope, W, third, R, value)


def _improved(K: Array, t: Array, offset: float, a: Array, step: Array, value: float) -> tuple[float, Array, Array]:
    """The log posterior, a and f after the step, or after the half, the quarter, … of it that does not make it less."""
    for halvings in range(_HALVINGS):
        longer = a + 0.5**halvings * step
        f = K @ longer
        reached = float(log_likelihood(t, offset + f)[0].sum()) - 0.5 * float(longer @ f)
        if reached >= value:
            return reached, longer, f
    return value, a, K @ a


def _factorised(K: Array, second: Array) -> tuple[Array, Array]:
    """W and R."""
    W = np.maximum(-second, _FLATTEST)
    root = np.sqrt(W)
    L = cholesky(np.eye(len(W)) + root[:, None] * K * root)
    if L is None:
        raise NotPositiveDefiniteError("the labels' covariance matrix has entries that are not finite")
    return W, triangular_inverse(L)


class Evidence:
    """log p(t | theta) by Laplace's approximation, and its gradient."""

    def __init__(self, X: Array, t: Array, offset: float, kernel: Kernel, embedding: Embedding = PLAIN) -> None:
        self.E, self.t, self.offset, self.kernel, self.embedding = embedding.apply(X), t, offset, kernel, embedding

    def value_and_slope(self, theta: Array) -> tuple[float, Array]:
        """The value and its gradient in theta."""
        n = len(self.t)
        Z, amplitude = self.E / self.embedding.widen(np.exp(theta[:-1])), math.exp(2.0 * theta[-1])
        K = np.empty((n, n))
        H = amplitude * symmetric(self.kernel, Z, K)
        np.fill_diagonal(K, 1.0)
        K *= amplitude
        mode = mode_of(K, self.t, self.offset)
        by_lengthscales, by_spread = _slopes(Z, H, K, mode)
        slope = np.append(self.embedding.tie(by_lengthscales), by_spread)
        return mode.value + float(np.log(mode.R.diagonal()).sum()), slope


def _slopes(Z: Array, H: Array, K: Array, mode: Mode) -> tuple[Array, float]:
    """The gradient in the log lengthscale of each column of Z, and in log s.

    For K_j = dK / dtheta_j, the slope is a' K_j a / 2 - tr(S K_j) / 2 + v' (I - K S) K_j slope, where the last term
    is there because the mode moves, and v = diag((K^-1 + W)^-1) third / 2. All of it is sum(M * K_j) for one M."""
    RW = mode.R * np.sqrt(mode.W)
    S = RW.T @ RW
    v = 0.5 * (K.diagonal() - np.square(RW @ K).sum(axis=0)) * mode.third
    M = 0.5 * (np.outer(mode.a, mode.a) - S) + np.outer(v - S @ (K @ v), mode.slope)
    M = 0.5 * (M + M.T)
    MH = M * H
    np.fill_diagonal(MH, 0.0)  # its terms are zero because z_a = z_b
    by_lengthscales = 2.0 * (MH.sum(axis=1) @ (Z * Z) - (Z * (MH @ Z)).sum(axis=0))
    return by_lengthscales, 2.0 * float((M * K).sum())
