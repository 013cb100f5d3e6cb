"""Local penalization: the acquisition is multiplied by functions that vanish at the busy points (PLAyBOOK, Alvi et al.
2019; the paper's appendix A.2).

    alpha(x) prod_j phi_j(x),    phi_j = (w_j^p + 1)^(1/p),    w_j = L_j |x - x_j| / (|mu(x_j) - y*| + gamma sigma(x_j))

Symbols: x_j the busy points; y* the best value; gamma = 1, and p = -5, which makes min{w, 1} smooth; L_j the largest
|grad mu| over the cube (LP), or over the box around x_j whose sides are the lengthscales (LLP). Points, distances and
gradients are those that the model sees (space/embedding.py).

A product only penalizes where alpha > 0. UCB may be negative, so softplus(UCB) = log(1 + exp(UCB)) takes its place, as
in González et al. (2016): it keeps the order of points and has no parameter, while a shift by the least UCB would make
the strength of the penalty depend on the worst point. Everything is computed in logarithms; LogEI is one already, and
so is any other rule that says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from nonstop.acquisition.rule import Choice, Score, View
from nonstop.acquisition.scored import Scored, scored, standard
from nonstop.arguments import flag, number
from nonstop.errors import RuleError
from nonstop.space.embedding import Embedding
from nonstop.surrogate.gp import GP
from nonstop.surrogate.steepness import steepest
from nonstop.types import Array

_POWER = 5.0  # minus p
_FLAT = 1e-7  # a mean that is nowhere steeper than this says nothing about L
_IF_FLAT = 10.0  # L in that case, as in GPyOpt
_NEAREST = 1e-24  # the least squared distance: keeps the logarithm finite at the busy point itself


@dataclass(frozen=True, slots=True)
class Penalized:
    """A standard rule times the penalizers of all busy points; if `local`, each has its own Lipschitz constant."""

    objectives: ClassVar[int] = 1
    close_ups: ClassVar[bool] = True
    inner: Score
    local: bool = False
    gamma: float = 1.0

    def __post_init__(self) -> None:
        standard("Penalized", self.inner)
        flag("Penalized: local", self.local, RuleError)
        number("Penalized: gamma", self.gamma, RuleError, least=0.0)

    def choose(self, view: View) -> Choice:
        plain = scored(self.inner, view)
        if not len(view.busy):
            return view.maximize(plain)
        constants = lipschitz(view.one, view.busy, self.local)
        mean, variance = view.gp.moments(view.busy)
        slopes = constants / (np.abs(mean - view.best) + self.gamma * np.sqrt(variance))
        return view.maximize(Penalty(plain, view.one.embedding, view.busy, slopes))


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """log alpha + sum_j log phi_j, as an Acquisition; w_j = slopes_j |x - x_j|."""

    logarithmic: ClassVar[bool] = True
    scored: Scored
    embedding: Embedding
    busy: Array
    slopes: Array

    def screen(self, P: Array) -> Array:
        return self._logarithm(self.scored.screen(P))[0] + self._penalty(P)[0]

    def value(self, P: Array) -> Array:
        return self._logarithm(self.scored.value(P))[0] + self._penalty(P)[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        value, slope = self.scored.value_and_gradient(P)
        value, by_value = self._logarithm(value)
        penalty, penalty_slope = self._penalty(P)
        return value + penalty, by_value[:, None] * slope + penalty_slope

    def _logarithm(self, value: Array) -> tuple[Array, Array]:
        return (value, np.ones_like(value)) if self.scored.logarithmic else log_softplus(value)

    def _penalty(self, P: Array) -> tuple[Array, Array]:
        E = self.embedding.apply(P)
        apart = E[:, None, :] - self.embedding.apply(self.busy)
        squared = np.maximum(np.square(apart).sum(axis=2), _NEAREST)
        value, by_log_w = log_penalizer(0.5 * np.log(squared) + np.log(self.slopes))
        return value.sum(axis=1), self.embedding.pull(E, np.einsum("mb,mbd->md", by_log_w / squared, apart))


def log_penalizer(log_w: Array) -> tuple[Array, Array]:
    """log (w^-5 + 1)^(-1/5) and its derivative in log w: about log w near the busy point, about 0 far from it."""
    return -np.logaddexp(0.0, -_POWER * log_w) / _POWER, expit(-_POWER * log_w)


def log_softplus(u: Array) -> tuple[Array, Array]:
    """log log(1 + e^u) and its derivative; where e^u is tiny, log(1 + e^u) is e^u to all digits."""
    softplus = np.logaddexp(0.0, u)
    small = u < -30.0
    safe = np.where(small, 1.0, softplus)
    return np.where(small, u, np.log(safe)), np.where(small, 1.0, expit(u) / safe)


def lipschitz(gp: GP, busy: Array, local: bool) -> Array:
    """L_j for every busy point (b,)."""
    e = len(gp.scales)
    if local:
        half = 0.5 * gp.scales
        around = gp.embedding.apply(busy)
        found = [steepest(gp, np.maximum(x - half, 0.0), np.minimum(x + half, 1.0)) for x in around]
    else:
        found = [steepest(gp, np.zeros(e), np.ones(e))] * len(busy)
    return np.array([L if L > _FLAT else _IF_FLAT for L in found])
