"""A Gaussian process that has seen data, as a value: it never changes, and condition() returns a new one.

Symbols: X (n, d) data, y (n,) standardised, R (n, n) with R'R = (K + noise I)^-1, alpha = R'R y; P (m, d) points to
predict at, k (m, n) = k(P, X), V = k R', h (m, n) the kernel's steepness.
    mean = k alpha        variance = 1 - |V|^2        (the paper's equations 2 and 3)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nonstop.surrogate import kernels
from nonstop.surrogate.fit import Hyperparameters
from nonstop.surrogate.kernels import Kernel, squared_distances, value_and_steepness
from nonstop.surrogate.linalg import Array, extend, inverse_root

#: Variances below this are rounding: nothing is known to better than 1e-10 of the prior variance.
VARIANCE_FLOOR = 1e-20

#: The least noise variance at which single precision can add up the weights of the data: with less they are too large.
SINGLE_PRECISION_NOISE = 3e-5


@dataclass(frozen=True, slots=True, eq=False)
class GP:
    """The posterior of a zero-mean process with unit signal variance. `jitter` is what had to be added to the noise."""

    X: Array
    y: Array
    hyperparameters: Hyperparameters
    kernel: Kernel
    R: Array
    alpha: Array
    jitter: float

    @classmethod
    def of(cls, X: Array, y: Array, hyperparameters: Hyperparameters, kernel: Kernel = "rbf") -> GP:
        K = kernels.covariance(kernel, X, X, np.asarray(hyperparameters.lengthscales))
        K.flat[:: len(X) + 1] = 1.0 + hyperparameters.noise
        R, jitter = inverse_root(K)
        return cls(X, y, hyperparameters, kernel, R, R.T @ (R @ y), jitter)

    @property
    def lengthscales(self) -> Array:
        return np.asarray(self.hyperparameters.lengthscales)

    def covariances(self, P: Array) -> Array:
        """k(P, X), (m, n)."""
        return kernels.covariance(self.kernel, P, self.X, self.lengthscales)

    def moments(self, P: Array) -> tuple[Array, Array]:
        """Mean and variance of f at the rows of P."""
        k = self.covariances(P)
        V = k @ self.R.T
        return k @ self.alpha, np.maximum(1.0 - np.einsum("ij,ij->i", V, V), VARIANCE_FLOOR)

    def joint(self, P: Array) -> tuple[Array, Array]:
        """Mean (m,) and covariance (m, m) of f at the rows of P together."""
        k = self.covariances(P)
        V = k @ self.R.T
        prior = kernels.covariance(self.kernel, P, P, self.lengthscales)
        prior.flat[:: len(P) + 1] = 1.0
        return k @ self.alpha, prior - V @ V.T

    def moments_with_gradients(self, P: Array) -> tuple[Array, Array, Array, Array]:
        """Mean, variance and their gradients (m, d) in P."""
        lengthscales = self.lengthscales
        Z, A = P / lengthscales, self.X / lengthscales
        k, h = value_and_steepness(self.kernel, squared_distances(Z, A))
        V = k @ self.R.T
        variance = 1.0 - np.einsum("ij,ij->i", V, V)
        # Each gradient is a sum over the data of weight * dk/dx, and dk/dx_j = -h (z_j - a_j) / lengthscale_j.
        return (
            k @ self.alpha,
            np.maximum(variance, VARIANCE_FLOOR),
            _pull(h * self.alpha, Z, A) / lengthscales,
            _pull(h * (V @ self.R), Z, A) * (-2.0 / lengthscales),
        )

    def slope(self, P: Array, weights: Array) -> Array:
        """The gradient (m, d) in P of k(P, X) weights, with one set of weights (n,) or one for each row of P (m, n)."""
        Z, A = P / self.lengthscales, self.X / self.lengthscales
        _, h = value_and_steepness(self.kernel, squared_distances(Z, A))
        return _pull(h * weights, Z, A) / self.lengthscales

    def condition(self, X: Array, y: Array) -> GP:
        """The process after further data (with the same noise), without a new fit."""
        if not len(X):
            return self
        B = self.covariances(X).T
        C = kernels.covariance(self.kernel, X, X, self.lengthscales)
        C.flat[:: len(X) + 1] = 1.0 + self.hyperparameters.noise
        R, jitter = extend(self.R, B, C)
        y_all = np.concatenate([self.y, y])
        return GP(
            np.concatenate([self.X, X]),
            y_all,
            self.hyperparameters,
            self.kernel,
            R,
            R.T @ (R @ y_all),
            max(self.jitter, jitter),
        )


def _pull(weights: Array, Z: Array, A: Array) -> Array:
    """sum_i weights_i (a_i - z): how the data draw each point."""
    pulled: Array = weights @ A - weights.sum(axis=1)[:, None] * Z
    return pulled
