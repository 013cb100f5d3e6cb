"""A function drawn from the posterior by decoupled sampling (Wilson et al. 2020), as the paper does for Thompson
sampling.

    path(x) = g(x) + k(x, X) v,    v = (K + noise I)^-1 (y - g(X) - e),    e ~ N(0, noise I)        (Matheron's rule)

Symbols: g a draw from the prior as a sum of F waves, g(x) = sum_i amplitude_i cos(frequency_i . z + phase_i) with
z = x / lengthscales, x embedded (space/embedding.py); frequencies (F, e) from the kernel's spectral density; v (n,)
weights that make g fit the data.
Over all draws, frequencies included, mean and covariance of a path are exactly those of the posterior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.surrogate.gp import GP, is_light
from nonstop.surrogate.kernels.distances import F, left
from nonstop.surrogate.scalarized import Posterior, Scalarized
from nonstop.types import Array

#: Points evaluated at once: the cosines of so many stay in the processor's cache.
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
        """`features` counts sines and cosines. A sine and a cosine with weights from N(0, 1) are together one cosine
        with a Rayleigh amplitude and a uniform phase, so half as many waves have to be evaluated."""
        waves = max(1, features // 2)
        frequencies = gp.kernel.spectral_draws(rng, waves, len(gp.scales))
        phases = rng.uniform(0.0, 2.0 * math.pi, waves)
        amplitudes = rng.rayleigh(1.0, waves) / math.sqrt(waves)
        prior = _waves(gp.scaled(gp.X), frequencies, phases) @ amplitudes
        noise = math.sqrt(gp.hyperparameters.noise) * rng.standard_normal(len(gp.y))
        return cls(gp, frequencies, phases, amplitudes, gp.R.T @ (gp.R @ (gp.y - prior - noise)))

    def value(self, P: Array) -> Array:
        Z = self.gp.scaled(P)
        blocks = [Z[i : i + _BLOCK] for i in range(0, len(Z), _BLOCK)] or [Z]
        prior = np.concatenate([_waves(block, self.frequencies, self.phases) @ self.amplitudes for block in blocks])
        return np.asarray(prior + self.gp.covariances(P) @ self.pull)

    def screen(self, P: Array) -> Array:
        """The value in single precision, where a cosine takes a tenth of the time. With little noise the weights of the
        data are so large that their part of the sum needs double precision."""
        Z = self.gp.scaled(P).astype(np.float32)
        prior = _waves(Z, self.frequencies.astype(np.float32), self.phases.astype(np.float32))
        value = (prior @ self.amplitudes.astype(np.float32)).astype(np.float64)
        if not is_light(self.pull):
            return np.asarray(value + self.gp.covariances(P) @ self.pull)
        k = self.gp.kernel.value_of(left(Z) @ self.gp.data.astype(np.float32).T)
        return np.asarray(value + k @ self.pull.astype(np.float32))

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        gp = self.gp
        Z = gp.scaled(P)
        angles = Z @ self.frequencies.T + self.phases
        slope = (np.sin(angles) * -self.amplitudes) @ self.frequencies / gp.scales
        value = np.cos(angles) @ self.amplitudes + gp.covariances(P) @ self.pull
        return value, gp.embedding.pull(Z * gp.scales, slope) + gp.slope(P, self.pull)


@dataclass(frozen=True, slots=True, eq=False)
class LeastPath:
    """A function from the posterior of a scalarisation: that of one path for each objective."""

    whole: Scalarized
    paths: tuple[Path, ...]

    def value(self, P: Array) -> Array:
        return self.whole.of_values(np.stack([path.value(P) for path in self.paths], axis=1))

    def screen(self, P: Array) -> Array:
        return self.whole.of_values(np.stack([path.screen(P) for path in self.paths], axis=1))

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        values, gradients = zip(*(path.value_and_gradient(P) for path in self.paths), strict=True)
        stacked, rows = np.stack(values, axis=1), np.arange(len(P))
        least = ((stacked - self.whole.reference) / self.whole.weights).argmin(axis=1)
        shares = np.tile(self.whole.augmented, (len(P), 1))
        shares[rows, least] += 1.0 / self.whole.weights[least]
        return self.whole.of_values(stacked), np.einsum("mk,kmd->md", shares, np.stack(gradients))


def path_of(posterior: Posterior, rng: np.random.Generator, features: int = 1024) -> Path | LeastPath:
    """A function from a posterior of either kind; see Path.of."""
    if isinstance(posterior, GP):
        return Path.of(posterior, rng, features)
    return LeastPath(posterior, tuple(Path.of(gp, rng, features) for gp in posterior.gps))


def _waves(Z: NDArray[F], frequencies: NDArray[F], phases: NDArray[F]) -> NDArray[F]:
    angles = Z @ frequencies.T
    angles += phases
    np.cos(angles, out=angles)
    return angles
