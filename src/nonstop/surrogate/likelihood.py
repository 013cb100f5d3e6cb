"""log p(y | phi) + log p(phi) and its gradient: what a fit maximises. As functions to minimise, so with a minus.

Symbols: X (n, d) in the unit cube, y (n,) standardised, theta = (log lengthscale_1..d, log noise),
Z = X / lengthscales, K = k(X, X) + noise I = L L', R = L^-1, alpha = K^-1 y, W = (alpha alpha' - K^-1) * h(D),
s = row sums of W. Then
    d log p / d theta_j = sum_a s_a Z_aj^2 - Z_j' W Z_j          (one matrix product for all j)
    d log p / d log noise = noise/2 (alpha' alpha - tr K^-1)
Priors are densities of the lengthscales and the noise themselves, not of their logarithms.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from nonstop.numerics.linalg import cholesky_into, gram_in_place, invert_into, solve_lower, symmetric_times
from nonstop.surrogate.kernels import symmetric
from nonstop.surrogate.model import Surrogate
from nonstop.types import Array

_LOG_2PI = math.log(2.0 * math.pi)


class Likelihood:
    """The function of theta for fixed data, and the three n x n matrices it works in: to ask the system for fresh
    memory at every evaluation would cost as much as the arithmetic."""

    def __init__(self, X: Array, y: Array, model: Surrogate) -> None:
        n = len(X)
        self.X, self.y, self.model = X, y, model
        self._K, self._L = np.empty((n, n), order="F"), np.empty((n, n), order="F")
        self._R = np.zeros((n, n), order="F")

    def value(self, theta: Array) -> float:
        """The value alone, for a third of the price of both."""
        self._covariance(theta)
        L = cholesky_into(self._L, self._K)
        if L is None:
            return math.inf
        return self._negative(theta, solve_lower(L, self.y), -float(np.log(L.diagonal()).sum()))

    def value_and_slope(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient; infinite where K cannot be factorised."""
        Z, H = self._covariance(theta)
        L = cholesky_into(self._L, self._K)
        if L is None:
            return math.inf, np.zeros(len(theta))
        invert_into(self._R, L)
        root_y = self._R @ self.y
        alpha = root_y @ self._R
        value = self._negative(theta, root_y, float(np.log(self._R.diagonal()).sum()))
        return value, self._slope(theta, Z, H, alpha, gram_in_place(self._R))

    def values_and_slopes(self, thetas: Array) -> tuple[Array, Array]:
        """One after the other, for the rows of thetas (m, d + 1)."""
        results = [self.value_and_slope(theta) for theta in thetas]
        return np.array([value for value, _ in results]), np.array([slope for _, slope in results])

    def _covariance(self, theta: Array) -> tuple[Array, Array]:
        """Write K; Z and h. For RBF, h is K itself, whose diagonal cancels out of the gradient."""
        Z = self.X / np.exp(theta[:-1])
        H = symmetric(self.model.kernel, Z, self._K.T)
        np.fill_diagonal(self._K, 1.0 + math.exp(theta[-1]))
        return Z, H

    def _negative(self, theta: Array, root_y: Array, log_root: float) -> float:
        """From R y and log det R."""
        mu, weight, constant = _prior(self.model, len(theta) - 1)
        off = theta - mu
        log_prior = constant - 0.5 * float(off @ (weight * off)) - float(theta.sum())
        return 0.5 * float(root_y @ root_y) - log_root + 0.5 * len(self.y) * _LOG_2PI - log_prior

    def _slope(self, theta: Array, Z: Array, H: Array, alpha: Array, K_inverse: Array) -> Array:
        """Minus the gradient; K_inverse is a lower triangle."""
        n, d = Z.shape
        W = self._L
        np.multiply(alpha[:, None], alpha, out=W.T)
        W -= K_inverse
        W *= H.T  # as W in memory, and symmetric
        Z1 = np.ones((n, d + 1), order="F")
        Z1[:, :d] = Z
        WZ1 = symmetric_times(W, Z1)  # W Z and, in the last column, the row sums s
        mu, weight, _ = _prior(self.model, d)
        slope = (theta - mu) * weight + 1.0
        slope[:-1] -= WZ1[:, -1] @ (Z * Z) - (Z * WZ1[:, :-1]).sum(axis=0)
        slope[-1] -= 0.5 * math.exp(theta[-1]) * (alpha @ alpha - K_inverse.trace())
        return slope


@lru_cache(maxsize=32)
def _prior(model: Surrogate, d: int) -> tuple[Array, Array, float]:
    """The log-normal priors of all of theta: means, precisions, and the constant of the joint density."""
    lengthscale, noise = model.lengthscale_prior_in(d), model.noise_prior
    sigma = np.append(np.full(d, lengthscale.sigma), noise.sigma)
    constant = -float(np.log(sigma).sum()) - 0.5 * (d + 1) * _LOG_2PI
    return np.append(np.full(d, lengthscale.mu), noise.mu), sigma**-2.0, constant
