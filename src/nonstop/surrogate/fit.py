"""From data to hyperparameters: the maximum of log p(y | phi) + log p(phi) (the paper's section 4.2).

Symbols: X (n, d) in the unit cube, y (n,) standardised, theta = (log lengthscale_1..d, log noise).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nonstop.numerics.descent import Limits, minimize
from nonstop.numerics.linalg import inverse_root
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels import symmetric
from nonstop.surrogate.likelihood import Likelihood
from nonstop.surrogate.model import PAPER, Surrogate
from nonstop.surrogate.thinning import evenly
from nonstop.types import Array

_COARSE = 140  # the starts race on about this many points (more in high dimension); only the winner sees all
_GROWTH = 4  # each finer level has this many times the points of the one before
_INFORMED = 256  # points that give the curvature for the next level
# Tolerances of the log posterior; the last is far below what changes a proposal.
_COARSE_LIMITS = Limits(tolerance=3e-3, longest=1.0, merge=0.1, rounds=40)
_LIMITS = Limits(tolerance=1e-4, longest=1.0, merge=0.1, rounds=100)


@dataclass(frozen=True, slots=True)
class Fit:
    """The best hyperparameters found, their log posterior, and how many likelihoods it took."""

    hyperparameters: Hyperparameters
    objective: float
    evaluations: int


def log_posterior(X: Array, y: Array, hyper: Hyperparameters, model: Surrogate = PAPER) -> float:
    """log p(y | phi) + log p(phi), priors as densities of the lengthscales and the noise themselves."""
    return -Likelihood(X, y, model).value(hyper.theta)


def fit(X: Array, y: Array, model: Surrogate = PAPER, warm: Hyperparameters | None = None) -> Fit:
    """Maximise the log posterior: from the warm start alone, or, without one and whenever the data have grown by a
    quarter, from the prior as well.

    Coarse to fine: the starts race on a subset; the winner goes on with four times the data, until all of it is used.
    The last level decides; the earlier ones only save evaluations there.
    """
    n, d = X.shape
    lower, upper = model.log_bounds(d)
    theta = np.empty((0, d + 1)) if warm is None else warm.theta.clip(lower, upper)[None]
    cold = warm is None or _has_grown(n, warm.results or n - 1)
    evaluations = 0
    for level, size in enumerate(_levels(n, d) if cold else [n]):
        likelihood = Likelihood(*_some(X, y, size), model)
        if cold and level == 0:
            theta, metric = np.concatenate([theta, _starts(likelihood)]), None
        else:  # the end is near, and the curvature there is worth its price
            metric = _metric(X, y, theta[0], model, size)
        limits = _LIMITS if size == n else _COARSE_LIMITS
        found = minimize(likelihood.values_and_slopes, theta, lower, upper, limits, metric)
        evaluations += found.rounds
        winner = np.argmin(found.value)
        theta = found.x[[winner]]
    return Fit(Hyperparameters.of(theta[0]), float(-found.value[winner]), evaluations)


def prior_mode(d: int, model: Surrogate = PAPER) -> Hyperparameters:
    """The most likely hyperparameters before any data."""
    return Hyperparameters.of(_around_the_mode(d, model, 0.0, 0.0))


def _around_the_mode(d: int, model: Surrogate, longer: float, noisier: float) -> Array:
    """theta at the prior's mode, shifted, inside the bounds."""
    lengthscale, noise = model.lengthscale_prior_in(d).log_mode, model.noise_prior.log_mode
    lower, upper = model.log_bounds(d)
    theta: Array = np.append(np.full(d, lengthscale + longer), noise + noisier)
    return np.minimum(np.maximum(theta, lower), upper)


def _levels(n: int, d: int) -> list[int]:
    """How many points each level sees. Too few would settle in a valley that the full data do not have."""
    coarse = max(_COARSE, 4 * d)
    sizes = [n]
    while sizes[0] > 1.5 * coarse:
        sizes.insert(0, max(math.ceil(sizes[0] / _GROWTH), coarse))
    return sizes


def _starts(likelihood: Likelihood) -> Array:
    """The prior's mode, and the best of a look around it: lengthscales may be shorter or longer, and most of what is
    seen may be noise. Those are the valleys that the likelihood often has."""
    d, model = likelihood.X.shape[1], likelihood.model
    around = [_around_the_mode(d, model, longer, noisier) for noisier in (0.0, 4.0) for longer in (-1.0, 0.0, 1.0)]
    mode, best = around[1], min(around, key=likelihood.value)
    return np.array([mode] if best is mode else [mode, best])


def _has_grown(n: int, before: int) -> bool:
    """Have the data passed a power of 1.25 since they were so many?"""
    return before < 1 or math.floor(math.log(n, 1.25)) > math.floor(math.log(before, 1.25))


def _metric(X: Array, y: Array, theta: Array, model: Surrogate, n: int) -> Array:
    """The inverse curvature of the log posterior of n points at theta, from the average information of some of them:
    (K_i alpha)' K^-1 (K_j alpha) / 2 with K_i = dK / dtheta_i, halfway between the expected curvature and the observed.
    K_i alpha = sum_b h_ab (z_ai - z_bi)^2 alpha_b for all i is one product with h."""
    few, values = _some(X, y, min(n, _INFORMED))
    m, d = few.shape
    noise = math.exp(theta[-1])
    Z = few / np.exp(theta[:-1])
    K = np.empty((m, m))
    H = symmetric(model.kernel, Z, K)
    np.fill_diagonal(K, 1.0 + noise)
    R = inverse_root(K)[0]
    alpha = R.T @ (R @ values)
    np.fill_diagonal(H, 0.0)  # where z_a = z_b: the sum is without it what it would be but for rounding
    squares = Z * Z
    sums = H @ (alpha[:, None] * np.concatenate([np.ones((m, 1)), Z, squares], axis=1))
    slopes = squares * sums[:, :1] - 2.0 * Z * sums[:, 1 : d + 1] + sums[:, d + 1 :]
    roots = R @ np.concatenate([slopes, noise * alpha[:, None]], axis=1)
    precision = (0.5 * n / m) * (roots.T @ roots)
    precision.flat[:: d + 2] += [*[model.lengthscale_prior.sigma**-2.0] * d, model.noise_prior.sigma**-2.0]
    return np.asarray(np.linalg.inv(precision), dtype=np.float64)


def _some(X: Array, y: Array, size: int) -> tuple[Array, Array]:
    """`size` of the rows."""
    if size >= len(X):
        return X, y
    rows = evenly(len(X), size)
    return X[rows], y[rows]
