"""A function drawn from the posterior: decoupled sampling (Wilson et al. 2020), which the paper uses for all its
Thompson samples.

    path(x) = g(x) + k(x, X) v,    v = (K + noise I)^-1 (y - g(X) - e),    e ~ N(0, noise I)        (Matheron's rule)

Symbols: g a draw from the prior as a sum of F waves, g(x) = sum_i amplitude_i cos(frequency_i . z + phase_i) with
z = x / lengthscales; frequencies (F, d) from the kernel's spectral density; v (n,) the data's pull on the draw.
Over all draws, frequencies included, mean and covariance of a path are exactly those of the posterior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.surrogate import kernels
from nonstop.surrogate.gp import GP, is_light
from nonstop.surrogate.kernels import Kernel
from nonstop.types import Array

#: Cosines of one block of this many points stay in the cache.
_BLOCK = 256


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One function from the posterior of `gp`, and an Acquisition: its maximum is a Thompson sample."""

    gp: GP
    frequencies: Array
    phases: Array
    amplitudes: Array
    pull: Array

    @classmethod
    def of(cls, gp: GP, rng: np.random.Generator, features: int = 1024) -> Path:
        """`features` counts sines and cosines. A pair with the weights a, b ~ N(0, 1) is one cosine of Rayleigh
        amplitude and uniform phase, so half as many waves have to be evaluated."""
        waves = max(1, features // 2)
        frequencies = spectral_draws(gp.kernel, rng, waves, gp.X.shape[1])
        phases = rng.uniform(0.0, 2.0 * math.pi, waves)
        amplitudes = rng.rayleigh(1.0, waves) / math.sqrt(waves)
        prior = _waves(gp.X / gp.lengthscales, frequencies, phases) @ amplitudes
        noise = math.sqrt(gp.hyperparameters.noise) * rng.standard_normal(len(gp.y))
        return cls(gp, frequencies, phases, amplitudes, gp.R.T @ (gp.R @ (gp.y - prior - noise)))

    def value(self, P: Array) -> Array:
        Z = P / self.gp.lengthscales
        blocks = [Z[i : i + _BLOCK] for i in range(0, len(Z), _BLOCK)] or [Z]
        prior = np.concatenate([_waves(block, self.frequencies, self.phases) @ self.amplitudes for block in blocks])
        return np.asarray(prior + self.gp.covariances(P) @ self.pull)

    def screen(self, P: Array) -> Array:
        """The value in single precision: a cosine costs a tenth of what it costs in double precision. With little noise
        the pulls are so large that only double precision can add them up."""
        Z = (P / self.gp.lengthscales).astype(np.float32)
        prior = _waves(Z, self.frequencies.astype(np.float32), self.phases.astype(np.float32))
        value = (prior @ self.amplitudes.astype(np.float32)).astype(np.float64)
        if not is_light(self.pull):
            return np.asarray(value + self.gp.covariances(P) @ self.pull)
        k = kernels.value(self.gp.kernel, kernels.left(Z) @ self.gp.data.astype(np.float32).T)
        return np.asarray(value + k @ self.pull.astype(np.float32))

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        angles = (P / self.gp.lengthscales) @ self.frequencies.T + self.phases
        slope = (np.sin(angles) * -self.amplitudes) @ self.frequencies / self.gp.lengthscales
        value = np.cos(angles) @ self.amplitudes + self.gp.covariances(P) @ self.pull
        return value, slope + self.gp.slope(P, self.pull)


def spectral_draws(kernel: Kernel, rng: np.random.Generator, count: int, d: int) -> Array:
    """Frequencies (count, d) whose cosines average to the kernel of unit lengthscale: normal for the RBF kernel, and
    Student's t with 2 nu = 5 degrees of freedom for Matern-5/2."""
    normal = rng.standard_normal((count, d))
    return normal if kernel == "rbf" else normal / np.sqrt(rng.chisquare(5.0, size=(count, 1)) / 5.0)


def _waves(Z: NDArray[kernels.F], frequencies: NDArray[kernels.F], phases: NDArray[kernels.F]) -> NDArray[kernels.F]:
    angles = Z @ frequencies.T
    angles += phases
    np.cos(angles, out=angles)
    return angles
