"""How long evaluations take, in virtual seconds. Every model has mean 1, so that budgets are comparable.

Trial k of a seed gets the same random numbers under every rule, so comparisons are paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

#: (generator of the trial, point in the unit cube) -> seconds
Duration: TypeAlias = Callable[[np.random.Generator, Array], float]


def half_normal(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
    """|N(0, pi/2)|: the paper's."""
    return abs(rng.normal(scale=math.sqrt(math.pi / 2.0)))


def pareto(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
    """A heavy tail (shape 2.5): a few evaluations take very long."""
    return 0.6 * (1.0 + rng.pareto(2.5))


def log_normal(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
    """Log-normal with sigma = 1."""
    return float(rng.lognormal(mean=-0.5, sigma=1.0))


def exponential(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
    """Exponential."""
    return float(rng.exponential())


def constant(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
    """All workers finish together: the hardest case for rules that rely on a new result before each proposal."""
    return 1.0


def by_location(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
    """Slow at one end of the first parameter, quick at the other: 0.2 to 1.8."""
    return 0.2 + 1.6 * float(x[0])


DURATIONS: Mapping[str, Duration] = {
    "half-normal": half_normal,
    "pareto": pareto,
    "log-normal": log_normal,
    "exponential": exponential,
    "constant": constant,
    "by-location": by_location,
}
