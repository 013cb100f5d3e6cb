"""The hyperparameters of a Gaussian process, as one frozen value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nonstop.errors import DataError
from nonstop.types import Array


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """One lengthscale per dimension of the cube, and the noise variance in units of the variance of y; also from how
    many results they were estimated, where that is known."""

    lengthscales: tuple[float, ...]
    noise: float
    results: int | None = None

    def __post_init__(self) -> None:
        if not all(0.0 < value < math.inf for value in (*self.lengthscales, self.noise)):
            raise DataError(f"lengthscales and noise must be positive and finite: {self!r}")

    @property
    def theta(self) -> Array:
        theta: Array = np.log(np.array([*self.lengthscales, self.noise]))
        return theta

    @classmethod
    def of(cls, theta: Array) -> Hyperparameters:
        *lengthscales, noise = np.exp(theta).tolist()
        return cls(tuple(lengthscales), noise)
