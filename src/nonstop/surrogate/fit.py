"""From data to hyperparameters: the maximum of log p(y | phi) + log p(phi) (the paper's section 4.2).

Symbols: X (n, d) in the unit cube, y (n,) standardised, theta = (log lengthscale_1..d, log noise).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nonstop.numerics.descent import Limits, minimize
from nonstop.numerics.linalg import inverse_root
from nonstop.space.embedding import PLAIN, Embedding
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.kernel import symmetric
from nonstop.surrogate.kernels.names import kernel_of
from nonstop.surrogate.likelihood import Likelihood
from nonstop.surrogate.model import PAPER, Surrogate
from nonstop.surrogate.thinning import evenly
from nonstop.types import Array

_COARSE = 140  # points on which the starts are compared, more in high dimension; only the best start sees all data
_GROWTH = 4  # how many times more points each finer level has
_INFORMED = 256  # points from which the curvature for the next level is estimated
_NOISIER = 4.0  # how much noisier than the prior's mode some starts are, in log noise
_NOISY = -1.0  # log noise of a start that takes a third of the variance for noise
# Tolerances are in units of the log posterior. The last one is far below what would change a proposal.
_COARSE_LIMITS = Limits(tolerance=3e-3, longest=1.0, merge=0.1, rounds=40)
_LIMITS = Limits(tolerance=1e-4, longest=1.0, merge=0.1, rounds=100)


@dataclass(frozen=True, slots=True)
class Fit:
    """The best hyperparameters found, their log posterior, and how many likelihoods were evaluated."""

    hyperparameters: Hyperparameters
    objective: float
    evaluations: int


def log_posterior(X: Array, y: Array, hyper: Hyperparameters, model: Surrogate = PAPER) -> float:
    """log p(y | phi) + log p(phi). Priors are densities of the lengthscales and the noise, not of their logarithms."""
    return -Likelihood(X, y, model).value(hyper.theta)


def fit(
    X: Array,
    y: Array,
    model: Surrogate = PAPER,
    warm: Hyperparameters | None = None,
    embedding: Embedding = PLAIN,
) -> Fit:
    """Maximise the log posterior: from the warm start alone, or, without one and whenever the data have grown by a
    quarter, from the prior as well.

    From coarse to fine: all starts descend on a subset of the data; the best one continues with four times as many
    points, until all are used. The result is the maximum for all data; the coarse levels only save evaluations there.
    Few points cannot always tell noise from a rough function: if the prior leaves that open, more of them decide.
    """
    n, d = X.shape
    lower, upper = model.log_bounds(d)
    theta = np.empty((0, d + 1)) if warm is None else warm.theta.clip(lower, upper)[None]
    cold = warm is None or _has_grown(n, warm.results or n - 1)
    evaluations = 0
    for level, size in enumerate(_levels(n, d) if cold else [n]):
        likelihood = Likelihood(*_some(X, y, size), model, embedding)
        if cold and level == 0:
            theta, metric = np.concatenate([theta, _starts(likelihood, embedding)]), None
        else:  # close to the maximum, an estimate of the curvature saves more rounds than it costs
            theta = min(theta, key=likelihood.value)[None] if len(theta) > 1 else theta
            metric = _metric(X, y, theta[0], model, size, embedding)
        limits = _LIMITS if size == n else _COARSE_LIMITS
        found = minimize(likelihood.values_and_slopes, theta, lower, upper, limits, metric)
        evaluations += found.rounds
        ranked = np.argsort(found.value, kind="stable")
        theta = found.x[ranked if _leaves_noise_open(model) else ranked[:1]]
    return Fit(Hyperparameters.of(theta[0]), float(-found.value[ranked[0]]), evaluations)


def prior_mode(d: int, model: Surrogate = PAPER, embedding: Embedding = PLAIN) -> Hyperparameters:
    """The mode of the prior."""
    return Hyperparameters.of(_around_the_mode(d, model, embedding, 0.0, 0.0))


def _around_the_mode(d: int, model: Surrogate, embedding: Embedding, longer: float, noisier: float) -> Array:
    """theta at the prior's mode, shifted by that much, clipped to the bounds."""
    lengthscale = model.lengthscale_prior_in(embedding.together or d).log_mode
    noise = model.noise_prior.log_mode
    lower, upper = model.log_bounds(d)
    theta: Array = np.append(np.full(d, lengthscale + longer), noise + noisier)
    return np.minimum(np.maximum(theta, lower), upper)


