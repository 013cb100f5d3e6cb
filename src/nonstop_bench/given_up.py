"""Rules that were tried as parts of the default where values are noisy, and given up (docs/decisions/0014)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from nonstop import UCB, KrigingBeliever
from nonstop.acquisition.expected import ExpectedLogEI, square_root
from nonstop.acquisition.rule import Choice, View
from nonstop.numerics.normal import log_ei
from nonstop.surrogate.gp import GP
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array

_ALMOST_EXACT: Final = 1e-4  # the noise of values that are not noisy


@dataclass(frozen=True, slots=True)
class NoisyEI:
    """Expected improvement on the unknown exact values of the results that are believed best (and of the busy points),
    from `samples` draws of them all together (Letham et al. 2019), in logarithms."""

    close_ups: ClassVar[bool] = True
    results: int = 12
    samples: int = 64

    def choose(self, view: View) -> Choice:
        """Its maximum."""
        gp = view.one
        best = np.argsort(-gp.at_data(), kind="stable")[: self.results]
        points = np.concatenate([view.busy, gp.X[best]])
        return view.maximize(improvement(gp, points, view.rng.standard_normal((self.samples, len(points)))))


def improvement(gp: GP, points: Array, draws: Array) -> ExpectedLogEI:
    """The improvement on the best of f(points), averaged over draws (N, b) of f there."""
    mean, covariance = gp.joint(points)
    exact = replace(gp, hyperparameters=replace(gp.hyperparameters, noise=_ALMOST_EXACT)).condition(points, mean)
    root, b = square_root(covariance), len(points)
    shifts = draws @ (exact.R[-b:, -b:] @ root).T
    return ExpectedLogEI(exact, shifts, (mean + draws @ root.T).max(axis=1), Sketch.of(exact, b))


@dataclass(frozen=True, slots=True)
class SignalUCB:
    """KB-UCB as if signal and noise together, not the signal alone, had the variance of the values."""

    close_ups: ClassVar[bool] = True
    beta: float = 2.0

    def choose(self, view: View) -> Choice:
        """Its maximum."""
        return KrigingBeliever(UCB(self.beta * _signal(view))).choose(view)


@dataclass(frozen=True, slots=True)
class SignalEI:
    """KB-LogEI in the same way."""

    close_ups: ClassVar[bool] = True

    def choose(self, view: View) -> Choice:
        """Its maximum."""
        return KrigingBeliever(_LogEIOfLess(_signal(view) ** 0.5)).choose(view)


@dataclass(frozen=True, slots=True)
class _LogEIOfLess:
    """LogEI with standard deviations times `part`."""

    logarithmic: ClassVar[bool] = True
    part: float

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:
        """Its value, and the derivatives in mean and sd."""
        value, by_mean, by_sd = log_ei(mean, self.part * sd, best)
        return value, by_mean, self.part * by_sd


def _signal(view: View) -> float:
    return 1.0 / (1.0 + view.one.hyperparameters.noise)
