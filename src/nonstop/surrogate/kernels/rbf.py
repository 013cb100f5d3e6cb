"""The RBF, or squared exponential, kernel: exp(-D / 2). Functions drawn from it have derivatives of every order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nonstop.surrogate.kernels.distances import F
from nonstop.surrogate.kernels.kernel import Kernel
from nonstop.types import Array

#: Single precision is twenty times slower with numbers below 1e-38. exp(-46) = 1e-20 is as good as zero.
_FARTHEST = 46.0


@dataclass(frozen=True, slots=True)
class RBF(Kernel):
    """k = exp(-D / 2), which is its own steepness. T = -D / 2."""

    scale: ClassVar[float] = -0.5

    def value(self, D: Array) -> Array:
        return self.value_of(self.scale * D)

    def value_and_steepness(self, D: Array) -> tuple[Array, Array]:
        return self.value_and_steepness_of(self.scale * D)

    def steepness_and_slope(self, D: Array) -> tuple[Array, Array]:
        _, h = self.value_and_steepness(D)
        return h, -0.5 * h

    def spectral_draws(self, rng: np.random.Generator, count: int, d: int) -> Array:
        """The spectral density is standard normal."""
        return rng.standard_normal((count, d))

    def value_of(self, T: NDArray[F], workspace: NDArray[F] | None = None) -> NDArray[F]:  # noqa: ARG002
        lowest = -_FARTHEST if T.dtype == np.float32 else -math.inf
        np.exp(T.clip(lowest, 0.0, out=T), out=T)
        return T

    def value_and_steepness_of(self, T: Array) -> tuple[Array, Array]:
        """k and h are the same array."""
        k = np.exp(np.minimum(T, 0.0, out=T), out=T)
        return k, k