def _levels(n: int, d: int) -> list[int]:
    """How many points each level sees. With too few, the descent can end in a minimum that the full data do not
    have."""
    coarse = max(_COARSE, 4 * d)
    sizes = [n]
    while sizes[0] > 1.5 * coarse:
        sizes.insert(0, max(math.ceil(sizes[0] / _GROWTH), coarse))
    return sizes


def _starts(likelihood: Likelihood, embedding: Embedding) -> Array:
    """The prior's mode, and the best of six points around it. The likelihood often has several local maxima: with
    short or with long lengthscales, and one that explains most of the variance by noise. A prior that expects next to
    no noise is too far from that one for a descent to get there: then it has a start of its own."""
    d, model = likelihood.d, likelihood.model

    def with_noise(noisier: float) -> list[Array]:
        return [_around_the_mode(d, model, embedding, longer, noisier) for longer in (-1.0, 0.0, 1.0)]

    around = with_noise(0.0) + with_noise(_NOISIER)
    mode, best = around[1], min(around, key=likelihood.value)
    starts = [mode] if best is mode else [mode, best]
    if _leaves_noise_open(model):
        starts.append(min(with_noise(_NOISY - model.noise_prior.log_mode), key=likelihood.value))
    return np.array(starts)


def _leaves_noise_open(model: Surrogate) -> bool:
    """Does the prior expect next to no noise, and still allow for much? The paper's does not."""
    return model.noise_prior.log_mode + _NOISIER < _NOISY < math.log(model.noise_bounds[1])


def _has_grown(n: int, before: int) -> bool:
    """Is there a power of 1.25 between the two numbers of data?"""
    return before < 1 or math.floor(math.log(n, 1.25)) > math.floor(math.log(before, 1.25))


def _metric(X: Array, y: Array, theta: Array, model: Surrogate, n: int, embedding: Embedding = PLAIN) -> Array:
    """The inverse curvature of the log posterior of n points at theta, estimated from some of them by the average
    information (K_i alpha)' K^-1 (K_j alpha) / 2 with K_i = dK / dtheta_i, which is the mean of the expected and the
    observed curvature. K_i alpha = sum_b h_ab (z_ai - z_bi)^2 alpha_b is one product with h for all i."""
    few, values = _some(X, y, min(n, _INFORMED))
    m, d = few.shape
    noise = math.exp(theta[-1])
    Z = embedding.apply(few) / embedding.widen(np.exp(theta[:-1]))
    K = np.empty((m, m))
    H = symmetric(kernel_of(model.kernel), Z, K)
    np.fill_diagonal(K, 1.0 + noise)
    R = inverse_root(K)[0]
    alpha = R.T @ (R @ values)
    np.fill_diagonal(H, 0.0)  # its terms are zero because z_a = z_b; without this they would be rounding errors
    squares = Z * Z
    sums = H @ (alpha[:, None] * np.concatenate([np.ones((m, 1)), Z, squares], axis=1))
    e = Z.shape[1]
    slopes = embedding.tie(squares * sums[:, :1] - 2.0 * Z * sums[:, 1 : e + 1] + sums[:, e + 1 :])
    roots = R @ np.concatenate([slopes, noise * alpha[:, None]], axis=1)
    precision = (0.5 * n / m) * (roots.T @ roots)
    precision.flat[:: d + 2] += [*[model.lengthscale_prior.sigma**-2.0] * d, model.noise_prior.sigma**-2.0]
    return np.asarray(np.linalg.inv(precision), dtype=np.float64)


def _some(X: Array, y: Array, size: int) -> tuple[Array, Array]:
    """`size` of the rows, evenly spread."""
    if size >= len(X):
        return X, y
    rows = evenly(len(X), size)
    return X[rows], y[rows]
