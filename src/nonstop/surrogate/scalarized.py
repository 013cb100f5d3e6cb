"""Several posteriors as one: of the smallest of them, each scaled, which is what a scalarisation of several objectives
asks for.

    u(x) = min_i (f_i(x) - z_i) / w_i

Symbols: f_i independent Gaussian processes, one for each objective, i = 1..k; z (k,) a reference point; w (k,) > 0
weights. For every direction w, the x with the largest u is on the Pareto front, and every point of the front has such
a w; averaged over directions, the largest u^k is the dominated volume (Golovin and Zhang 2020). Its mean and variance
are Clark's, so any rule that looks at mean and standard deviation can be applied to it.

z lies a tenth of the front's range below the least values of the front; w is a random direction times that range. As
rules expect values of zero mean and unit variance, u is standardised over the data, which is another z and w.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from nonstop.numerics.clark import Smallest, smallest
from nonstop.numerics.hypervolume import nondominated
from nonstop.surrogate.gp import GP, VARIANCE_FLOOR, Chain
from nonstop.surrogate.output import Standardize
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array

_BELOW = 0.1  # of the range of the front: how far below its least values the reference point lies
_NARROWEST = 1e-2  # the least range, in standard deviations of the objective


@dataclass(frozen=True, slots=True, eq=False)
class Scalarized:
    """The posterior of u, given the same points for every objective."""

    gps: tuple[GP, ...]
    weights: Array
    reference: Array

    @classmethod
    def of(cls, gps: tuple[GP, ...], values: Array, best: Array, direction: Array) -> Scalarized:
        """The scalarisation in a direction (k,), standardised for the values (n, k) of all data; `best` are those among
        which the front is."""
        reference, extent = frame(best)
        weights = direction * extent
        scale = Standardize.of(((values - reference) / weights).min(axis=1))
        return cls(gps, weights * (scale.unit * scale.spread), reference + weights * (scale.unit * scale.center))

    @property
    def X(self) -> Array:  # noqa: N802 - as a GP calls them
        """The points (n, d) of the data."""
        return self.gps[0].X

    @property
    def y(self) -> Array:
        """The values (n,) of u at the data."""
        return self._least([gp.y for gp in self.gps])

    def at_data(self) -> Array:
        """The values (n,) of u at the data, without what the models take for noise."""
        return self._least([gp.at_data() for gp in self.gps])

    @property
    def lengthscales(self) -> Array:
        """The shortest of the objectives, for each dimension."""
        return np.asarray(np.min([gp.lengthscales for gp in self.gps], axis=0))

    def condition(self, X: Array, y: Array | None = None) -> Scalarized:
        """Given further points at which u is y (b,), because every scaled objective is; without y, every objective has
        the value there that its process predicts."""
        if not len(X):
            return self
        values = [None if y is None else z + w * y for z, w in zip(self.reference, self.weights, strict=True)]
        gps = tuple(gp.condition(X, value) for gp, value in zip(self.gps, values, strict=True))
        return replace(self, gps=gps)

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

    def _least(self, values: list[Array]) -> Array:
        return np.asarray(self._scaled(np.stack(values, axis=1)).min(axis=1))

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
    return np.asarray(np.maximum(weights / np.linalg.norm(weights), 1e-3))


def frame(values: Array) -> tuple[Array, Array]:
    """The reference point (k,) of the front of these values (n, k), and how far the front extends (k,)."""
    front = values[nondominated(values)]
    least = front.min(axis=0)
    extent = np.maximum(front.max(axis=0) - least, _NARROWEST)
    return least - _BELOW * extent, extent


#: What a rule looks at: the posterior of one objective, or of several as one.
Posterior: TypeAlias = GP | Scalarized


def sketch_of(posterior: Posterior, recent: int = 0) -> Sketch | ScalarizedSketch:
    """Cheap estimates of a posterior of either kind; see Sketch.of."""
    return Sketch.of(posterior, recent) if isinstance(posterior, GP) else ScalarizedSketch.of(posterior, recent)
