"""Several posteriors as one: that of a scalarisation of the objectives (Chebyshev's, augmented; Knowles 2006).

    u(x) = min_i (f_i(x) - z_i) / w_i  +  sum_i r_i f_i(x)

Symbols: f_i independent Gaussian processes, one for each objective, i = 1..k; z (k,) a point that is better than any
known one; w (k,) > 0 weights, a random direction times the extent of the front; r (k,) a little of each objective.
Every point of the Pareto front is where u is largest for some direction, whatever the front's shape; without r, so
would be points that can still be improved in another objective. As z lies well beyond the best values, directions
close to an axis ask for more of one objective than is known, and so for more of the front than is known.

Median and upper quantile of the smallest term (numerics/smallest.py) stand for a mean and a variance of u, so that any
rule that looks at mean and standard deviation can be applied; r adds to the mean. As rules expect values of zero mean
and unit variance, u is standardised over the data, which is another z, w and r.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from nonstop.numerics.hypervolume import nondominated
from nonstop.numerics.smallest import Smallest, smallest
from nonstop.surrogate.gp import GP, VARIANCE_FLOOR, Chain
from nonstop.surrogate.output import Standardize
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array

_BEYOND = 0.25  # extents of the front: how far beyond its best values z lies
_AUGMENTED = 0.05  # r, in units of the extents
_STEEPEST = 0.02  # the least weight, when the largest is 1
NARROWEST = 0.5  # the least extent, in standard deviations of the objective: a front of one point is to grow, too


@dataclass(frozen=True, slots=True, eq=False)
class Scalarized:
    """The posterior of u, given the same points for every objective."""

    gps: tuple[GP, ...]
    weights: Array
    reference: Array
    augmented: Array

    @classmethod
    def of(cls, gps: tuple[GP, ...], values: Array, best: Array, direction: Array) -> Scalarized:
        """The scalarisation in a direction (k,), standardised for the values (n, k) of all data; `best` are those among
        which the front is."""
        least, extent = frame(best)
        free = cls(gps, direction * extent, least + (1.0 + _BEYOND) * extent, _AUGMENTED / extent)
        scale = Standardize.of(free.of_values(values))
        center, spread = scale.unit * scale.center, scale.unit * scale.spread
        return cls(gps, free.weights * spread, free.reference + free.weights * center, free.augmented / spread)

    @property
    def X(self) -> Array:  # noqa: N802 - as a GP calls them
        """The points (n, d) of the data."""
        return self.gps[0].X

    @property
    def y(self) -> Array:
        """The values (n,) of u at the data."""
        return self.of_values(np.stack([gp.y for gp in self.gps], axis=1))

    def at_data(self) -> Array:
        """The values (n,) of u at the data, without what the models take for noise."""
        return self.of_values(np.stack([gp.at_data() for gp in self.gps], axis=1))

    def of_values(self, values: Array) -> Array:
        """u (n,) where the objectives have these values (n, k)."""
        return np.asarray(self._scaled(values).min(axis=1) + values @ self.augmented)

    @property
    def lengthscales(self) -> Array:
        """The shortest of the objectives, for each dimension."""
        return np.asarray(np.min([gp.lengthscales for gp in self.gps], axis=0))

    def condition(self, X: Array, y: Array | None = None) -> Scalarized:
        """Given further points at which u is y (b,), because the scaled objectives are all equal and make it so;
        without y, every objective has the value there that its process predicts."""
        if not len(X):
            return self
        if y is None:
            return replace(self, gps=tuple(gp.condition(X) for gp in self.gps))
        level = (y - self.reference @ self.augmented) / (1.0 + self.weights @ self.augmented)
        values = self.reference[:, None] + self.weights[:, None] * level
        return replace(self, gps=tuple(gp.condition(X, value) for gp, value in zip(self.gps, values, strict=True)))

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
        mean = np.stack([mean for mean, _ in moments], axis=1)
        variance = np.stack([variance for _, variance in moments], axis=1)
        found = smallest(self._scaled(mean), variance / self.weights**2)
        by_mean = found.mean_by_mean + self.augmented * self.weights
        return replace(found, mean=found.mean + mean @ self.augmented, mean_by_mean=by_mean)

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
    return np.asarray(np.maximum(weights / weights.max(), _STEEPEST))


def frame(values: Array, narrowest: float = NARROWEST) -> tuple[Array, Array]:
    """The front of these values (n, k): the least of each objective there (k,), and how far it extends above (k,)."""
    front = values[nondominated(values)]
    least = front.min(axis=0)
    return least, np.maximum(front.max(axis=0) - least, narrowest)


#: What a rule looks at: the posterior of one objective, or of several as one.
Posterior: TypeAlias = GP | Scalarized


def sketch_of(posterior: Posterior, recent: int = 0) -> Sketch | ScalarizedSketch:
    """Cheap estimates of a posterior of either kind; see Sketch.of."""
    return Sketch.of(posterior, recent) if isinstance(posterior, GP) else ScalarizedSketch.of(posterior, recent)
