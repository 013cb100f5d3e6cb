"""Several posteriors as one: of the smallest of them, each scaled, which is what a scalarisation of several objectives
asks for.

    u(x) = min_i (f_i(x) - z_i) / w_i

Symbols: f_i independent Gaussian processes, one for each objective, i = 1..k; z (k,) a reference point; w (k,) > 0
weights. For every direction w, the x with the largest u is on the Pareto front, and every point of the front has such
a w; averaged over directions, the largest u^k is the dominated volume (Golovin and Zhang 2020). Its mean and variance
are Clark's, so any rule that looks at mean and standard deviation can be applied to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nonstop.numerics.clark import Smallest, smallest
from nonstop.surrogate.gp import GP, VARIANCE_FLOOR, Chain
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array


@dataclass(frozen=True, slots=True, eq=False)
class Scalarized:
    """The posterior of u, given the same points for every objective."""

    gps: tuple[GP, ...]
    weights: Array
    reference: Array

    @property
    def X(self) -> Array:  # noqa: N802 - as a GP calls them
        """The points (n, d) of the data."""
        return self.gps[0].X

    @property
    def y(self) -> Array:
        """The values (n,) of u at the data."""
        return self._scaled(np.stack([gp.y for gp in self.gps], axis=1)).min(axis=1)

    def at_data(self) -> Array:
        """The values (n,) of u at the data, without what the models take for noise."""
        return self._scaled(np.stack([gp.at_data() for gp in self.gps], axis=1)).min(axis=1)

    def condition(self, X: Array) -> Scalarized:
        """Given further points at which every objective has the value that its process predicts."""
        return replace(self, gps=tuple(gp.condition(X) for gp in self.gps)) if len(X) else self

    def moments(self, P: Array) -> tuple[Array, Array]:
        """Mean and variance of u at the rows of P."""
        found = self._smallest([gp.moments(P) for gp in self.gps])
        return found.mean, np.maximum(found.variance, VARIANCE_FLOOR)

    def moments_and_chain(self, P: Array) -> tuple[Array, Array, Chain]:
        """Mean, variance, and the chain rule for functions of them."""
        parts = [gp.moments_and_chain(P) for gp in self.gps]
        found = self._smallest([(mean, variance) for mean, variance, _ in parts])

        def chain(by_mean: Array, by_variance: Array, by_k: Array | None = None) -> Array:
            assert by_k is None  # there is no single k
            mean = by_mean[:, None] * found.mean_by_mean + by_variance[:, None] * found.variance_by_mean
            variance = by_mean[:, None] * found.mean_by_variance + by_variance[:, None] * found.variance_by_variance
            terms = [
                inner(mean[:, i] / self.weights[i], variance[:, i] / self.weights[i] ** 2)
                for i, (_, _, inner) in enumerate(parts)
            ]
            return np.asarray(np.sum(terms, axis=0))

        return found.mean, np.maximum(found.variance, VARIANCE_FLOOR), chain

    def _smallest(self, moments: list[tuple[Array, Array]]) -> Smallest:
        mean = self._scaled(np.stack([mean for mean, _ in moments], axis=1))
        return smallest(mean, np.stack([variance for _, variance in moments], axis=1) / self.weights**2)

    def _scaled(self, values: Array) -> Array:
        scaled: Array = (values - self.reference) / self.weights
        return scaled


@dataclass(frozen=True, slots=True, eq=False)
class ScalarizedSketch:
    """Cheap estimates of mean and variance of u, to rank many candidates."""

    whole: Scalarized
    sketches: tuple[Sketch, ...]

    @classmethod
    def of(cls, whole: Scalarized, recent: int = 0) -> ScalarizedSketch:
        """The sketch; see Sketch.of."""
        return cls(whole, tuple(Sketch.of(gp, recent) for gp in whole.gps))

    def moments(self, P: Array) -> tuple[Array, Array]:
        """Mean and variance of u, with upper bounds of the variances of the objectives."""
        found = self.whole._smallest([sketch.moments(P)[:2] for sketch in self.sketches])
        return found.mean, np.maximum(found.variance, 1e-6)


def direction(rng: np.random.Generator, k: int) -> Array:
    """A random direction of k positive weights, uniform on the sphere, none of them so small that it decides alone."""
    weights = np.abs(rng.standard_normal(k))
    return np.maximum(weights / np.linalg.norm(weights), 1e-3)
