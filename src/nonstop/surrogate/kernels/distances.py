"""Squared distances between the rows of two matrices, as one matrix product.

Symbols: A (n, d), B (m, d); D (n, m) with D_ij = |a_i - b_j|^2 = -2 (a_i . b_j - |a_i|^2 / 2 - |b_j|^2 / 2).
The product left(A) right(B)' is -D / 2; right(B, scale) makes it scale * D instead, at no further cost.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nonstop.numerics.linalg import row_dots

#: Single or double precision: what goes in comes out.
F = TypeVar("F", bound="np.floating[Any]")


def left(Z: NDArray[F]) -> NDArray[F]:
    """(z, -|z|^2 / 2, 1) for every row z."""
    return _extended(Z, Z.shape[1])


def right(Z: NDArray[F], scale: float = -0.5) -> NDArray[F]:
    """(z, 1, -|z|^2 / 2) for every row z, times the number that makes left(A) right(Z, scale)' equal scale * D."""
    extended = _extended(Z, Z.shape[1] + 1)
    extended *= -2.0 * scale
    return extended


def squared_distances(A: NDArray[F], B: NDArray[F]) -> NDArray[F]:
    """D (n, m), never negative."""
    D: NDArray[F] = left(A) @ right(B).T
    D *= -2.0
    np.maximum(D, 0.0, out=D)
    return D


def _extended(Z: NDArray[F], column: int) -> NDArray[F]:
    m, d = Z.shape
    extended = np.empty((m, d + 2), dtype=Z.dtype)
    extended[:, :d] = Z
    extended[:, d:] = 1.0
    extended[:, column] = row_dots(Z, Z)
    extended[:, column] *= -0.5
    return extended
