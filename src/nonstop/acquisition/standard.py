"""Standard acquisition: UCB, LogEI, mean, uncertainty, and random search (the paper's appendix A.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.normal import log_ei
from nonstop.acquisition.rule import Choice, Chooser, Score, View, is_standard
from nonstop.acquisition.schedule import Schedule
from nonstop.encoding import Cube
from nonstop.errors import RuleError
from nonstop.surrogate import kernels
from nonstop.surrogate.gp import GP, is_light
from nonstop.surrogate.linalg import Array, inverse_root, row_dots
from nonstop.surrogate.thinning import evenly

Numbers: TypeAlias = NDArray[np.floating[Any]]

_SKETCH = 64  # data points that stand for all of them when candidates are ranked
_ROWS = 1024  # candidates ranked at once

#: With less noise than this, single precision cannot hold the variance: with this much it is an upper bound still. The
#: same for the mean, where the weights are too heavy: it is then of values that may be off by half a percent.
_BLUR = 3e-5


@dataclass(frozen=True, slots=True)
class UCB:
    """The upper confidence bound mean + sqrt(beta) sd. The paper fixes beta = 2; its theory wants a Schedule."""

    beta: float | Schedule = 2.0

    def __post_init__(self) -> None:
        if not isinstance(self.beta, Schedule) and not 0.0 <= self.beta < math.inf:
            raise RuleError(f"UCB: beta must be a Schedule or a finite number >= 0, not {self.beta!r}")

    def at(self, n: int, d: int) -> UCB:
        """The rule after n results in d dimensions: with a number for beta."""
        return UCB(self.beta.at(n, d)) if isinstance(self.beta, Schedule) else self

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        if isinstance(self.beta, Schedule):
            raise RuleError("UCB: with a Schedule, ask for the score of at(n, d)")
        weight = math.sqrt(self.beta)
        return mean + weight * sd, np.full_like(mean, 1.0), np.full_like(sd, weight)


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
class Uncertainty:
    """The posterior standard deviation: pure exploration, the initialisation that the theory asks for."""

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        return sd, np.zeros_like(mean), np.ones_like(sd)


@dataclass(frozen=True, slots=True)
class Random:
    """Uniform in the cube: what every model has to beat."""

    def draw(self, cube: Cube, rng: np.random.Generator) -> Array:
        return cube.spread(rng.random((64, cube.axes)))


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A score at the posterior of a GP: an Acquisition.

    Ranking tens of thousands of candidates by their exact variance costs as much as the fit. The variance given only a
    sketch of the data (evenly thinned) is an upper bound of it for a hundredth of the work; with single precision it
    is good enough to tell which few candidates deserve the exact value. What the last `recent` data points take away
    from the variance is exact: they may be invented for that alone.
    """

    rule: Score
    gp: GP
    best: float
    recent: int = 0
    sketch: Sketch = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sketch", Sketch.of(self.gp, self.recent))
        if isinstance(self.rule, UCB):
            object.__setattr__(self, "rule", self.rule.at(*self.gp.X.shape))

    def screen(self, P: Array) -> Array:
        mean, variance, _ = self.sketch.moments(P)
        return self.rule.score(mean, np.sqrt(variance), self.best)[0]

    def value(self, P: Array) -> Array:
        mean, variance = self.gp.moments(P)
        return self.rule.score(mean, np.sqrt(variance), self.best)[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        mean, variance, chain = self.gp.moments_and_chain(P)
        sd = np.sqrt(variance)
        value, by_mean, by_sd = self.rule.score(mean, sd, self.best)
        return value, chain(by_mean, by_sd / (2.0 * sd))


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A GP in single precision: the mean from all data, the variance from the first rows, which are spread evenly, and
    from the `recent` ones, whose columns of V = k R' (n, recent) are kept whole in `tail`. With little noise the
    numbers would be too large for that, and it believes in a little more.

    `data` is kernels.right of the scaled data, `room` memory for k (twice: some kernels need it): fresh memory would
    cost as much as filling it.
    """

    gp: GP
    data: Numbers
    alpha: Numbers
    R: Numbers
    tail: Numbers
    room: Numbers

    @classmethod
    def of(cls, gp: GP, recent: int = 0) -> Sketch:
        n = len(gp.X)
        few = evenly(n - recent, _SKETCH)
        others = np.ones(n, dtype=bool)
        others[few] = False
        order = np.concatenate([few, np.flatnonzero(others)])
        noise = max(gp.hyperparameters.noise, _BLUR)
        K = kernels.covariance(gp.kernel, gp.X[few], gp.X[few], gp.lengthscales)
        K.flat[:: len(few) + 1] = 1.0 + noise
        alpha = gp.alpha
        if not is_light(alpha):
            alpha = GP.of(gp.X, gp.y, replace(gp.hyperparameters, noise=noise), gp.kernel).alpha
        return cls(
            gp,
            gp.data[order].astype(np.float32),
            alpha[order].astype(np.float32),
            inverse_root(K)[0].T.astype(np.float32, order="C"),
            gp.R[n - recent :, order].T.astype(np.float32, order="C"),
            np.empty((2, _ROWS, n), dtype=np.float32),
        )

    def moments(self, P: Array) -> tuple[Array, Array, Array]:
        """Mean, an upper bound of the variance, and the recent columns of V (m, recent)."""
        parts = [self._moments(P[i : i + _ROWS]) for i in range(0, len(P), _ROWS)]
        mean, variance, W = (np.concatenate(column, dtype=np.float64) for column in zip(*parts, strict=True))
        return mean, np.maximum(variance, 1e-6, out=variance), W

    def _moments(self, P: Array) -> tuple[Numbers, Numbers, Numbers]:
        Z = (P / self.gp.lengthscales).astype(self.data.dtype)
        T = np.matmul(kernels.left(Z), self.data.T, out=self.room[0, : len(P)])
        k = kernels.value(self.gp.kernel, T, self.room[1, : len(P)])
        V, W = k[:, : len(self.R)] @ self.R, k @ self.tail
        variance = 1.0 - row_dots(V, V)
        if W.shape[1]:
            variance -= row_dots(W, W)
        return k @ self.alpha, variance, W


def standard(owner: str, rule: object) -> Score:
    """The rule, if it is one that a wrapper can apply to another posterior."""
    if isinstance(rule, type) or not isinstance(rule, Score):
        raise RuleError(f"{owner} wraps a standard rule, an object with score(), not {rule!r}")
    return rule


def chosen_by(rule: Score | Chooser, view: View) -> Choice:
    """The choice of a rule of either kind."""
    return view.maximize(Scored(rule, view.gp, view.best)) if is_standard(rule) else cast("Chooser", rule).choose(view)
