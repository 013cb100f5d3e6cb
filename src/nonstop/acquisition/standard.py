"""Standard acquisition: UCB, LogEI, the mean, and random search (the paper's appendix A.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.normal import log_ei
from nonstop.acquisition.rule import Choice, Score, View
from nonstop.errors import RuleError
from nonstop.surrogate import kernels
from nonstop.surrogate.gp import GP
from nonstop.surrogate.linalg import Array

Singles: TypeAlias = NDArray[np.float32]

_SKETCH = 64  # data points that stand for all of them when candidates are ranked


@dataclass(frozen=True, slots=True)
class UCB:
    """The upper confidence bound mean + sqrt(beta) sd. The paper fixes beta = 2."""

    beta: float = 2.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.beta < math.inf:
            raise RuleError(f"UCB: beta must be a finite number >= 0, not {self.beta!r}")

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        weight = math.sqrt(self.beta)
        return mean + weight * sd, np.ones_like(mean), np.full_like(sd, weight)


@dataclass(frozen=True, slots=True)
class LogEI:
    """The logarithm of the expected improvement on the best value, in a form that never underflows."""

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:
        return log_ei(mean, sd, best)


@dataclass(frozen=True, slots=True)
class Mean:
    """The posterior mean: pure exploitation."""

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        return mean, np.ones_like(mean), np.zeros_like(sd)


@dataclass(frozen=True, slots=True)
class Random:
    """Uniform in the cube: what every model has to beat."""

    def choose(self, view: View) -> Choice:
        points = view.cube.spread(view.rng.random((16, view.cube.axes)))
        return Choice(points[0], 0.0, points[1:])


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A score at the posterior of a GP: an Acquisition.

    Ranking tens of thousands of candidates by their exact variance costs as much as the fit. The variance given only a
    sketch of the data (evenly thinned) is an upper bound of it for a hundredth of the work; with single precision it
    is good enough to tell which few candidates deserve the exact value.
    """

    rule: Score
    gp: GP
    best: float
    sketch: _Sketch = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sketch", _Sketch.of(self.gp))

    def screen(self, P: Array) -> Array:
        mean, variance = self.sketch.moments(P)
        return self.rule.score(mean, np.sqrt(variance), self.best)[0]

    def value(self, P: Array) -> Array:
        mean, variance = self.gp.moments(P)
        return self.rule.score(mean, np.sqrt(variance), self.best)[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        mean, variance, mean_slope, variance_slope = self.gp.moments_with_gradients(P)
        sd = np.sqrt(variance)
        value, by_mean, by_sd = self.rule.score(mean, sd, self.best)
        return value, by_mean[:, None] * mean_slope + (by_sd / (2.0 * sd))[:, None] * variance_slope


@dataclass(frozen=True, slots=True, eq=False)
class _Sketch:
    """A GP in single precision: the mean from all data, the variance from the first rows, which are spread evenly."""

    gp: GP
    data: Singles
    alpha: Singles
    R: Singles

    @classmethod
    def of(cls, gp: GP) -> _Sketch:
        n = len(gp.X)
        few = np.unique(np.linspace(0, n - 1, min(n, _SKETCH)).round().astype(int))
        order = np.concatenate([few, np.setdiff1d(np.arange(n), few)])
        sketched = GP.of(gp.X[few], gp.y[few], gp.hyperparameters, gp.kernel)
        data = gp.X[order] / gp.lengthscales
        return cls(
            gp, data.astype(np.float32), gp.alpha[order].astype(np.float32), sketched.R.T.astype(np.float32, order="C")
        )

    def moments(self, P: Array) -> tuple[Array, Array]:
        k = kernels.value(
            self.gp.kernel, kernels.squared_distances((P / self.gp.lengthscales).astype(np.float32), self.data)
        )
        V = k[:, : len(self.R)] @ self.R
        variance = 1.0 - np.einsum("ij,ij->i", V, V)
        return (k @ self.alpha).astype(np.float64), np.maximum(variance, 1e-6).astype(np.float64)
