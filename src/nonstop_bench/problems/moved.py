"""Problems moved within their box, so that no rule benefits from a minimum in the centre, on a diagonal or on the axes.

With z a minimizer of f, c the new position and R orthogonal, the moved problem is f(z + R (x - c)): its minimum is
f(z), at c, if f is nowhere lower than f(z) in the whole of R^d. c and R depend on the dimension only:

- shifted: in the unit cube, half of the coordinates of c lie in [0.2, 0.4], the others in [0.6, 0.8]; R = 1
- rotated: the same c; R uniform over the orthogonal matrices
- border:  c as before, but half of its coordinates (at least one) are 0 or 1; R = 1
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nonstop_bench.problems.problem import Array, Problem

VARIANTS = ("shifted", "rotated", "border")


def moved(problem: Problem, variant: str) -> Problem:
    """The variant of a problem."""
    if variant not in VARIANTS:
        raise ValueError(f"got the variant {variant!r}, expected one of {', '.join(VARIANTS)}")
    dim = problem.dim
    low, high = np.array(problem.bounds).T
    center = np.clip(problem.from_unit(border(dim) if variant == "border" else inside(dim)), low, high)
    turn = rotation(dim) if variant == "rotated" else np.eye(dim)
    Z: Array = np.array(problem.optimizers)

    def function(X: Array) -> Array:
        step = X - center
        return problem.function(Z[0] + (step @ turn.T if variant == "rotated" else step))

    optimizers = center + (Z - Z[0]) @ turn
    kept = optimizers[((low <= optimizers) & (optimizers <= high)).all(axis=1)]
    return replace(
        problem, name=f"{variant}-{problem.name}", function=function, optimizers=tuple(map(tuple, kept.tolist()))
    )


def inside(dim: int) -> Array:
    """The position of a shifted minimum in the unit cube."""
    rng = _stream(dim)
    side = rng.permutation(np.arange(dim) % 2)  # both sides are used, so never near the main diagonal
    return np.asarray(0.2 + 0.4 * side + 0.2 * rng.uniform(size=dim))


def border(dim: int) -> Array:
    """The position of a minimum on the border of the unit cube."""
    position = inside(dim)
    on_it = _stream(dim + 1).permutation(dim)[: (dim + 1) // 2]
    position[on_it] = np.round(position[on_it])
    return position


def rotation(dim: int) -> Array:
    """An orthogonal matrix, uniform over all of them."""
    Q, R = np.linalg.qr(_stream(dim).standard_normal((dim, dim)))
    return np.asarray(Q * np.sign(np.diag(R)))  # the signs make the factor unique, whichever LAPACK found it


def _stream(seed: int) -> np.random.RandomState:
    """RandomState, because NumPy promises never to change its numbers."""
    return np.random.RandomState(seed)
