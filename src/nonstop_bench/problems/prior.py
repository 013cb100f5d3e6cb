"""Functions drawn from a Gaussian process, the prior of the surrogate.

gp-<d>-<k> is the k-th draw in d dimensions, with a squared-exponential kernel of variance 1 and lengthscale
0.2 sqrt(d) on the unit cube, through random Fourier features:

    f(x) = sqrt(2 / M) sum_m weights_m cos(frequencies_m . x + phases_m),   frequencies ~ N(0, 1 / lengthscale^2)

The minimum is found numerically and cached in the process: many quasi-Newton descents with the exact gradient,
from the best of many random points. No proof excludes a lower one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import minimize

from nonstop_bench.problems.problem import Array, Problem

FEATURES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """A function from the prior: frequencies (M, d), phases (M,), weights (M,)."""

    frequencies: Array
    phases: Array
    weights: Array

    def __call__(self, X: Array) -> Array:
        """Values (n,) at the rows of X (n, d)."""
        return np.asarray(np.cos(X @ self.frequencies.T + self.phases) @ self.weights)

    def with_gradient(self, x: Array) -> tuple[float, Array]:
        """Value and gradient at one point (d,)."""
        angles = self.frequencies @ x + self.phases
        gradient = -(self.weights * np.sin(angles)) @ self.frequencies
        return float(self.weights @ np.cos(angles)), np.asarray(gradient)


def draw(dim: int, number: int) -> Draw:
    """The draw of this number; the same for all time."""
    rng = np.random.RandomState([dim, number])  # NumPy promises never to change its numbers
    return Draw(
        frequencies=rng.standard_normal((FEATURES, dim)) / (0.2 * math.sqrt(dim)),
        phases=rng.uniform(0.0, 2.0 * math.pi, FEATURES),
        weights=rng.standard_normal(FEATURES) * math.sqrt(2.0 / FEATURES),
    )


@cache
def make_gp(dim: int, number: int) -> Problem:
    """The draw as a problem, with its minimum found numerically."""
    function = draw(dim, number)
    best = lowest(function, dim, starts=20 + 10 * dim)
    optimum = float(function(best[None])[0])
    return Problem(f"gp-{dim}-{number}", ((0.0, 1.0),) * dim, function, optimum, (tuple(best.tolist()),))


def lowest(function: Draw, dim: int, starts: int, seed: int = 0) -> Array:
    """The lowest point (dim,) that local searches from the best of 100 times as many random points find."""
    rng = np.random.RandomState(seed)
    blocks = [rng.uniform(size=(starts, dim)) for _ in range(100)]  # in blocks: the features of all would fill memory
    X = np.concatenate(blocks)
    values = np.concatenate([function(block) for block in blocks])
    ends = [_descend(function, x) for x in X[np.argsort(values)[:starts]]]
    return min(ends, key=lambda x: function.with_gradient(x)[0])


def _descend(function: Draw, x: Array) -> Array:
    found = minimize(
        function.with_gradient,
        x,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0)] * len(x),
        options={"ftol": 1e-14, "gtol": 1e-10},
    )
    return np.asarray(found.x)
