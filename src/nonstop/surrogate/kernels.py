"""Stationary kernels with one lengthscale per dimension and unit signal variance.

Symbols: X (n, d), Z = X / lengthscales, D (n, m) squared distances between rows of Z.
A kernel is two functions of D: its value k(D) and its steepness h(D) = -2 dk/dD. Every gradient needs only h:
    dk / d log lengthscale_j = h (z_j - z'_j)^2        dk / dx_j = -h (z_j - z'_j) / lengthscale_j
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from nonstop.surrogate.linalg import Array

Kernel: TypeAlias = Literal["rbf", "matern52"]
KERNELS: tuple[Kernel, ...] = ("rbf", "matern52")

F = TypeVar("F", bound="np.floating[Any]")

_SQRT5 = math.sqrt(5.0)


def squared_distances(A: NDArray[F], B: NDArray[F]) -> NDArray[F]:
    """D[i, j] = |a_i - b_j|^2 = |a_i|^2 - 2 a_i.b_j + |b_j|^2 as one matrix product; float32 stays float32."""
    D: NDArray[F] = _extended(A, -2.0, squares_first=True) @ _extended(B, 1.0, squares_first=False).T
    np.maximum(D, 0.0, out=D)
    return D


def _extended(Z: NDArray[F], factor: float, squares_first: bool) -> NDArray[F]:
    """(factor Z, |z|^2, 1) or (factor Z, 1, |z|^2), row by row."""
    d = Z.shape[1]
    extended = np.ones((len(Z), d + 2), dtype=Z.dtype)
    np.multiply(Z, factor, out=extended[:, :d])
    np.einsum("ij,ij->i", Z, Z, out=extended[:, d if squares_first else d + 1])
    return extended


def value(kernel: Kernel, D: NDArray[F]) -> NDArray[F]:
    """k(D), in place of D."""
    if kernel == "rbf":
        D *= -0.5
        np.exp(D, out=D)
        return D
    root = np.sqrt(D, out=D)
    root *= _SQRT5
    decay: NDArray[F] = np.exp(-root)
    decay *= 1.0 + root * (1.0 + root / 3.0)
    return decay


def value_and_steepness(kernel: Kernel, D: Array) -> tuple[Array, Array]:
    """k(D) and h(D); D is overwritten."""
    if kernel == "rbf":
        D *= -0.5
        k = np.exp(D, out=D)
        return k, k
    root = np.sqrt(D, out=D)
    root *= _SQRT5
    decay = np.exp(-root)
    return decay * (1.0 + root * (1.0 + root / 3.0)), decay * (1.0 + root) * (5.0 / 3.0)


def covariance(kernel: Kernel, A: Array, B: Array, lengthscales: Array) -> Array:
    """k(a_i, b_j) for the rows of A and B."""
    return value(kernel, squared_distances(A / lengthscales, B / lengthscales))
