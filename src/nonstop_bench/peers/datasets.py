"""Common data sets of the comparisons: 50 varied ones for the oracle, and optimization histories for the benchmark.

    X   (n, d)   points of the unit cube
    y   (n,)     values, standardised (mean 0, standard deviation 1), to be maximised

Everything is a function of its arguments (NumPy's PCG64 seeded by them), so two environments see the same numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """One data set, and what it is called in reports."""

    name: str
    X: Array
    y: Array

    @property
    def size(self) -> str:
        """The name with dimension and number of points."""
        return f"{self.name} d={self.X.shape[1]} n={self.X.shape[0]}"


def standardise(y: Array) -> Array:
    """Mean 0 and variance 1 (the unbiased estimate, as BoTorch takes it)."""
    result: Array = (y - y.mean()) / y.std(ddof=1)
    return result


def smooth(X: Array, rng: np.random.Generator) -> Array:
    """A bowl around a random centre with axes of unequal importance."""
    centre, weight = rng.random(X.shape[1]), 10 ** rng.uniform(-1, 1, X.shape[1])
    result: Array = -np.sqrt(0.1 + ((X - centre) ** 2) @ weight)
    return result


def rugged(X: Array, rng: np.random.Generator) -> Array:
    """Ackley with its centre moved: many waves on one funnel."""
    Z = 8 * (X - rng.uniform(0.2, 0.8, X.shape[1]))
    result: Array = 20 * np.exp(-0.2 * np.sqrt((Z**2).mean(1))) + np.exp(np.cos(2 * np.pi * Z).mean(1))
    return result


def noisy(X: Array, rng: np.random.Generator) -> Array:
    """A sine along a random direction with strong noise."""
    signal = np.sin(3 * X @ rng.standard_normal(X.shape[1]))
    return signal + 0.5 * rng.standard_normal(len(X))


def linear(X: Array, rng: np.random.Generator) -> Array:
    """A plane: every lengthscale wants to be infinite."""
    return X @ rng.standard_normal(X.shape[1])


def heavy_tailed(X: Array, rng: np.random.Generator) -> Array:
    """Rosenbrock, negated: a few values are far below all others."""
    Z = 4 * X - 2 + 0.1 * rng.standard_normal(X.shape[1])
    valley = 100 * (Z[:, 1:] - Z[:, :-1] ** 2) ** 2 + (1 - Z[:, :-1]) ** 2
    result: Array = -(valley.sum(1) + (1 - Z[:, 0]) ** 4)
    return result


def gp_draw(X: Array, rng: np.random.Generator) -> Array:
    """A draw from the model's own prior, lengthscales of 0.1 sqrt(d) to sqrt(d)."""
    d = X.shape[1]
    Z = X / (10 ** rng.uniform(-1, 0, d) * np.sqrt(d))
    square = ((Z[:, None, :] - Z[None, :, :]) ** 2).sum(-1)
    return np.linalg.cholesky(np.exp(-square / 2) + 1e-4 * np.eye(len(X))) @ rng.standard_normal(len(X))


FUNCTIONS: tuple[Callable[[Array, np.random.Generator], Array], ...] = (
    smooth,
    rugged,
    noisy,
    linear,
    heavy_tailed,
    gp_draw,
)
# Chosen to mix: 1 to 20 dimensions and 5 to 200 points, small and large with each other.
DIMENSIONS = (1, 2, 3, 4, 6, 8, 10, 14, 20)
COUNTS = (5, 8, 12, 20, 30, 50, 80, 120, 200)


def with_cluster(d: int, n: int, function: Callable[[Array], Array], rng: np.random.Generator) -> tuple[Array, Array]:
    """Points and values as in an optimization: two thirds spread out, one third close to the best."""
    spread = n - n // 3
    X = qmc.Halton(d, rng=rng).random(spread)
    best = X[np.argmax(function(X))]
    radius = np.geomspace(0.2, 0.01, n // 3)[:, None]
    cluster = np.clip(best + radius * rng.standard_normal((n // 3, d)), 0, 1)
    X = np.concatenate([X, cluster])
    return X, function(X)


def varied(count: int, digits: int | None = None, sizes: tuple[int, ...] = COUNTS) -> list[Dataset]:
    """`count` data sets that differ in function, dimension, number of points and layout; rounded if `digits` is set."""
    made = []
    for i in range(count):
        function = FUNCTIONS[i % len(FUNCTIONS)]
        d, n = DIMENSIONS[(5 * i + i // 9) % len(DIMENSIONS)], sizes[(2 * i + i // 6) % len(sizes)]

        def values(X: Array, seed: int = i, function: Callable[..., Array] = function) -> Array:
            return function(X, np.random.default_rng((seed, 1)))

        rng = np.random.default_rng((i, 0))
        X = with_cluster(d, n, values, rng)[0] if i % 2 else rng.random((n, d))
        X = X if digits is None else X.round(digits)
        y = standardise(values(X))
        made.append(Dataset(function.__name__, X, y if digits is None else y.round(digits + 2)))
    return made


def history(d: int, n: int, seed: int = 0) -> Dataset:
    """The benchmark's data: a funnel with waves and a plateau, at points as in an optimization."""
    rng = np.random.default_rng((d, n, seed))
    centre = rng.uniform(0.25, 0.75, d)
    weight = 10 ** rng.uniform(-0.5, 0.5, d)

    def values(X: Array) -> Array:
        Z = (X - centre) * np.sqrt(weight)
        bowl = (Z**2).mean(1)
        result: Array = np.exp(-6 * bowl) + 0.05 * np.cos(4 * np.pi * Z).mean(1) - 0.5 * bowl
        return result

    X, y = with_cluster(d, n, values, rng)
    return Dataset("history", X, standardise(y))
