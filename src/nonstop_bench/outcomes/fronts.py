"""Several objectives whose fronts are known: ZDT1 and ZDT3 (Zitzler, Deb and Thiele 2000), DTLZ2 and DTLZ7 (Deb,
Thiele, Laumanns and Zitzler 2002).

ZDT1    the front is f2 = 1 - sqrt(f1): above (11, 11) it dominates 11·11 - 1/3.
ZDT3    the front is the lower left of f2 = 1 - sqrt(f1) - f1 sin(10 pi f1), in five parts; its area is an integral of
        steps (benchmarks/fronts.py).
DTLZ2   the front is the unit sphere's part with positive coordinates: above 1.1 it dominates 1.1^m less the volume of
        that part of the ball.
DTLZ7   for two objectives the front is the lower left of f2 = 4 - f1 (1 + sin(3 pi f1)), in two parts, like ZDT3's.

The reference points are those that BoTorch's problems of these names have.
"""

from __future__ import annotations

import math

import numpy as np

from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.records import Array

_REMOTE = (11.0, 11.0)


def _distance(rest: Array) -> Array:
    """How far from the front: 1 on it, in ZDT and DTLZ7."""
    return np.asarray(1.0 + 9.0 * rest.mean(axis=1))


def zdt1(X: Array) -> Array:
    """A convex front."""
    first, g = X[:, 0], _distance(X[:, 1:])
    return np.column_stack([first, g * (1.0 - np.sqrt(first / g))])


def zdt3(X: Array) -> Array:
    """A front in five parts."""
    first, g = X[:, 0], _distance(X[:, 1:])
    wave = first / g * np.sin(10.0 * np.pi * first)
    return np.column_stack([first, g * (1.0 - np.sqrt(first / g) - wave)])


def dtlz2(X: Array, m: int) -> Array:
    """A sphere of m objectives."""
    angles = X[:, : m - 1] * np.pi / 2.0
    radius = 1.0 + ((X[:, m - 1 :] - 0.5) ** 2).sum(axis=1)
    columns = []
    for i in range(m):
        rest = angles[:, : m - 1 - i]
        columns.append(radius * np.cos(rest).prod(axis=1) * (np.sin(angles[:, m - 1 - i]) if i else 1.0))
    return np.column_stack(columns)


def dtlz7(X: Array) -> Array:
    """Two objectives, and a front in two parts."""
    first, g = X[:, 0], _distance(X[:, 1:])
    return np.column_stack([first, (1.0 + g) * (2.0 - first / (1.0 + g) * (1.0 + np.sin(3.0 * np.pi * first)))])


def _unit(d: int) -> dict[str, tuple[float, float]]:
    return {f"x{j}": (0.0, 1.0) for j in range(1, d + 1)}


ZDT1 = Problem("zdt1", _unit(8), ("f1", "f2"), {}, zdt1, best=121.0 - 1.0 / 3.0, reference=_REMOTE)
ZDT3 = Problem("zdt3", _unit(6), ("f1", "f2"), {}, zdt3, best=128.778116, reference=_REMOTE)
DTLZ2_2 = Problem(
    "dtlz2-2", _unit(6), ("f1", "f2"), {}, lambda X: dtlz2(X, 2), best=1.1**2 - math.pi / 4.0, reference=(1.1, 1.1)
)
DTLZ2_3 = Problem(
    "dtlz2-3",
    _unit(6),
    ("f1", "f2", "f3"),
    {},
    lambda X: dtlz2(X, 3),
    best=1.1**3 - math.pi / 6.0,
    reference=(1.1, 1.1, 1.1),
)
DTLZ7 = Problem("dtlz7", _unit(6), ("f1", "f2"), {}, dtlz7, best=189.430773, reference=(15.0, 15.0))
