"""The expected improvement, averaged over the unknown values of the busy points (the paper's appendix A.2).

    log 1/N sum_i EI(x | D_n, (B, y_i)),    y_i ~ N(mu_b, Sigma_b)

Symbols: B (b, d) busy points with posterior N(mu_b, Sigma_b), L L' = Sigma_b; e (N, b) standard normal draws,
y_i = mu_b + L e_i. The GP conditioned on (B, mu_b) has the inverse root R; R_b are its last b rows, w(x) = R_b k(x),
and C are the last b columns of R_b, so that C'C = (Sigma_b + noise I)^-1. Then draw i shifts the conditioned mean by
w(x)' u_i, u_i = C L e_i, and does not change the variance: all draws at m points are one product (m, b) (b, N).

The value to beat in draw i is the largest of the observed values and of y_i, because in the paper's formula (B, y_i) is
part of the data. Up to a constant this is the joint improvement of x and B (qEI), maximised one point at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.rule import Choice, View
from nonstop.acquisition.scored import scored
from nonstop.acquisition.standard import LogEI
from nonstop.arguments import whole
from nonstop.errors import RuleError
from nonstop.numerics.normal import log_ei
from nonstop.surrogate.gp import GP, VARIANCE_FLOOR
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array
from nonstop.wording import shown

_SCREENED = 16  # draws that candidates are ranked by
_MOST_SAMPLES = 10**6  # more than memory can hold are a mistake
_BLOCK = 64  # points evaluated at once: the (points, draws) matrices stay in the cache


@dataclass(frozen=True, slots=True)
class Expected:
    """The expectation of a rule over the unknown values of the busy points, from `samples` draws (Ginsbourger et al.
    2011; the paper takes 500). Only LogEI needs it: for UCB the expectation is KrigingBeliever(UCB()), exactly."""

    objectives: ClassVar[int] = 1
    close_ups: ClassVar[bool] = True
    inner: LogEI
    samples: int = 500

    def __post_init__(self) -> None:
        if not isinstance(self.inner, LogEI):
            raise RuleError(
                f"Expected wraps LogEI(), not {shown(self.inner)}; the expected UCB is KrigingBeliever(UCB())"
            )
        whole("Expected: samples", self.samples, RuleError, least=1, most=_MOST_SAMPLES)

    def choose(self, view: View) -> Choice:
        if not len(view.busy):
            return view.maximize(scored(self.inner, view))
        draws = view.rng.standard_normal((self.samples, len(view.busy)))
        kept = view.expected(view.busy)
        return view.maximize(ExpectedLogEI.of(view.one, view.best, view.busy, draws, kept))


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedLogEI:
    """The average over fixed draws, as an Acquisition: `shifts` are u (N, b), `bests` the values to beat (N,)."""

    logarithmic: ClassVar[bool] = True
    gp: GP
    shifts: Array
    bests: Array
    sketch: Sketch

    @classmethod
    def of(cls, gp: GP, best: float, busy: Array, draws: Array, kept: NDArray[np.bool_] | None = None) -> ExpectedLogEI:
        """`kept` (b,) are the busy points whose values have to be beaten, those that keep the bounds: all, if None."""
        b, kept = len(busy), np.ones(len(busy), dtype=bool) if kept is None else kept
        mu, covariance = gp.joint(busy)
        conditioned = gp.condition(busy, mu)
        root = square_root(covariance)
        corner = conditioned.R[-b:, -b:]
        bests = (mu + draws @ root.T)[:, kept].max(axis=1, initial=best)
        return cls(conditioned, draws @ (corner @ root).T, bests, Sketch.of(conditioned, b))

    def screen(self, P: Array) -> Array:
        mean, variance, w = self.sketch.moments(P)
        few = slice(_SCREENED)
        return average_log_ei(mean[:, None] + w @ self.shifts[few].T, np.sqrt(variance), self.bests[few])[0]

    def value(self, P: Array) -> Array:
        blocks = [P[i : i + _BLOCK] for i in range(0, len(P), _BLOCK)] or [P]
        return np.concatenate([self._value(block) for block in blocks])

    def _value(self, P: Array) -> Array:
        k = self.gp.covariances(P)
        V = k @ self.gp.R.T
        sd = np.sqrt(np.maximum(1.0 - np.einsum("ij,ij->i", V, V), VARIANCE_FLOOR))
        means = (k @ self.gp.alpha)[:, None] + V[:, -self.shifts.shape[1] :] @ self.shifts.T
        return average_log_ei(means, sd, self.bests)[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        mean, variance, chain = self.gp.moments_and_chain(P)
        R_b, sd = self.gp.R[-self.shifts.shape[1] :], np.sqrt(variance)
        means = mean[:, None] + self.gp.covariances(P) @ R_b.T @ self.shifts.T
        value, by_means, by_sd = average_log_ei(means, sd, self.bests)
        # The means depend on k also through w = R_b k: the derivative of all w' u_i in k is (by_means u) R_b.
        by_k = by_means @ self.shifts @ R_b
        return value, chain(by_means.sum(axis=1), by_sd / (2.0 * sd), by_k)


def average_log_ei(means: Array, sd: Array, bests: Array) -> tuple[Array, Array, Array]:
    """log of the mean over i of EI(means[:, i], sd, bests[i]), and its derivatives in means (m, N) and in sd (m,)."""
    values, by_mean, by_sd = log_ei(means - bests, sd[:, None], 0.0)
    top = values.max(axis=1, keepdims=True)
    weights = np.exp(values - top)
    total = weights.sum(axis=1, keepdims=True)
    weights /= total
    return (top + np.log(total / len(bests)))[:, 0], weights * by_mean, (weights * by_sd).sum(axis=1)


def square_root(covariance: Array) -> Array:
    """L with L L' = covariance. Not Cholesky's: with coinciding busy points the covariance is singular."""
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    root: Array = eigenvectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return root
