"""Where an evaluation is likely to succeed: the logarithm of that probability, added to any acquisition.

    log alpha(x) + sum_i w_i log p_i(x)

Symbols: alpha the acquisition; p_i the probability that the i-th condition holds at x: that the evaluation does not
fail, or that an outcome keeps its bound. Each log p_i is a term: an Acquisition of its own, with a weight w_i. As long
as no result keeps all bounds there is nothing to improve on, and the sum is all that is maximised.

An acquisition that is a logarithm, such as LogEI, is taken as it is: EI times probability. Another one may be negative,
so log softplus takes the place of its logarithm, as in local penalization (see penalized.py). Near the best points that
is about 0.7 of the value itself, in standardised units: for UCB, a point that fails every second time has to promise
three standard deviations of y more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from nonstop.acquisition.penalized import log_softplus
from nonstop.acquisition.rule import Acquisition, Term
from nonstop.acquisition.scored import Scored
from nonstop.numerics.normal import log_probability_above
from nonstop.space.embedding import PLAIN, Embedding
from nonstop.surrogate.gp import GP
from nonstop.surrogate.success import Success
from nonstop.types import Array

#: How much the log-probability of success counts. With 1, rules cross the border of a failing region about every second
#: time that the best points lie at it, because they do not see that a failure teaches nothing about y.
#: benchmarks/failures.py measures it.
_SUCCESS = 3.0

#: How much the log-probability of a bound counts. A result outside of it teaches as much as one inside;
#: docs/decisions/0018 has the measurements.
_BOUND = 1.0

#: The share of evaluations that succeed or fail for reasons that have nothing to do with their point. So no region is
#: given up.
_BY_CHANCE = 0.01

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True, slots=True)
class LogProbability:
    """The log of Phi((offset + mean) / sqrt(1 + amplitude sd^2)), mixed with the plain rate as far as that is not
    trusted, and kept away from 0 and 1: a standard rule."""

    offset: float
    amplitude: float
    rate: float = 0.5
    trust: float = 1.0

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        variance = 1.0 + self.amplitude * sd * sd
        z = (self.offset + mean) / np.sqrt(variance)
        sure = 1.0 - 2.0 * _BY_CHANCE
        p = _BY_CHANCE + sure * (self.trust * np.exp(log_ndtr(z)) + (1.0 - self.trust) * self.rate)
        by_z = sure * self.trust * np.exp(-0.5 * z * z - _LOG_SQRT_2PI) / p
        return np.log(p), by_z / np.sqrt(variance), -by_z * z * self.amplitude * sd / variance


@dataclass(frozen=True, slots=True)
class LogKept:
    """The log-probability that an outcome keeps its bound: a standard rule."""

    bound: float

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        return log_probability_above(mean, sd, self.bound)


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """The weighted log-probabilities `terms`, at least one, as an Acquisition."""

    terms: Sequence[Term]

    def screen(self, P: Array) -> Array:
        return np.asarray(np.sum([term.weight * term.screen(P) for term in self.terms], axis=0))

    def value(self, P: Array) -> Array:
        return np.asarray(np.sum([term.weight * term.value(P) for term in self.terms], axis=0))

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        value, gradient = np.zeros(len(P)), np.zeros(P.shape)
        for term in self.terms:
            more, steeper = term.value_and_gradient(P)
            value, gradient = value + term.weight * more, gradient + term.weight * steeper
        return value, gradient


@dataclass(frozen=True, slots=True, eq=False)
class Feasible:
    """An acquisition plus the weighted log-probabilities `terms`, as an Acquisition."""

    inner: Acquisition
    terms: Sequence[Term]

    def screen(self, P: Array) -> Array:
        return self._logarithm(self.inner.screen(P))[0] + Conditions(self.terms).screen(P)

    def value(self, P: Array) -> Array:
        return self._logarithm(self.inner.value(P))[0] + Conditions(self.terms).value(P)

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        value, gradient = self.inner.value_and_gradient(P)
        value, slope = self._logarithm(value)
        more, steeper = Conditions(self.terms).value_and_gradient(P)
        return value + more, slope[:, None] * gradient + steeper

    def _logarithm(self, value: Array) -> tuple[Array, Array]:
        """The value, as a logarithm, and the derivative of that."""
        return (value, np.ones_like(value)) if getattr(self.inner, "logarithmic", False) else log_softplus(value)


def log_probability(terms: Sequence[Term], P: Array) -> Array:
    """The log-probability (m,) that all conditions hold at the rows of P."""
    return np.asarray(np.sum([term.value(P) for term in terms], axis=0))


def success_terms(X: Array, failed: Array, pending: Array, embedding: Embedding = PLAIN) -> tuple[Scored, ...]:
    """The log-probability that an evaluation succeeds, given completed, failed and pending points; none if none failed,
    or if failures seem to come at random.

    What is pending is believed: a point expected to fail counts as one that failed about as expected, so that the model
    is surer of its surroundings, and another worker keeps away from them. What is expected is not changed by it.
    """
    if not len(failed):
        return ()
    known = Success.of(X, failed, embedding)
    if known.trust < 0.5:  # more likely at random: small differences of p would only mislead rules that look closely
        return ()
    rule = LogProbability(known.offset, known.amplitude, known.rate, known.trust)
    return (Scored(rule, known.gp.condition(pending), 0.0, len(X), len(pending), _SUCCESS),)


def bound_term(gp: GP, bound: float, results: int, pending: Array) -> Scored:
    """The log-probability that an outcome keeps its bound; pending points are believed."""
    return Scored(LogKept(bound), gp.condition(pending), 0.0, results, len(pending), _BOUND)
