"""The hyperparameters of a Gaussian process, as one frozen value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nonstop.arguments import numbers_of, positive, whole
from nonstop.errors import DataError
from nonstop.types import Array
from nonstop.wording import shown


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
        # What a storage holds needs no closer look: there may be a hundred thousand of them.
        if self.results is not None and not (type(self.results) is int and 0 <= self.results < 2**31):
            whole("results", self.results, DataError)
        if type(self.lengthscales) is tuple and all(map(_is_usual, (*self.lengthscales, self.noise))):
            return
        scales = numbers_of(self.lengthscales)
        if not scales or not all(value > 0.0 for value in scales):
            raise DataError(f"lengthscales must be positive, finite numbers, not {shown(self.lengthscales)}")
        positive("noise", self.noise, DataError)

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


def _is_usual(value: object) -> bool:
    return type(value) is float and 0.0 < value < math.inf
