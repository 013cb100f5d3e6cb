"""A Gaussian process given data, as a value: it never changes, and condition() returns a new one.

Symbols: X (n, d) data, y (n,) standardised, R (n, n) with R'R = (K + noise I)^-1, alpha = R'R y; P (m, d) points to
predict at, k (m, n) = k(P, X), V = k R', h (m, n) the kernel's steepness; Z (m, e), A (n, e) are P, X as the model
sees them (space/embedding.py: the points themselves, unless parameters have conditions) over the lengthscales.
    mean = k alpha        variance = 1 - |V|^2        (the paper's equations 2 and 3)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from nonstop.numerics.linalg import extend, inverse_root, row_dots
from nonstop.space.embedding import PLAIN, Embedding
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.distances import left, right
from nonstop.surrogate.kernels.kernel import Kernel, correlations
from nonstop.surrogate.kernels.names import kernel_of
from nonstop.surrogate.model import Incumbent
from nonstop.types import Array

#: Variances below this are rounding errors: no standard deviation is known to better than 1e-10 of the prior's.
VARIANCE_FLOOR = 1e-20

#: Single precision has an error of about 1e-6 in k, and so one of about 1e-6 |weights| in a weighted sum of k. Longer
#: weights than this would make that error visible in the ranking of candidates.
_HEAVIEST = 3e3


def is_light(weights: Array) -> bool:
    """Are these weights of the data short enough for sums in single precision to rank candidates?"""
    return float(np.linalg.norm(weights)) <= _HEAVIEST


class Chain(Protocol):
    """The chain rule from mean and variance to the points at which they were computed."""

    def __call__(self, by_mean: Array, by_variance: Array, by_k: Array | None = None) -> Array:
        """The gradient (m, d) in the points P of a function of mean and variance, from its derivatives in mean and
        variance (m,); `by_k` (m, n) are its derivatives in k, if it depends on k directly too."""


@dataclass(frozen=True, slots=True, eq=False)
class GP:
    """The posterior of a zero-mean process with unit signal variance.

    `jitter` is what had to be added to the noise before the matrix could be factorised. `data` and `drawn` are what
    every prediction needs of the data, computed once: right(A), and A with a column of ones, which makes one product
    of the two sums of a gradient. `scales` (e,) are the lengthscales of the columns of A.
    """

    X: Array
    y: Array
    hyperparameters: Hyperparameters
    kernel: Kernel
    R: Array
    alpha: Array
    jitter: float
    lengthscales: Array = field(repr=False)
    data: Array = field(repr=False)
    drawn: Array = field(repr=False)
    embedding: Embedding = field(repr=False, default=PLAIN)
    scales: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scales", self.embedding.widen(self.lengthscales))

    @classmethod
    def of(
        cls,
        X: Array,
        y: Array,
        hyperparameters: Hyperparameters,
        kernel: str | Kernel = "rbf",
        embedding: Embedding = PLAIN,
    ) -> GP:
        """Condition the process on values y (n,) at points X (n, d)."""
        kernel = kernel_of(kernel)
        lengthscales = np.array(hyperparameters.lengthscales)
        A = embedding.apply(X) / embedding.widen(lengthscales)
        data = right(A, kernel.scale)
        K = kernel.value_of(left(A) @ data.T)
        K.flat[:: len(X) + 1] = 1.0 + hyperparameters.noise
        R, jitter = inverse_root(K)
        alpha = R.T @ (R @ y)
        return cls(X, y, hyperparameters, kernel, R, alpha, jitter, lengthscales, data, _with_ones(A), embedding)

    @classmethod
    def given(
        cls,
        X: Array,
        y: Array,
        hyperparameters: Hyperparameters,
        kernel: Kernel,
        R: Array,
        alpha: Array,
        embedding: Embedding = PLAIN,
    ) -> GP:
        """The process with an R and alpha that were computed elsewhere, with another noise at each point, say."""
        lengthscales = np.array(hyperparameters.lengthscales)
        A = embedding.apply(X) / embedding.widen(lengthscales)
        data = right(A, kernel.scale)
        return cls(X, y, hyperparameters, kernel, R, alpha, 0.0, lengthscales, data, _with_ones(A), embedding)

    def of_values(self, y: Array) -> GP:
        """The process of other values y (n,) at the same points, with the same hyperparameters."""
        return replace(self, y=y, alpha=self.R.T @ (self.R @ y))

    def scaled(self, P: Array) -> Array:
        """Z (m, e): the points P (m, d) as the model sees them, over the lengthscales."""
        return self.embedding.apply(P) / self.scales

    def correlations(self, P: Array, Q: Array) -> Array:
        """k(P, Q): what the prior says, without data."""
        return correlations(self.kernel, self.scaled(P), self.scaled(Q))

    def covariances(self, P: Array) -> Array:
        """k(P, X), (m, n)."""
        return self.kernel.value_of(left(self.scaled(P)) @ self.data.T)

    def moments(self, P: Array) -> tuple[Array, Array]:
        """Mean and variance of f at the rows of P."""
        k = self.covariances(P)
        V = k @ self.R.T
        return k @ self.alpha, np.maximum(1.0 - row_dots(V, V), VARIANCE_FLOOR)

    def at_data(self) -> Array:
        """Mean of f at the rows of X: y minus the part that the model takes for noise."""
        return self.y - (self.hyperparameters.noise + self.jitter) * self.alpha

    def incumbent(self, kind: Incumbent) -> float:
        """The value that the next point has to beat: the largest y, or the largest mean at the data."""
        return float((self.at_data() if kind == "believed" else self.y).max())

    def joint(self, P: Array) -> tuple[Array, Array]:
        """Mean (m,) and covariance (m, m) of f at the rows of P together."""
        k = self.covariances(P)
        V = k @ self.R.T
        prior = self.correlations(P, P)
        prior.flat[:: len(P) + 1] = 1.0
        return k @ self.alpha, prior - V @ V.T

    def moments_and_chain(self, P: Array) -> tuple[Array, Array, Chain]:
        """Mean, variance, and the chain rule for functions of them."""
        Z = self.scaled(P)
        k, h = self.kernel.value_and_steepness_of(left(Z) @ self.data.T)
        V = k @ self.R.T

        def chain(by_mean: Array, by_variance: Array, by_k: Array | None = None) -> Array:
            weights = V @ self.R
            weights *= -2.0 * by_variance[:, None]
            weights += by_mean[:, None] * self.alpha
            if by_k is not None:
                weights += by_k
            weights *= h
            return self._pull(weights, Z)

        return k @ self.alpha, np.maximum(1.0 - row_dots(V, V), VARIANCE_FLOOR), chain

    def slope(self, P: Array, weights: Array) -> Array:
        """The gradient (m, d) in P of k(P, X) weights, with one set of weights (n,)."""
        Z = self.scaled(P)
        _, h = self.kernel.value_and_steepness_of(left(Z) @ self.data.T)
        return self._pull(h * weights, Z)

    def _pull(self, weights: Array, Z: Array) -> Array:
        """sum_i weights_i (a_i - z) / lengthscales. Every gradient is such a sum, because
        dk/dx_j = -h (z_j - a_j) / lengthscale_j."""
        sums = weights @ self.drawn
        slopes: Array = (sums[:, :-1] - sums[:, -1:] * Z) / self.scales
        return self.embedding.pull(Z * self.scales, slopes) if self.embedding.families else slopes

    def condition(self, X: Array, y: Array | None = None) -> GP:
        """The process after further data (X, y) with the same noise and hyperparameters. Without y, each new value is
        taken to be the mean that the process predicts there."""
        if not len(X):
            return self
        Z = self.scaled(X)
        to_left, to_right = left(Z), right(Z, self.kernel.scale)
        k = self.kernel.value_of(to_left @ self.data.T)
        C = self.kernel.value_of(to_left @ to_right.T)
        C.flat[:: len(X) + 1] = 1.0 + self.hyperparameters.noise
        R, jitter = extend(self.R, k.T, C)
        y_all = np.concatenate([self.y, k @ self.alpha if y is None else y])
        return GP(
            np.concatenate([self.X, X]),
            y_all,
            self.hyperparameters,
            self.kernel,
            R,
            R.T @ (R @ y_all),
            max(self.jitter, jitter),
            self.lengthscales,
            np.concatenate([self.data, to_right]),
            np.concatenate([self.drawn, _with_ones(Z)]),
            self.embedding,
        )


def _with_ones(A: Array) -> Array:
    return np.concatenate([A, np.ones((len(A), 1))], axis=1)
