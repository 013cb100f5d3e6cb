"""Problems over spaces that are no box: integers and categories beside real numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

import nonstop
from nonstop_bench.problems.rugged import ackley
from nonstop_bench.problems.task import BlackBox
from nonstop_bench.problems.valleys import rosenbrock

#: Where the minimum of mixed-ackley lies: inside the ranges, away from their centers.
FLOAT, INT, CHOICE = 3.3, -4, "blue"

#: What a category stands for. The order of the names says nothing about the order of the values.
_COLOURS = {"red": 6.0, "green": -3.0, "blue": 0.0, "white": 9.0, "black": -8.0}


def make_mixed_ackley(dim: int) -> BlackBox:
    """Ackley of x - 3.3, n + 4 and the value of a colour: floats, integers and categories take turns."""
    kinds: dict[str, nonstop.Float | nonstop.Int | nonstop.Categorical] = {
        "x": nonstop.Float(-10.0, 10.0),
        "n": nonstop.Int(-10, 10),
        "c": nonstop.Categorical(list(_COLOURS)),
    }
    space = nonstop.Space({f"{'xnc'[j % 3]}{j + 1}": kinds["xnc"[j % 3]] for j in range(dim)})
    return BlackBox(f"mixed-ackley-{dim}", space, _mixed_ackley, 0.0)


def _mixed_ackley(params: Mapping[str, object]) -> float:
    return float(ackley(np.array([[_deviation(value) for value in params.values()]]))[0])


def _deviation(value: object) -> float:
    """How far a parameter is from its best value."""
    if isinstance(value, str):
        return _COLOURS[value]
    return float(value - INT) if isinstance(value, int) else cast(float, value) - FLOAT


def make_integer_rosenbrock(dim: int) -> BlackBox:
    """Rosenbrock over the integers of its box: the valley's floor is broken into lone points."""
    space = nonstop.Space({f"n{j + 1}": nonstop.Int(-5, 10) for j in range(dim)})
    return BlackBox(f"integer-rosenbrock-{dim}", space, _integer_rosenbrock, 0.0)


def _integer_rosenbrock(params: Mapping[str, object]) -> float:
    return float(rosenbrock(np.array([list(params.values())], dtype=np.float64))[0])
