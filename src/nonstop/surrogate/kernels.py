"""Stationary kernels with one lengthscale per dimension and unit signal variance.

Symbols: X (n, d), Z = X / lengthscales, D (n, m) squared distances between rows of Z, T the argument that a kernel
takes: -D/2 for RBF, 5 D for Matern-5/2, straight from one matrix product.
A kernel is two functions: its value k and its steepness h = -2 dk/dD. Every gradient needs only h:
    dk / d log lengthscale_j = h (z_j - z'_j)^2        dk / dx_j = -h (z_j - z'_j) / lengthscale_j
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from nonstop.numerics.linalg import row_dots
from nonstop.types import Array

Kernel: TypeAlias = Literal["rbf", "matern52"]
KERNELS: tuple[Kernel, ...] = ("rbf", "matern52")

F = TypeVar("F", bound="np.floating[Any]")

#: T / D.
ARGUMENT: dict[Kernel, float] = {"rbf": -0.5, "matern52": 5.0}

#: exp(-46) = 1e-20 is as good as nothing, but numbers below 1e-38 make single precision twenty times slower.
_FARTHEST = 46.0


def left(Z: NDArray[F]) -> NDArray[F]:
    """(z, -|z|^2 / 2, 1) row by row: -D/2 = a.b - |a|^2/2 - |b|^2/2 is one matrix product, left(A) right("rbf", B)'."""
    return _extended(Z, Z.shape[1])


def right(kernel: Kernel, Z: NDArray[F]) -> NDArray[F]:
    """(z, 1, -|z|^2 / 2) row by row, times what makes the product with left() this kernel's T."""
    extended = _extended(Z, Z.shape[1] + 1)
    extended *= -2.0 * ARGUMENT[kernel]
    return extended


def _extended(Z: NDArray[F], column: int) -> NDArray[F]:
    m, d = Z.shape
    extended = np.empty((m, d + 2), dtype=Z.dtype)
    extended[:, :d] = Z
    extended[:, d:] = 1.0
    extended[:, column] = row_dots(Z, Z)
    extended[:, column] *= -0.5
    return extended


def squared_distances(A: NDArray[F], B: NDArray[F]) -> NDArray[F]:
    """D[i, j] = |a_i - b_j|^2; float32 stays float32."""
    D: NDArray[F] = left(A) @ right("rbf", B).T
    D *= -2.0
    np.maximum(D, 0.0, out=D)
    return D


def value(kernel: Kernel, T: NDArray[F], room: NDArray[F] | None = None) -> NDArray[F]:
    """k(T), in place of T, which rounding may have given the wrong sign; `room` is memory of the same shape."""
    farthest = _FARTHEST if T.dtype == np.float32 else math.inf
    if kernel == "rbf":
        np.exp(T.clip(-farthest, 0.0, out=T), out=T)
        return T
    T.clip(0.0, farthest**2, out=T)
    root = np.sqrt(T, out=room)
    T *= 1.0 / 3.0
    T += root
    T += 1.0
    np.negative(root, out=root)
    T *= np.exp(root, out=root)  # (1 + r + r^2 / 3) exp(-r) with r = sqrt(T)
    return T


def value_and_steepness(kernel: Kernel, T: Array) -> tuple[Array, Array]:
    """k(T) and h(T); T is overwritten."""
    if kernel == "rbf":
        k = np.exp(np.minimum(T, 0.0, out=T), out=T)
        return k, k
    h = np.sqrt(np.maximum(T, 0.0, out=T))
    decay = np.negative(h)  # k as above and h = 5/3 (1 + r) exp(-r), with as little fresh memory as can be
    np.exp(decay, out=decay)
    h += 1.0
    h *= decay
    T *= 1.0 / 3.0
    T *= decay
    T += h
    h *= 5.0 / 3.0
    return T, h


def symmetric(kernel: Kernel, Z: Array, k: Array) -> Array:
    """Write the values between all rows of Z into k, and return h, which for RBF is the same array."""
    np.matmul(Z, Z.T, out=k)
    half = 0.5 * k.diagonal()
    k -= half[:, None]
    k -= half  # -D / 2
    if kernel != "rbf":
        k *= -2.0 * ARGUMENT[kernel]
    return value_and_steepness(kernel, k)[1]


def covariance(kernel: Kernel, A: Array, B: Array, lengthscales: Array) -> Array:
    """k(a_i, b_j) for the rows of A and B."""
    return value(kernel, left(A / lengthscales) @ right(kernel, B / lengthscales).T)
