"""The choices of the model as one frozen value: kernel, priors, bounds, output transform, and how much is computed."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from nonstop.arguments import flag, number, numbers_of, positive, text_of, whole
from nonstop.errors import RuleError
from nonstop.surrogate.kernels.kernel import Kernel
from nonstop.surrogate.kernels.names import kernel_of
from nonstop.surrogate.output import OutputName
from nonstop.types import Array
from nonstop.wording import shown

#: The mean of the process where it knows nothing: zero, which is the mean of the values, or a constant that is fitted.
MeanName: TypeAlias = Literal["zero", "constant"]
#: The value that the next point has to beat: the best one observed, or the best posterior mean at an observed point.
Incumbent: TypeAlias = Literal["observed", "believed"]

_CHOICES = {"output": get_args(OutputName), "incumbent": get_args(Incumbent), "mean": get_args(MeanName)}
_FULL_REFIT = 10  # dimensions up to which `refit` is the fraction as it is
_LATER = ("mean", "starts", "around", "close_ups")  # settings that the first stored studies did not have


@dataclass(frozen=True, slots=True)
class LogNormal:
    """The prior of a positive number whose logarithm has mean `mu` and standard deviation `sigma`. Densities are those
    of the number, not of its logarithm."""

    mu: float
    sigma: float

    def __post_init__(self) -> None:
        number("LogNormal: mu", self.mu, RuleError)
        positive("LogNormal: sigma", self.sigma, RuleError)

    def log_density(self, log_value: Array) -> Array:
        """The log density of the number whose logarithm is given."""
        z = (log_value - self.mu) / self.sigma
        return -0.5 * z * z - log_value - (math.log(self.sigma) + 0.5 * math.log(2.0 * math.pi))

    def slope(self, log_value: Array) -> Array:
        """d log_density / d log_value."""
        return -(log_value - self.mu) / self.sigma**2 - 1.0

    @property
    def log_mode(self) -> float:
        """The logarithm of the most likely number."""
        return self.mu - self.sigma**2


@dataclass(frozen=True, slots=True, repr=False)
class Surrogate:
    """How the Gaussian process sees the data. The defaults are the paper's (section 2 and appendix D), which are
    BoTorch's: a lengthscale prior that widens with the dimension, and a noise floor of 1e-4 of the variance of y. Only
    `starts` and `around` differ, which say how the maximum of an acquisition is looked for."""

    #: A name, "rbf" or "matern52", or an object of a nonstop.Kernel.
    kernel: str | Kernel = "rbf"
    #: The prior of every lengthscale at d = 1; in d dimensions mu grows by log(d) / 2.
    lengthscale_prior: LogNormal = LogNormal(math.sqrt(2.0), math.sqrt(3.0))
    #: The prior of the noise variance.
    noise_prior: LogNormal = LogNormal(-4.0, 1.0)
    #: Bounds of every lengthscale.
    lengthscale_bounds: tuple[float, float] = (2.5e-2, 1e3)
    #: Bounds of the noise variance.
    noise_bounds: tuple[float, float] = (1e-4, 1e1)
    #: How values are transformed: "standardize", or "compress" to draw bad values closer to the median first.
    output: OutputName = "standardize"
    #: The value that the next point has to beat: the best "observed" one, or the best "believed" posterior mean.
    incumbent: Incumbent = "observed"
    #: Results in the model, at most: an exact GP is cubic in them. Of more, the best half and an even choice are kept.
    max_points: int = 2000
    #: Quasi-random candidates per dimension among which the maximum of the acquisition is looked for.
    candidates: int = 1000
    #: By which fraction the data must have grown before the hyperparameters are estimated again; in more than ten
    #: dimensions, by less (`refit_in`).
    refit: float = 0.0
    #: The mean of the process where it knows nothing: "zero", that of the values, or the likeliest "constant".
    #: With several outcomes it is always zero.
    mean: MeanName = "zero"
    #: From how many of the best candidates the maximum is climbed to.
    starts: int = 16
    #: Are there candidates around the best results besides the quasi-random ones?
    around: bool = True
    #: With enough results, is every second proposal made by a model of those around the best one?
    close_ups: bool = False

    def __repr__(self) -> str:
        """Studies are stored with it and compared by it, so what came later is only there if it is not the default."""
        said = [
            field.name
            for field in fields(self)
            if field.name not in _LATER or getattr(self, field.name) != field.default
        ]
        return f"Surrogate({', '.join(f'{name}={getattr(self, name)!r}' for name in said)})"

    def __post_init__(self) -> None:
        kernel_of(self.kernel)
        for name, known in _CHOICES.items():
            if text_of(getattr(self, name)) not in known:
                raise RuleError(f"{name} must be one of {', '.join(known)}, not {shown(getattr(self, name))}")
        for name in ("lengthscale_prior", "noise_prior"):
            if not isinstance(getattr(self, name), LogNormal):
                raise RuleError(f"{name} must be a nonstop.LogNormal, not {shown(getattr(self, name))}")
        for name in ("lengthscale_bounds", "noise_bounds"):
            low, high = numbers_of(getattr(self, name), 2) or (math.nan, math.nan)
            if not 0.0 < low < high:
                what = "two positive, finite, increasing numbers"
                raise RuleError(f"{name} must be {what}, not {shown(getattr(self, name))}")
        for name in ("max_points", "candidates", "starts"):
            whole(name, getattr(self, name), RuleError, least=1)
        number("refit", self.refit, RuleError, least=0.0)
        flag("around", self.around, RuleError)
        flag("close_ups", self.close_ups, RuleError)

    def lengthscale_prior_in(self, d: int) -> LogNormal:
        """The prior of every lengthscale in d dimensions."""
        prior = self.lengthscale_prior
        return LogNormal(prior.mu + 0.5 * math.log(d), prior.sigma)

    def refit_in(self, d: int) -> float:
        """`refit` in d dimensions. Which of many parameters matter shows in few results, and changes the model a lot:
        so in more than ten, 0.1 means one more result for every d (docs/decisions/0021)."""
        return self.refit * (_FULL_REFIT / max(d, _FULL_REFIT))

    def log_bounds(self, d: int) -> tuple[Array, Array]:
        """Bounds of (log lengthscale_1, …, log lengthscale_d, log noise)."""
        pairs = np.log(np.array([self.lengthscale_bounds] * d + [self.noise_bounds]))
        return pairs[:, 0], pairs[:, 1]


#: The paper also climbs to the maximum of an acquisition in its own way: from 10 of 1000 d quasi-random candidates. No
#: improvement of the default may move it: tests/goldens/frozen.json holds what it proposes.
PAPER = Surrogate(starts=10, around=False)
#: Our own choice: a rougher kernel, noise small enough to tell good values apart to 3e-4 of their spread, a transform
#: that makes the model insensitive to how bad the bad values are, and a mean that is not that of the results: most of
#: these are where the search has been, and so better than the rest of the cube.
NONSTOP = Surrogate(
    kernel="matern52",
    noise_prior=LogNormal(-4.0, 3.0),  # the mode is at 2e-6, but noise up to 1 stays likely enough
    noise_bounds=(1e-7, 1e1),
    output="compress",
    incumbent="believed",
    max_points=768,
    candidates=128,
    refit=0.1,
    mean="constant",
    close_ups=True,
)
PRESETS = {"nonstop": NONSTOP, "paper": PAPER}

#: What a study gets that does not say otherwise; docs/decisions/0014 has the evidence.
DEFAULT_SURROGATE = "nonstop"


def surrogate_of(choice: str | Surrogate) -> Surrogate:
    """A preset by name, or the value itself."""
    if isinstance(choice, Surrogate):
        return choice
    name = text_of(choice)
    if name is None or name not in PRESETS:
        raise RuleError(f"unknown surrogate {shown(choice)}: use one of {', '.join(PRESETS)} or a nonstop.Surrogate")
    return PRESETS[name]


def one_of_several(surrogate: Surrogate) -> Surrogate:
    """As each of several outcomes is modelled: with mean zero, because a constant one gains nothing there
    (docs/decisions/0020)."""
    return replace(surrogate, mean="zero")
