"""Two functions with the optimum where one wants it, over real numbers or over a grid: the tasks of the designed
experiment.

Symbols: u (m, d) points of the unit cube, c (d,) the optimum, z = u - c. Both functions are 0 at c and nowhere lower,
and at most about 1, so that noise and regret mean the same for all of them.

    rippled:  mean_j (0.7 z_j^2 + 0.1 (1 - cos 4 pi z_j))            a wide bowl with ripples
    funnel:   1 - exp(-3 r), r = sqrt(mean_j z_j^2)                  a funnel with a sharp end

c is in a vertex (zeros and ones take turns) or inside (0.3 and 0.6 take turns), on the grid of 0, 0.1, ..., 1 both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, cast

import numpy as np

import nonstop
from nonstop_bench.problems.problem import Array, Function, Problem
from nonstop_bench.problems.task import BlackBox, Task

LEVELS: Final = 10  # steps of the grid along each axis
PLACES: Final[Mapping[str, tuple[float, float]]] = {"vertex": (0.0, 1.0), "inside": (0.3, 0.6)}


def rippled(Z: Array) -> Array:
    """A bowl with ripples, at the distances Z (m, d) from its optimum."""
    return np.asarray(np.mean(0.7 * Z**2 + 0.1 * (1.0 - np.cos(4.0 * math.pi * Z)), axis=1))


def funnel(Z: Array) -> Array:
    """A funnel, at the distances Z (m, d) from its sharp end."""
    return np.asarray(1.0 - np.exp(-3.0 * np.sqrt(np.mean(Z**2, axis=1))))


SHAPES: Final[Mapping[str, Function]] = {"rippled": rippled, "funnel": funnel}


def center(place: str, dim: int) -> Array:
    """The optimum in the unit cube."""
    return np.array([PLACES[place][j % 2] for j in range(dim)])


def make_placed(shape: str, place: str, gridded: bool, dim: int) -> Task:
    """The task in dim dimensions, over the grid or over the cube."""
    c, function = center(place, dim), SHAPES[shape]
    name = f"{shape}-{place}{'-grid' if gridded else ''}-{dim}"
    if not gridded:
        return Problem(name, ((0.0, 1.0),) * dim, lambda U: function(U - c), 0.0, (tuple(c.tolist()),))
    space = nonstop.Space({f"n{j + 1}": nonstop.Int(0, LEVELS) for j in range(dim)})

    def objective(params: Mapping[str, object]) -> float:
        steps = [cast(int, value) for value in params.values()]
        return float(function((np.array([steps]) - np.round(LEVELS * c)) / LEVELS)[0])

    return BlackBox(name, space, objective, 0.0)
