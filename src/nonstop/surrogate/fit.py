"""From data to hyperparameters: the maximum of log p(y | phi) + log p(phi) (the paper's section 4.2).

Symbols: X (n, d) in the unit cube, y (n,) standardised, theta = (log lengthscale_1..d, log noise),
Z = X / lengthscales, K = k(X, X) + noise I, alpha = K^-1 y, W = (alpha alpha' - K^-1) * h(D), s = row sums of W. Then
    d log p / d theta_j = sum_a s_a Z_aj^2 - Z_j' W Z_j          (one matrix product for all j)
    d log p / d log noise = noise/2 (alpha' alpha - tr K^-1)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nonstop.errors import DataError
from nonstop.surrogate.descent import Limits, minimize
from nonstop.surrogate.kernels import squared_distances, value_and_steepness
from nonstop.surrogate.linalg import Array, NotPositiveDefiniteError, gram, inverse_root, symmetric_times
from nonstop.surrogate.model import PAPER, Surrogate

_COARSE = 140  # the starts race on about this many points (more in high dimension); only the winner sees all
_GROWTH = 4  # each finer level has this many times the points of the one before
_FISHER = 72  # points that give the curvature for the next level
_TOLERANCE = 1e-4  # of the log posterior: far below what changes a proposal


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """One lengthscale per dimension of the cube, and the noise variance in units of the variance of y."""

    lengthscales: tuple[float, ...]
    noise: float

    def __post_init__(self) -> None:
        if not all(0.0 < value < math.inf for value in (*self.lengthscales, self.noise)):
            raise DataError(f"lengthscales and noise must be positive and finite: {self!r}")

    @property
    def theta(self) -> Array:
        theta: Array = np.log(np.array([*self.lengthscales, self.noise]))
        return theta

    @classmethod
    def of(cls, theta: Array) -> Hyperparameters:
        *lengthscales, noise = np.exp(theta).tolist()
        return cls(tuple(lengthscales), noise)


@dataclass(frozen=True, slots=True)
class Fit:
    """The best hyperparameters found, their log posterior, and how many likelihoods it took."""

    hyperparameters: Hyperparameters
    objective: float
    evaluations: int


def log_posterior(X: Array, y: Array, hyper: Hyperparameters, model: Surrogate = PAPER) -> float:
    """log p(y | phi) + log p(phi), priors as densities of the lengthscales and the noise themselves."""
    return float(-_negative(X, y, hyper.theta, model)[0])


def fit(X: Array, y: Array, model: Surrogate = PAPER, warm: Hyperparameters | None = None) -> Fit:
    """Maximise the log posterior: from the warm start alone, or, without one and whenever the data have grown by a
    tenth, from the prior as well.

    Coarse to fine: all starts race on a subset; the winner goes on with four times the data, until all of it is used.
    The last level decides; the earlier ones only save evaluations there.
    """
    n, d = X.shape
    lower, upper = model.log_bounds(d)
    starts = _starts(n, d, model, warm)
    evaluations = 0
    for size in _levels(n, d) if len(starts) > 1 else [n]:
        some, last = _thinned(n, size), size == n
        # Where one start is left it is near the end, and the curvature there is worth its price.
        metric = _metric(X, starts[0], model, size)[None] if len(starts) == 1 else None
        limits = Limits(_TOLERANCE if last else 30 * _TOLERANCE, longest=1.0, merge=0.1, rounds=100 if last else 40)
        found = minimize(partial(_negatives, X[some], y[some], model), starts, lower, upper, limits, metric)
        evaluations += found.rounds
        winner = np.argmin(found.value)
        starts = found.x[[winner]]
    return Fit(Hyperparameters.of(starts[0]), float(-found.value[winner]), evaluations)


def prior_mode(d: int, model: Surrogate = PAPER) -> Hyperparameters:
    """The most likely hyperparameters before any data."""
    lower, upper = model.log_bounds(d)
    return Hyperparameters.of(np.clip(_starts(1, d, model, None)[0], lower, upper))


def _levels(n: int, d: int) -> list[int]:
    """How many points each level sees. Too few would settle in a valley that the full data do not have."""
    coarse = max(_COARSE, 4 * d)
    sizes = [n]
    while sizes[0] > 1.5 * coarse:
        sizes.insert(0, max(math.ceil(sizes[0] / _GROWTH), coarse))
    return sizes


def _starts(n: int, d: int, model: Surrogate, warm: Hyperparameters | None) -> Array:
    """The warm start; and from the prior its mode, shorter lengthscales, and the mode with much noise: three valleys
    that the likelihood often has."""
    lengthscale, noise = model.lengthscale_prior_in(d).log_mode, model.noise_prior.log_mode
    shifts = ((0.0, 0.0), (-1.0, 0.0), (0.0, 4.0))
    rows = [np.append(np.full(d, lengthscale + shift), noise + louder) for shift, louder in shifts]
    if warm is not None:
        rows = [warm.theta, *rows] if _has_grown(n) else [warm.theta]
    return np.array(rows)


def _has_grown(n: int) -> bool:
    """Does point n bring the data over the next power of 1.1?"""
    return n < 2 or math.floor(math.log(n, 1.1)) > math.floor(math.log(n - 1, 1.1))


def _metric(X: Array, theta: Array, model: Surrogate, n: int) -> Array:
    """The inverse curvature of the log posterior of n points at theta, from the Fisher information of a few of them:
    F_ij = tr(K^-1 K_i K^-1 K_j) / 2 with K_i = dK / dtheta_i grows with the number of points, so few are enough."""
    d = X.shape[1]
    few = X[_thinned(len(X), min(n, _FISHER))]
    noise = math.exp(theta[-1])
    Z = few / np.exp(theta[:-1])
    K, H = value_and_steepness(model.kernel, squared_distances(Z, Z))
    slopes = np.empty((d + 1, len(few), len(few)))
    np.square(Z.T[:, :, None] - Z.T[:, None, :], out=slopes[:-1])
    slopes[:-1] *= H
    slopes[-1] = noise * np.eye(len(few))
    K.flat[:: len(few) + 1] = 1.0 + noise
    R, _ = inverse_root(K)
    R = np.ascontiguousarray(R)
    whitened = (R @ slopes @ R.T).reshape(d + 1, -1)
    precision = (0.5 * n / len(few)) * (whitened @ whitened.T)
    precision.flat[:: d + 2] += np.append(
        np.full(d, model.lengthscale_prior.sigma**-2.0), model.noise_prior.sigma**-2.0
    )
    return np.asarray(np.linalg.inv(precision), dtype=np.float64)


def _thinned(n: int, size: int) -> slice | NDArray[np.intp]:
    """`size` of n rows, evenly: the early, space-filling points and the late, clustered ones are both there."""
    return np.unique(np.linspace(0, n - 1, size).round().astype(int)) if size < n else slice(None)


def _negatives(X: Array, y: Array, model: Surrogate, thetas: Array) -> tuple[Array, Array]:
    results = [_negative(X, y, theta, model) for theta in thetas]
    return np.array([value for value, _ in results]), np.array([slope for _, slope in results])


def _negative(X: Array, y: Array, theta: Array, model: Surrogate) -> tuple[float, Array]:
    """Minus the log posterior and its gradient; infinite where K cannot be factorised."""
    n, d = X.shape
    noise = math.exp(theta[-1])
    Z = X / np.exp(theta[:-1])
    K, H = value_and_steepness(model.kernel, squared_distances(Z, Z))
    K.flat[:: n + 1] = 1.0 + noise
    try:
        R, _ = inverse_root(K, jitters=(0.0,))
    except NotPositiveDefiniteError:
        return math.inf, np.zeros(d + 1)
    root_y = R @ y
    alpha = R.T @ root_y
    K_inverse = gram(R)
    log_likelihood = -0.5 * root_y @ root_y + np.log(R.diagonal()).sum() - 0.5 * n * math.log(2.0 * math.pi)

    slope = np.empty(d + 1)
    slope[-1] = 0.5 * noise * (alpha @ alpha - np.trace(K_inverse))
    W = np.multiply.outer(alpha, alpha)
    W -= K_inverse
    W *= H
    Z1 = np.column_stack([Z, np.ones(n)])
    WZ1 = symmetric_times(W, Z1)  # W Z and, in the last column, the row sums s
    slope[:-1] = WZ1[:, -1] @ (Z * Z) - np.einsum("ij,ij->j", Z, WZ1[:, :-1])

    prior = model.lengthscale_prior_in(d)
    log_prior = prior.log_density(theta[:-1]).sum() + model.noise_prior.log_density(theta[-1:]).sum()
    slope[:-1] += prior.slope(theta[:-1])
    slope[-1:] += model.noise_prior.slope(theta[-1:])
    return float(-(log_likelihood + log_prior)), -slope
