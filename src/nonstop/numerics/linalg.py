"""Positive definite systems through the inverse of the Cholesky factor.

Symbols: K (n, n) symmetric positive definite, R = L^-1 with K = L L', so that K^-1 = R' R. R is lower triangular.
With R, every solve is a matrix product, which one core does several times faster than a triangular solve.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from nonstop.types import Array

F = TypeVar("F", bound="np.floating[Any]")

#: Tried in turn on the diagonal, relative to its mean, until the factorisation succeeds.
JITTERS = (0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)

_SMALL = 64  # below this size LAPACK's own triangular inverse is as fast as the recursion


class NotPositiveDefiniteError(ArithmeticError):
    """No jitter of the ladder makes the matrix positive definite, or it has entries that are not finite."""


def inverse_root(K: Array) -> tuple[Array, float]:
    """R with R'R = (K + jitter I)^-1 for the first jitter of the ladder that works, and that jitter."""
    scale = float(np.trace(K)) / max(len(K), 1)
    for jitter in JITTERS if math.isfinite(scale) else ():
        L = cholesky(K if jitter == 0.0 else K + jitter * scale * np.eye(len(K)))
        if L is not None:
            return triangular_inverse(L), jitter * scale
    raise NotPositiveDefiniteError(f"a {len(K)} x {len(K)} matrix stays indefinite with jitter {JITTERS[-1]:g}")


def cholesky(K: Array) -> Array | None:
    """The lower triangular L with L L' = K; None if there is none."""
    return cholesky_into(np.empty(K.shape, order="F"), K)


def cholesky_into(L: Array, K: Array) -> Array | None:
    """cholesky() in the memory of L, which must be in Fortran's order."""
    np.copyto(L, K)
    _, info = lapack.dpotrf(L, lower=1, overwrite_a=1)
    # A number in K that is not finite makes all later pivots not finite, so checking the last one is enough.
    return L if info == 0 and (not len(K) or math.isfinite(L[-1, -1])) else None


def solve_lower(L: Array, b: Array) -> Array:
    """L^-1 b for a lower triangular L."""
    return np.asarray(lapack.dtrtrs(L, b, lower=1)[0])


def triangular_inverse(L: Array) -> Array:
    """The inverse of a lower triangular matrix, by recursion on its halves: two thirds of the work become matrix
    products, which OpenBLAS does at twice the rate of its dtrtri."""
    R = np.zeros_like(L, order="F")
    invert_into(R, L)
    return R


def invert_into(R: Array, L: Array) -> None:
    """triangular_inverse() in the memory of R, which must be zero above the diagonal."""
    n = len(L)
    if n <= _SMALL:
        R[...] = lapack.dtrtri(L, lower=1)[0] if n else L
        return
    h = n // 2
    invert_into(R[:h, :h], L[:h, :h])
    invert_into(R[h:, h:], L[h:, h:])
    below = blas.dtrmm(-1.0, R[h:, h:], L[h:, :h], lower=1)
    R[h:, :h] = blas.dtrmm(1.0, R[:h, :h], below, side=1, lower=1, overwrite_b=1)


def gram(R: Array) -> Array:
    """The lower triangle of R'R; the entries above the diagonal are arbitrary."""
    return gram_in_place(R.copy(order="F"))


def gram_in_place(R: Array) -> Array:
    """gram() in the memory of R, which must be in Fortran's order."""
    lapack.dlauum(R, lower=1, overwrite_c=1)
    return R


def symmetric_times(lower: Array, B: Array) -> Array:
    """A B for the symmetric A whose lower triangle is given."""
    return np.asarray(blas.dsymm(1.0, lower, B, lower=1))


def einsum_dots(A: NDArray[F], B: NDArray[F]) -> NDArray[F]:
    """row_dots for NumPy before 2.0, which has no vecdot."""
    return np.asarray(np.einsum("ij,ij->i", A, B))


#: The scalar products of the rows of A with those of B: (m, p), (m, p) -> (m,).
row_dots: Callable[[Any, Any], Any] = getattr(np, "vecdot", einsum_dots)


def extend(R: Array, B: Array, C: Array) -> tuple[Array, float]:
    """The inverse root of [[K, B], [B', C]] from that of K: m new rows cost O(n^2 m) instead of O((n+m)^3)."""
    n, m = B.shape
    A = R @ B
    corner, jitter = inverse_root(C - A.T @ A)
    extended = np.zeros((n + m, n + m), order="F")
    extended[:n, :n] = R
    extended[n:, n:] = corner
    extended[n:, :n] = -(corner @ A.T) @ R
    return extended, jitter
