"""The modelling choices, as one frozen value: kernel, priors, bounds, output transform, and how much is computed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from nonstop.errors import RuleError
from nonstop.surrogate.kernels import KERNELS, Kernel
from nonstop.surrogate.output import OutputName
from nonstop.types import Array

#: The value that a next point has to beat: the best one observed, or the best posterior mean at an observed point.
Incumbent: TypeAlias = Literal["observed", "believed"]


@dataclass(frozen=True, slots=True)
class LogNormal:
    """The prior of a positive number whose logarithm is normal; densities are of the number, not of its logarithm."""

    mu: float
    sigma: float

    def log_density(self, log_value: Array) -> Array:
        z = (log_value - self.mu) / self.sigma
        return -0.5 * z * z - log_value - (math.log(self.sigma) + 0.5 * math.log(2.0 * math.pi))

    def slope(self, log_value: Array) -> Array:
        """d log_density / d log_value."""
        return -(log_value - self.mu) / self.sigma**2 - 1.0

    @property
    def log_mode(self) -> float:
        return self.mu - self.sigma**2


@dataclass(frozen=True, slots=True)
class Surrogate:
    """How the Gaussian process sees the data. The defaults are the paper's (section 2 and appendix D), which are
    BoTorch's: a lengthscale prior that widens with the dimension, and a noise floor of 1e-4 of the variance of y."""

    kernel: Kernel = "rbf"
    lengthscale_prior: LogNormal = LogNormal(math.sqrt(2.0), math.sqrt(3.0))  # at d = 1; mu grows by log(d) / 2
    noise_prior: LogNormal = LogNormal(-4.0, 1.0)
    lengthscale_bounds: tuple[float, float] = (2.5e-2, 1e3)
    noise_bounds: tuple[float, float] = (1e-4, 1e1)
    output: OutputName = "standardize"
    incumbent: Incumbent = "observed"
    max_points: int = 2000  # an exact GP is cubic in these; beyond, the best half and an even half of the others
    candidates: int = 1000  # per dimension: quasi-random points among which the best of the acquisition is looked for
    refit: float = 0.0  # by which part the data must have grown before hyperparameters are estimated again

    def __post_init__(self) -> None:
        if self.kernel not in KERNELS:
            raise RuleError(f"kernel must be one of {', '.join(KERNELS)}, not {self.kernel!r}")
        if self.output not in get_args(OutputName):
            raise RuleError(f"output must be one of {', '.join(get_args(OutputName))}, not {self.output!r}")
        if self.incumbent not in get_args(Incumbent):
            raise RuleError(f"incumbent must be one of {', '.join(get_args(Incumbent))}, not {self.incumbent!r}")
        for name in ("lengthscale_bounds", "noise_bounds"):
            low, high = getattr(self, name)
            if not 0.0 < low < high < math.inf:
                raise RuleError(f"{name} must be two positive, finite, increasing numbers, not {(low, high)!r}")
        if self.candidates < 1:
            raise RuleError(f"candidates must be at least 1, not {self.candidates!r}")
        if not 0.0 <= self.refit < math.inf:
            raise RuleError(f"refit must be a finite number >= 0, not {self.refit!r}")

    def lengthscale_prior_in(self, d: int) -> LogNormal:
        prior = self.lengthscale_prior
        return LogNormal(prior.mu + 0.5 * math.log(d), prior.sigma)

    def log_bounds(self, d: int) -> tuple[Array, Array]:
        """Bounds of (log lengthscale_1, …, log lengthscale_d, log noise)."""
        pairs = np.log(np.array([self.lengthscale_bounds] * d + [self.noise_bounds]))
        return pairs[:, 0], pairs[:, 1]


PAPER = Surrogate()
#: Ours: rougher, able to tell good values apart to 3e-4 of their spread, unmoved by how bad the bad ones are.
NONSTOP = Surrogate(
    kernel="matern52",
    noise_prior=LogNormal(-4.0, 3.0),  # its mode is at 2e-6, and no noise up to 1 is out of its reach
    noise_bounds=(1e-7, 1e1),
    output="compress",
    incumbent="believed",
    candidates=128,
    refit=0.1,
)
PRESETS = {"nonstop": NONSTOP, "paper": PAPER}

#: What a study gets that does not say otherwise; docs/decisions/0014 has the evidence.
DEFAULT_SURROGATE = "nonstop"


def surrogate_of(choice: str | Surrogate) -> Surrogate:
    """A preset by name, or the value itself."""
    if isinstance(choice, Surrogate):
        return choice
    if choice not in PRESETS:
        raise RuleError(f"unknown surrogate {choice!r}: use one of {', '.join(PRESETS)} or a nonstop.Surrogate")
    return PRESETS[choice]
