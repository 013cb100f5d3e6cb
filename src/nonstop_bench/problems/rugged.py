"""Functions of any dimension with many local minima.

Symbols: X (m, d) points, one per row; every function returns the values (m,).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.optimize import brentq

from nonstop_bench.problems.problem import Array, Problem


def ackley(X: Array) -> Array:
    """A funnel, exp(-|x|), with a ripple of period 1. The minimum is a cusp: no gradient there."""
    radius = np.sqrt(np.mean(X**2, axis=1))
    ripple = np.exp(np.mean(np.cos(2.0 * math.pi * X), axis=1))
    return np.asarray(20.0 * (1.0 - np.exp(-0.2 * radius)) + (math.e - ripple))


def levy(X: Array) -> Array:
    """With w = 1 + (x - 1) / 4: ripples on a bowl; the first and the last coordinate have their own terms."""
    W = 1.0 + (X - 1.0) / 4.0
    first, head, last = W[:, 0], W[:, :-1], W[:, -1]
    inner = (head - 1.0) ** 2 * (1.0 + 10.0 * np.sin(math.pi * head + 1.0) ** 2)
    end = (last - 1.0) ** 2 * (1.0 + np.sin(2.0 * math.pi * last) ** 2)
    return np.asarray(np.sin(math.pi * first) ** 2 + inner.sum(axis=1) + end)


def rastrigin(X: Array) -> Array:
    """sum_i x_i^2 + 10 (1 - cos 2 pi x_i)"""
    return np.asarray(np.sum(X**2 + 10.0 * (1.0 - np.cos(2.0 * math.pi * X)), axis=1))


def griewank(X: Array) -> Array:
    """1 + |x|^2 / 4000 - prod_i cos(x_i / sqrt i): from afar a bowl, from near a lattice of minima."""
    i = np.sqrt(np.arange(1, X.shape[1] + 1))
    return np.asarray(1.0 + np.sum(X**2, axis=1) / 4000.0 - np.prod(np.cos(X / i), axis=1))


def styblinski_tang(X: Array) -> Array:
    """sum_i (x_i^4 - 16 x_i^2 + 5 x_i) / 2: two minima per coordinate, 2^d in all."""
    return np.asarray(0.5 * np.sum(X**4 - 16.0 * X**2 + 5.0 * X, axis=1))


def cosine(X: Array) -> Array:
    """|x|^2 - sum_i cos(5 pi x_i) / 10: the cosine mixture."""
    return np.asarray(np.sum(X**2 - 0.1 * np.cos(5.0 * math.pi * X), axis=1))


def michalewicz(X: Array) -> Array:
    """-sum_i sin(x_i) sin(i x_i^2 / pi)^20: narrow ridges in a plain; the sum separates by coordinate."""
    i = np.arange(1, X.shape[1] + 1)
    return np.asarray(-np.sum(np.sin(X) * np.sin(i * X**2 / math.pi) ** 20, axis=1))


def make_ackley(dim: int) -> Problem:
    """Ackley in dim dimensions."""
    return Problem(f"ackley-{dim}", ((-32.768, 32.768),) * dim, ackley, 0.0, ((0.0,) * dim,))


def make_levy(dim: int) -> Problem:
    """Levy in dim dimensions."""
    return Problem(f"levy-{dim}", ((-10.0, 10.0),) * dim, levy, 0.0, ((1.0,) * dim,))


def make_rastrigin(dim: int) -> Problem:
    """Rastrigin in dim dimensions."""
    return Problem(f"rastrigin-{dim}", ((-5.12, 5.12),) * dim, rastrigin, 0.0, ((0.0,) * dim,))


def make_griewank(dim: int) -> Problem:
    """Griewank in dim dimensions."""
    return Problem(f"griewank-{dim}", ((-600.0, 600.0),) * dim, griewank, 0.0, ((0.0,) * dim,))


def make_styblinski_tang(dim: int) -> Problem:
    """Styblinski-Tang in dim dimensions."""
    # The least root of 4 x^3 - 32 x + 5, and the value there, in 40 digits.
    root, value = -2.9035340277711770, -39.166165703771415
    return Problem(f"styblinski-tang-{dim}", ((-5.0, 5.0),) * dim, styblinski_tang, dim * value, ((root,) * dim,))


def make_cosine(dim: int) -> Problem:
    """The cosine mixture in dim dimensions."""
    return Problem(f"cosine-{dim}", ((-1.0, 1.0),) * dim, cosine, -0.1 * dim, ((0.0,) * dim,))


def make_michalewicz(dim: int) -> Problem:
    """Michalewicz in dim dimensions."""
    x = tuple(_ridge(i) for i in range(1, dim + 1))
    optimum = float(michalewicz(np.array([x]))[0])
    return Problem(f"michalewicz-{dim}", ((0.0, math.pi),) * dim, michalewicz, optimum, (x,))


@cache
def _ridge(i: int) -> float:
    """Where coordinate i of Michalewicz has its minimum.

    sin(i x^2 / pi) has i lobes in [0, pi], the k-th between pi sqrt(k / i) and pi sqrt((k + 1) / i). In each the
    derivative of the term's logarithm falls from +inf to -inf. The best lobe is one of those next to x = pi / 2,
    where the other factor, sin x, is 1.
    """

    def slope(x: float) -> float:
        return 1.0 / math.tan(x) + 40.0 * i * x / math.pi / math.tan(i * x**2 / math.pi)

    def top(k: int) -> float:
        low, high = math.pi * math.sqrt(k / i), math.pi * math.sqrt((k + 1) / i)
        inset = 1e-6 * (high - low)
        return float(brentq(slope, low + inset, high - inset, xtol=1e-15, rtol=1e-15))

    middle = i // 4
    tops = [top(k) for k in range(max(middle - 2, 0), min(middle + 3, i))]
    return max(tops, key=lambda x: math.sin(x) * math.sin(i * x**2 / math.pi) ** 20)
