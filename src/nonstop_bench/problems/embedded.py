"""Problems in which most parameters do nothing: Branin or Hartmann-6 in a box of many dimensions.

The relevant parameters are spread evenly among the others, which range over [0, 1]. So every minimizer represents a
whole set; the problem lists those whose irrelevant parameters are 0.5.
"""

from __future__ import annotations

import numpy as np

from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.hartmann import HARTMANN6
from nonstop_bench.problems.problem import Array, Problem


def embedded(core: Problem, dim: int) -> Problem:
    """The core problem in dim >= core.dim dimensions."""
    active = np.arange(core.dim) * dim // core.dim

    def function(X: Array) -> Array:
        return core.function(X[:, active])

    bounds = np.tile([0.0, 1.0], (dim, 1))
    bounds[active] = core.bounds
    optimizers = np.full((len(core.optimizers), dim), 0.5)
    optimizers[:, active] = core.optimizers
    return Problem(
        name=f"embedded-{core.name.removesuffix('-6')}-{dim}",
        bounds=tuple((low, high) for low, high in bounds.tolist()),
        function=function,
        optimum=core.optimum,
        optimizers=tuple(map(tuple, optimizers.tolist())),
    )


def make_embedded_branin(dim: int) -> Problem:
    """Branin in dim >= 2 dimensions."""
    return embedded(BRANIN, dim)


def make_embedded_hartmann(dim: int) -> Problem:
    """Hartmann-6 in dim >= 6 dimensions."""
    return embedded(HARTMANN6, dim)
