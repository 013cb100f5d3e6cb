"""Formulas of six parameters among many that do nothing: sparse-levy-50 has 44 of those.

The seed of a run chooses which six matter, and where in the middle three fifths of their ranges the minimum lies. The
others range over [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from nonstop_bench.problems import rugged, valleys
from nonstop_bench.problems.hartmann import HARTMANN6
from nonstop_bench.problems.problem import Array, Problem

ACTIVE: Final = 6
#: Formulas that may be shifted: their minimum over the box is the minimum over the whole of R^6.
CORES: Final[Mapping[str, Callable[[int], Problem]]] = {
    "ackley": rugged.make_ackley,
    "cosine": rugged.make_cosine,
    "hartmann": lambda _dim: HARTMANN6,
    "levy": rugged.make_levy,
    "rosenbrock": valleys.make_rosenbrock,
    "styblinski-tang": rugged.make_styblinski_tang,
}


def make_sparse(core: str, dim: int, seed: int) -> Problem:
    """The formula in dim >= 6 dimensions."""
    if core not in CORES or dim < ACTIVE:
        raise ValueError(f"got sparse-{core}-{dim}, expected one of {', '.join(CORES)} in {ACTIVE} dimensions or more")
    problem = CORES[core](ACTIVE)
    rng = np.random.RandomState([seed, dim])  # NumPy promises never to change its numbers
    active = np.sort(rng.permutation(dim)[:ACTIVE])
    center = problem.from_unit(rng.uniform(0.2, 0.8, ACTIVE))
    shift = np.array(problem.optimizers[0]) - center

    def function(X: Array) -> Array:
        return problem.function(X[:, active] + shift)

    bounds = np.tile([0.0, 1.0], (dim, 1))
    bounds[active] = problem.bounds
    optimizer = np.full(dim, 0.5)
    optimizer[active] = center
    return Problem(
        name=f"sparse-{core}-{dim}",
        bounds=tuple((low, high) for low, high in bounds.tolist()),
        function=function,
        optimum=problem.optimum,
        optimizers=(tuple(optimizer.tolist()),),
    )
