"""Smooth functions of any dimension whose difficulty is a curved or flat valley, not many minima.

Symbols: X (m, d) points, one per row; every function returns the values (m,).
"""

from __future__ import annotations

import numpy as np

from nonstop_bench.problems.problem import Array, Problem


def rosenbrock(X: Array) -> Array:
    """sum_i 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2: a banana; the valley is quick to find and slow to follow."""
    head, tail = X[:, :-1], X[:, 1:]
    return np.asarray(np.sum(100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2, axis=1))


def log_rosenbrock(X: Array) -> Array:
    """log(1 + Rosenbrock): the same valley, with values a stationary model can follow."""
    return np.log1p(rosenbrock(X))


def powell(X: Array) -> Array:
    """Quadruples (a, b, c, e): (a + 10 b)^2 + 5 (c - e)^2 + (b - 2 c)^4 + 10 (a - e)^4. Singular at its minimum."""
    a, b, c, e = (X[:, k::4] for k in range(4))
    terms = (a + 10.0 * b) ** 2 + 5.0 * (c - e) ** 2 + (b - 2.0 * c) ** 4 + 10.0 * (a - e) ** 4
    return np.asarray(terms.sum(axis=1))


def dixon_price(X: Array) -> Array:
    """(x_1 - 1)^2 + sum_{i>1} i (2 x_i^2 - x_{i-1})^2"""
    i = np.arange(2, X.shape[1] + 1)
    chain = i * (2.0 * X[:, 1:] ** 2 - X[:, :-1]) ** 2
    return np.asarray((X[:, 0] - 1.0) ** 2 + chain.sum(axis=1))


def zakharov(X: Array) -> Array:
    """|x|^2 + s^2 + s^4 with s = sum_i i x_i / 2: a plate, steep along one diagonal direction."""
    s = X @ (0.5 * np.arange(1, X.shape[1] + 1))
    return np.asarray(np.sum(X**2, axis=1) + s**2 + s**4)


def make_rosenbrock(dim: int) -> Problem:
    """Rosenbrock in dim >= 2 dimensions."""
    return Problem(f"rosenbrock-{dim}", ((-5.0, 10.0),) * dim, rosenbrock, 0.0, ((1.0,) * dim,))


def make_log_rosenbrock(dim: int) -> Problem:
    """log(1 + Rosenbrock) in dim >= 2 dimensions."""
    return Problem(f"log-rosenbrock-{dim}", ((-5.0, 10.0),) * dim, log_rosenbrock, 0.0, ((1.0,) * dim,))


def make_powell(dim: int) -> Problem:
    """Powell in a multiple of four dimensions."""
    return Problem(f"powell-{dim}", ((-4.0, 5.0),) * dim, powell, 0.0, ((0.0,) * dim,))


def make_dixon_price(dim: int) -> Problem:
    """Dixon-Price in dim dimensions."""
    # Every square vanishes: x_1 = 1, x_i = sqrt(x_{i-1} / 2). Only the last coordinate may change its sign.
    x = [2.0 ** (2.0 ** (1 - i) - 1.0) for i in range(1, dim + 1)]
    last = (x[-1], -x[-1]) if dim > 1 else (1.0,)
    return Problem(
        f"dixon-price-{dim}", ((-10.0, 10.0),) * dim, dixon_price, 0.0, tuple((*x[:-1], end) for end in last)
    )


def make_zakharov(dim: int) -> Problem:
    """Zakharov in dim dimensions."""
    return Problem(f"zakharov-{dim}", ((-5.0, 10.0),) * dim, zakharov, 0.0, ((0.0,) * dim,))
