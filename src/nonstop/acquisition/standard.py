"""Standard acquisition: UCB, LogEI, mean, uncertainty, and random search (the paper's appendix A.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nonstop.acquisition.inside import scattered
from nonstop.acquisition.schedule import Schedule
from nonstop.arguments import number
from nonstop.errors import RuleError
from nonstop.numerics.normal import log_ei
from nonstop.space.cube import Cube
from nonstop.types import Array


@dataclass(frozen=True, slots=True)
class UCB:
    """The upper confidence bound mean + sqrt(beta) sd. The paper's experiments use beta = 2, its theory a Schedule."""

    beta: float | Schedule = 2.0

    def __post_init__(self) -> None:
        if not isinstance(self.beta, Schedule):
            number("UCB: beta", self.beta, RuleError, least=0.0, or_else=" or a Schedule")

    def at(self, results: int, d: int) -> UCB:
        """The rule after so many results in d dimensions: beta is a number then."""
        return UCB(self.beta.at(results, d)) if isinstance(self.beta, Schedule) else self

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        if isinstance(self.beta, Schedule):
            raise RuleError("UCB: with a Schedule, ask for the score of at(results, d)")
        weight = math.sqrt(self.beta)
        return mean + weight * sd, np.full_like(mean, 1.0), np.full_like(sd, weight)


@dataclass(frozen=True, slots=True)
class LogEI:
    """The logarithm of the expected improvement over the best value, computed so that it never underflows."""

    logarithmic: ClassVar[bool] = True

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
    """Uniform in the cube: the baseline."""

    def draw(self, cube: Cube, rng: np.random.Generator) -> Array:
        return scattered(cube, rng, 64)
