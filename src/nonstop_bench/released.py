"""Rules as the paper's published code has them, where they differ from its text (SAIS-BO, commit 4f49d79). What they do
was read there; nothing is copied. Each difference is a switch (switches.py).

Symbols: y the values as they are, larger being better, with mean c and standard deviation s; in the model they are
(y - c) / s - m, with m the fitted constant mean, 0 without one; u a standardised UCB, s (u + m) + c the raw one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from scipy.special import expit

from nonstop.acquisition.aegis import epsilon
from nonstop.acquisition.expected import ExpectedLogEI
from nonstop.acquisition.inside import scattered
from nonstop.acquisition.pareto import ranks
from nonstop.acquisition.penalized import Penalty, lipschitz
from nonstop.acquisition.rule import Choice, Score, View
from nonstop.acquisition.scored import Scored, scored
from nonstop.acquisition.standard import UCB, LogEI, Mean
from nonstop.acquisition.thompson import Thompson
from nonstop.surrogate.gp import GP, VARIANCE_FLOOR
from nonstop.surrogate.steepness import steepest
from nonstop.types import Array

_LEAST = 1e-8  # a raw UCB below this counts as this, and so does a slope
_DRAWS = 512  # of the joint improvement
_SCREENED = 16  # of these, those that candidates are ranked by
_SOFT = 1e-6  # how smooth the joint improvement is at zero
_FAT = 0.1  # the weight of its left tail
_BLOCK = 64  # points evaluated at once


@runtime_checkable
class Seeing(Protocol):
    """A rule that wants to see the values before they are standardised."""

    def seeing(self, y: Array) -> Seeing:
        """The rule for these values, larger being better."""


@dataclass(frozen=True, slots=True)
class RawUCB:
    """log max(raw UCB, 1e-8): where the raw UCB is negative, the model is ignored. -Ackley, say, is never positive."""

    logarithmic: ClassVar[bool] = True
    beta: float
    offset: float  # (c + s m) / s: the raw UCB is s (u + offset)
    spread: float  # s

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:
        u, by_mean, by_sd = UCB(self.beta).score(mean, sd, best)
        raw = self.spread * (u + self.offset)
        slope = np.where(raw > _LEAST, self.spread / np.maximum(raw, _LEAST), 0.0)
        return np.log(np.maximum(raw, _LEAST)), slope * by_mean, slope * by_sd


@dataclass(frozen=True, slots=True)
class ReleasedPenalized:
    """Local penalization. `clamp`: of the raw UCB, not of its softplus; `steep`: the Lipschitz constant is that of a
    process through the raw values, whose mean returns to zero away from the data; `wide`: the boxes of LLP reach a
    whole lengthscale to each side, not half of one."""

    objectives: ClassVar[int] = 1
    local: bool = False
    clamp: bool = False
    steep: bool = False
    wide: bool = False
    center: float = 0.0  # of the values, once it has seen them
    spread: float = 1.0

    def seeing(self, y: Array) -> ReleasedPenalized:
        spread = float(np.std(y, ddof=1)) if len(y) > 1 else 1.0
        return replace(self, center=float(np.mean(y)), spread=spread or 1.0)

    def choose(self, view: View) -> Choice:
        gp, n = view.one, view.results
        offset = self.center / self.spread - float(gp.y[:n].mean())  # the mean of the values in the model is -m
        rule: Score = RawUCB(2.0, offset, self.spread) if self.clamp else UCB()
        if not len(view.busy):  # then the code has no clamp either
            return view.maximize(scored(UCB(), view))
        field = gp.of_values(gp.y + offset) if self.steep else gp
        constants = boxes(field, view.busy) if self.local and self.wide else lipschitz(field, view.busy, self.local)
        mean, variance = gp.moments(view.busy)
        slopes = constants / (np.abs(mean - view.best) + np.sqrt(variance))
        return view.maximize(Penalty(scored(rule, view), gp.embedding, view.busy, slopes))


def boxes(gp: GP, busy: Array) -> Array:
    """The Lipschitz constant around each busy point, as far as a lengthscale on each side."""
    around = gp.embedding.apply(busy)
    found = [steepest(gp, np.maximum(x - gp.scales, 0.0), np.minimum(x + gp.scales, 1.0)) for x in around]
    return np.maximum(found, _LEAST)


@dataclass(frozen=True, slots=True)
class ReleasedBeliever:
    """The believer with busy points that were scaled to the range of the data twice, and so believed in elsewhere: the
    code hands scaled points to a method of BoTorch that scales them itself (0.18.1). Once a query has touched every
    face of the cube, nothing is left of the difference."""

    inner: Score

    def choose(self, view: View) -> Choice:
        X, b = view.gp.X[: view.results], len(view.busy)
        low, high = X.min(axis=0), X.max(axis=0)
        moved = (view.busy - low) / np.where(high > low, high - low, 1.0)
        values = view.gp.moments(view.busy)[0] if b else np.empty(0)
        best = float(values.max(initial=view.best))
        return view.maximize(Scored(self.inner, view.gp.condition(moved, values), best, view.results, b))


@dataclass(frozen=True, slots=True)
class ReleasedAegis:
    """AEGIS whose front is that of one random population, 100 d points, and of small means with large variances, though
    values are maximised."""

    features: int = 1024

    def choose(self, view: View) -> Choice:
        half = 0.5 * epsilon(view.cube.most_active)
        drawn = view.rng.random()
        if drawn < 1.0 - 2.0 * half:
            return view.maximize(scored(Mean(), view))
        if drawn < 1.0 - half:
            return Thompson(self.features).choose(view)
        points = scattered(view.cube, view.rng, 100 * view.cube.dim)
        mean, variance = view.gp.moments(points)
        front = view.rng.permutation(points[ranks(np.column_stack([-mean, variance])) == 0])
        return Choice(front[0], math.nan, front[1:])


@dataclass(frozen=True, slots=True)
class ReleasedExpected:
    """E-LogEI as the joint improvement of the point and the busy ones (BoTorch's qLogEI with pending points): the
    logarithm of its average over joint draws, instead of the average over draws at the busy points alone."""

    objectives: ClassVar[int] = 1
    samples: int = _DRAWS

    def choose(self, view: View) -> Choice:
        if not len(view.busy):
            return view.maximize(scored(LogEI(), view))
        draws = view.rng.standard_normal((self.samples, len(view.busy) + 1))
        expected = ExpectedLogEI.of(view.one, view.best, view.busy, draws[:, 1:])
        return view.maximize(JointLogEI(expected, view.best, draws[:, 0]))


@dataclass(frozen=True, slots=True, eq=False)
class JointLogEI:
    """log of the mean over i of softplus(max(f_i(x), M_i) - best), as an Acquisition: M_i is the best of the busy
    points in draw i, f_i(x) = mean_i(x) + sd(x) own_i."""

    logarithmic: ClassVar[bool] = True
    expected: ExpectedLogEI
    best: float
    own: Array

    def screen(self, P: Array) -> Array:
        mean, variance, w = self.expected.sketch.moments(P)
        return self._average(mean[:, None] + w @ self.expected.shifts[:_SCREENED].T, np.sqrt(variance))[0]

    def value(self, P: Array) -> Array:
        return np.concatenate([self._value(P[i : i + _BLOCK]) for i in range(0, max(len(P), 1), _BLOCK)])

    def _value(self, P: Array) -> Array:
        gp, shifts = self.expected.gp, self.expected.shifts
        k = gp.covariances(P)
        V = k @ gp.R.T
        sd = np.sqrt(np.maximum(1.0 - np.einsum("ij,ij->i", V, V), VARIANCE_FLOOR))
        return self._average((k @ gp.alpha)[:, None] + V[:, -shifts.shape[1] :] @ shifts.T, sd)[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        gp, shifts = self.expected.gp, self.expected.shifts
        mean, variance, chain = gp.moments_and_chain(P)
        R_b, sd = gp.R[-shifts.shape[1] :], np.sqrt(variance)
        means = mean[:, None] + gp.covariances(P) @ R_b.T @ shifts.T
        value, by_means, by_sd = self._average(means, sd)
        return value, chain(by_means.sum(axis=1), by_sd / (2.0 * sd), by_means @ shifts @ R_b)

    def _average(self, means: Array, sd: Array) -> tuple[Array, Array, Array]:
        """The value, and its derivatives in means (m, N) and in sd (m,). `bests` of the expectation is
        max(best, M_i): where that is larger than best, the busy points improve on it already."""
        few = slice(means.shape[1])
        own, there = self.own[few], self.expected.bests[few] - self.best
        f = means + sd[:, None] * own
        gain = f - self.best
        t = np.maximum(gain, np.where(there > 0.0, there, -np.inf)) / _SOFT
        values, slopes = log_fat_softplus(t)
        top = values.max(axis=1, keepdims=True)
        weights = np.exp(values - top)
        total = weights.sum(axis=1, keepdims=True)
        by_f = weights / total * slopes / _SOFT
        by_f[(there > 0.0) & (gain < there)] = 0.0  # the best of the busy points is better in this draw
        return (top + np.log(total / len(own)))[:, 0] + math.log(_SOFT), by_f, by_f @ own


def log_fat_softplus(t: Array) -> tuple[Array, Array]:
    """log(log(1 + e^t) + 0.1 / (1 + t^2)) and its derivative: a softplus whose left tail falls so slowly that points
    without an improvement can be told apart (Ament et al. 2023)."""
    tail = 1.0 / (1.0 + t * t)
    whole = np.logaddexp(0.0, t) + _FAT * tail
    return np.log(whole), (expit(t) - 2.0 * _FAT * t * tail * tail) / whole
