"""The hyperparameters of a Gaussian process, as one frozen value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nonstop.errors import DataError
from nonstop.types import Array


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """What a fit estimates. The signal variance is none of them: values are standardised, and it is 1."""

    #: One for each dimension of the unit cube.
    lengthscales: tuple[float, ...]
    #: The noise variance, in units of the variance of y.
    noise: float
    #: From how many results they were estimated; None if that is not known.
    results: int | None = None

    def __post_init__(self) -> None:
        if not all(0.0 < value < math.inf for value in (*self.lengthscales, self.noise)):
            raise DataError(f"lengthscales and noise must be positive and finite: {self!r}")

    @property
    def theta(self) -> Array:
        """(log lengthscale_1, …, log lengthscale_d, log noise): what the fit works with."""
        theta: Array = np.log(np.array([*self.lengthscales, self.noise]))
        return theta

    @classmethod
    def of(cls, theta: Array) -> Hyperparameters:
        """The inverse of theta."""
        *lengthscales, noise = np.exp(theta).tolist()
        return cls(tuple(lengthscales), noise)
