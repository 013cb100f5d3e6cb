"""log p(y | phi) + log p(phi) and its gradient, which a fit maximises. Here with a minus: descents minimise.

Symbols: X (n, d) in the unit cube, y (n,) standardised, theta = (log lengthscale_1..d, log noise),
Z = X / lengthscales, X embedded (space/embedding.py), K = k(X, X) + noise I = L L', R = L^-1, alpha = K^-1 y,
W = (alpha alpha' - K^-1) * h(D), s = row sums of W. Then
    d log p / d theta_j = sum_a s_a Z_aj^2 - Z_j' W Z_j          (one matrix product for all j)
    d log p / d log noise = noise/2 (alpha' alpha - tr K^-1)
Priors are densities of the lengthscales and the noise themselves, not of their logarithms.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from nonstop.numerics.linalg import cholesky_into, gram_in_place, invert_into, solve_lower, symmetric_times
from nonstop.space.embedding import PLAIN, Embedding
from nonstop.surrogate.kernels.kernel import symmetric
from nonstop.surrogate.kernels.names import kernel_of
from nonstop.surrogate.model import LogNormal, Surrogate
from nonstop.types import Array

_LOG_2PI = math.log(2.0 * math.pi)


class Likelihood:
    """The function of theta for fixed data. It keeps the three n x n matrices it works in, because allocating them at
    every evaluation would cost as much as the arithmetic."""

    def __init__(self, X: Array, y: Array, model: Surrogate, embedding: Embedding = PLAIN) -> None:
        n, self.d = X.shape
        self.X, self.y, self.model, self.kernel = X, y, model, kernel_of(model.kernel)
        self._embedding, self._E = embedding, embedding.apply(X)
        self._K, self._L = np.empty((n, n), order="F"), np.empty((n, n), order="F")
        self._R = np.zeros((n, n), order="F")

    def value(self, theta: Array) -> float:
        """The value without the gradient takes a third of the time."""
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
        """Values (m,) and gradients (m, d + 1) for the rows of thetas (m, d + 1)."""
        results = [self.value_and_slope(theta) for theta in thetas]
        return np.array([value for value, _ in results]), np.array([slope for _, slope in results])

    def _covariance(self, theta: Array) -> tuple[Array, Array]:
        """Write K into its matrix, and return Z and h. For RBF, h is K itself, noise included: the diagonal of h
        contributes nothing to the gradient, because z_a - z_a = 0."""
        Z = self._E / self._embedding.widen(np.exp(theta[:-1]))
        H = symmetric(self.kernel, Z, self._K.T)
        np.fill_diagonal(self._K, 1.0 + math.exp(theta[-1]))
        return Z, H

    def _negative(self, theta: Array, root_y: Array, log_root: float) -> float:
        """Minus the log posterior, from R y and log det R."""
        mu, weight, constant = self._prior()
        off = theta - mu
        log_prior = constant - 0.5 * float(off @ (weight * off)) - float(theta.sum())
        return 0.5 * float(root_y @ root_y) - log_root + 0.5 * len(self.y) * _LOG_2PI - log_prior

    def _slope(self, theta: Array, Z: Array, H: Array, alpha: Array, K_inverse: Array) -> Array:
        """Minus the gradient; of K_inverse only the lower triangle is read."""
        n, d = Z.shape
        W = self._L
        np.multiply(alpha[:, None], alpha, out=W.T)
        W -= K_inverse
        W *= H.T  # H is symmetric, and its transpose has the memory order of W
        Z1 = np.ones((n, d + 1), order="F")
        Z1[:, :d] = Z
        WZ1 = symmetric_times(W, Z1)  # W Z and, in the last column, the row sums s
        mu, weight, _ = self._prior()
        slope = (theta - mu) * weight + 1.0
        slope[:-1] -= self._embedding.tie(WZ1[:, -1] @ (Z * Z) - (Z * WZ1[:, :-1]).sum(axis=0))
        slope[-1] -= 0.5 * math.exp(theta[-1]) * (alpha @ alpha - K_inverse.trace())
        return slope

    def _prior(self) -> tuple[Array, Array, float]:
        lengthscale = self.model.lengthscale_prior_in(self._embedding.together or self.d)
        return _joint_prior(lengthscale, self.model.noise_prior, self.d)


@lru_cache(maxsize=32)
def _joint_prior(lengthscale: LogNormal, noise: LogNormal, d: int) -> tuple[Array, Array, float]:
    """The log-normal priors of all of theta: means, precisions, and the constant of the joint density."""
    sigma = np.append(np.full(d, lengthscale.sigma), noise.sigma)
    constant = -float(np.log(sigma).sum()) - 0.5 * (d + 1) * _LOG_2PI
    return np.append(np.full(d, lengthscale.mu), noise.mu), sigma**-2.0, constant
