"""Where evaluations succeed: a probit classifier of the points that completed and of those that failed.

Its lengthscales are its own: failures often depend on one or two parameters, and not on those that the value depends on
most. A Gaussian process of the labels themselves, least squares instead of a probit, was measured too: it takes a step
for a short lengthscale, and so forgets a failing region a little way inside it.

Symbols: X (n, d) completed points, F (f, d) failed ones; g = offset + f(x) the latent function, f with variance s^2;
an evaluation at x succeeds with probability Phi((offset + mean) / sqrt(1 + s^2 variance)), where mean and variance are
those of a GP of unit signal variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit, ndtri

from nonstop.numerics.descent import Limits, minimize
from nonstop.numerics.linalg import NotPositiveDefiniteError
from nonstop.space.embedding import PLAIN, Embedding
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.kernel import covariance
from nonstop.surrogate.kernels.rbf import RBF
from nonstop.surrogate.model import PAPER
from nonstop.surrogate.probit import Evidence, log_likelihood, mode_of
from nonstop.surrogate.thinning import evenly
from nonstop.types import Array

_FITTED, _MOST = 75, 250  # points of either kind: for the hyperparameters, and in the model
# With shorter lengthscales or a larger spread, what many failures say would be forgotten a little way behind them.
_LENGTHSCALES: Final = (0.3, 100.0)
_SPREADS: Final = (0.1, 5.0)  # of the latent function: next to 0, all points succeed equally often
_LOG_SPREAD: Final = (1.0, 1.0)  # mean and standard deviation of log s in the prior
_LIMITS: Final = Limits(tolerance=1e-2, longest=1.0, merge=0.1, rounds=40)
_FITTING = 0.5  # what the evidence gains by fitting lengthscales and spread to failures that come at random
_INFORMATION = 2.0 / math.pi  # of one label about g, where both are equally likely


@dataclass(frozen=True, slots=True, eq=False)
class Success:
    """The classifier: a GP of unit signal variance, whose mean is that of the latent function."""

    gp: GP
    #: The latent function where nothing is known: the share of points that completed says it.
    offset: float
    #: The variance s^2 of the latent function.
    amplitude: float
    #: The share of points that completed.
    rate: float
    #: How likely it is that failures depend on the point at all, rather than come at random.
    trust: float

    @classmethod
    def of(cls, X: Array, F: Array, embedding: Embedding = PLAIN) -> Success:
        """The classifier of completed points X and failed points F. With many, an even choice of both is used."""
        # The rule of succession: even if all failed, the next may succeed.
        rate = (len(X) + 1) / (len(X) + len(F) + 2)
        offset = float(ndtri(rate))
        few = _labelled(X, F, _FITTED)
        theta = _estimated(*few, offset, embedding)
        trust = _trust(*few, offset, theta, embedding)
        points, t = _labelled(X, F, _MOST)
        lengthscales, s = np.exp(theta[:-1]), math.exp(theta[-1])
        E = embedding.apply(points)
        C = covariance(RBF(), E, E, embedding.widen(lengthscales))
        np.fill_diagonal(C, 1.0)
        mode = mode_of(s * s * C, t, offset)
        # Laplace's posterior is that of a GP with noise 1 / W at each point and the values below. Divided by s^2, that
        # is one of unit signal variance. Points that are believed later get the noise of an uncertain label.
        hyperparameters = Hyperparameters(tuple(lengthscales.tolist()), 1.0 / (s * s * _INFORMATION))
        R, alpha = s * mode.R * np.sqrt(mode.W), s * s * mode.slope
        gp = GP.given(points, mode.f + mode.slope / mode.W, hyperparameters, RBF(), R, alpha, embedding)
        return cls(gp, offset, s * s, rate, trust)


def _labelled(X: Array, F: Array, most: int) -> tuple[Array, Array]:
    """Points and labels, at most so many of either kind."""
    X, F = X[evenly(len(X), most)], F[evenly(len(F), most)]
    return np.concatenate([X, F]), np.concatenate([np.ones(len(X)), np.full(len(F), -1.0)])


def _trust(X: Array, t: Array, offset: float, theta: Array, embedding: Embedding) -> float:
    """The probability of this model, of two: the other is that all points fail equally often."""
    flat = float(log_likelihood(t, np.full(len(t), offset))[0].sum())
    gain = Evidence(X, t, offset, RBF(), embedding).value_and_slope(theta)[0] - flat
    return float(expit(gain - _FITTING))


def _estimated(X: Array, t: Array, offset: float, embedding: Embedding) -> Array:
    """theta = (log lengthscale_1..d, log s) at the maximum of evidence and prior. The lengthscales' prior is that of
    the surrogate: it prefers long ones, and so few parameters that matter."""
    d = X.shape[1]
    together = embedding.together or d
    prior, (mu, sigma) = PAPER.lengthscale_prior_in(together), _LOG_SPREAD
    evidence = Evidence(X, t, offset, RBF(), embedding)

    def function(thetas: Array) -> tuple[Array, Array]:
        values, slopes = [], []
        for theta in thetas:
            try:
                value, slope = evidence.value_and_slope(theta)
            except NotPositiveDefiniteError:
                value, slope = -math.inf, np.zeros(d + 1)
            off = (theta[-1] - mu) / sigma
            values.append(0.5 * off * off - float(prior.log_density(theta[:-1]).sum()) - value)
            slopes.append(-np.append(prior.slope(theta[:-1]), -off / sigma) - slope)
        return np.array(values), np.array(slopes)

    bounds = np.log(np.array([_LENGTHSCALES] * d + [_SPREADS]))
    start = np.append(np.full(d, math.log(0.5 * math.sqrt(together))), mu)
    return np.asarray(minimize(function, start[None], bounds[:, 0], bounds[:, 1], _LIMITS).x[0])
