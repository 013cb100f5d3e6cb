"""The Matern-5/2 kernel: functions drawn from it have two derivatives, as many real objectives do.

Symbols: r = sqrt(5 D);    k = (1 + r + r^2 / 3) exp(-r),    h = 5/3 (1 + r) exp(-r),    dh/dD = -25/6 exp(-r).
"""

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
class Matern52(Kernel):
    """T = 5 D = r^2. The fast forms take as little fresh memory as possible: allocating it costs as much as filling."""

    scale: ClassVar[float] = 5.0

    def value(self, D: Array) -> Array:
        return self.value_of(self.scale * D)

    def value_and_steepness(self, D: Array) -> tuple[Array, Array]:
        return self.value_and_steepness_of(self.scale * D)

    def steepness_and_slope(self, D: Array) -> tuple[Array, Array]:
        _, h = self.value_and_steepness(D)
        return h, (-25.0 / 6.0) * np.exp(-np.sqrt(self.scale * D))

    def spectral_draws(self, rng: np.random.Generator, count: int, d: int) -> Array:
        """The spectral density is Student's t with 2 nu = 5 degrees of freedom."""
        normal = rng.standard_normal((count, d))
        return normal / np.sqrt(rng.chisquare(5.0, size=(count, 1)) / 5.0)

    def value_of(self, T: NDArray[F], workspace: NDArray[F] | None = None) -> NDArray[F]:
        farthest = _FARTHEST if T.dtype == np.float32 else math.inf
        T.clip(0.0, farthest**2, out=T)
        r = np.sqrt(T, out=workspace)
        T *= 1.0 / 3.0
        T += r
        T += 1.0
        np.negative(r, out=r)
        T *= np.exp(r, out=r)
        return T

    def value_and_steepness_of(self, T: Array) -> tuple[Array, Array]:
        h = np.sqrt(np.maximum(T, 0.0, out=T))
        decay = np.negative(h)
        np.exp(decay, out=decay)
        h += 1.0
        h *= decay  # (1 + r) exp(-r)
        T *= 1.0 / 3.0
        T *= decay
        T += h
        h *= 5.0 / 3.0
        return T, h
