"""Stationary kernels with one lengthscale per dimension and unit signal variance.

Symbols: X (n, d), Z = X / lengthscales, D (n, m) squared distances between rows of Z.
A kernel is two functions of D: its value k(D) and its steepness h(D) = -2 dk/dD. Every gradient needs only h:
    dk / d log lengthscale_j = h (z_j - z'_j)^2        dk / dx_j = -h (z_j - z'_j) / lengthscale_j
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.surrogate.linalg import Array

Kernel: TypeAlias = Literal["rbf", "matern52"]
KERNELS: tuple[Kernel, ...] = ("rbf", "matern52")

_SQRT5 = math.sqrt(5.0)


def squared_distances(A: NDArray[np.floating], B: NDArray[np.floating]) -> NDArray[np.floating]:
    """D[i, j] = |a_i - b_j|^2, by one matrix product; never negative. Keeps the precision (float32 stays float32)."""
    product = A @ B.T
    product *= -2.0
    product += np.einsum("ij,ij->i", A, A)[:, None]
    product += np.einsum("ij,ij->i", B, B)[None, :]
    return np.maximum(product, 0.0, out=product)


def value(kernel: Kernel, D: NDArray[np.floating]) -> NDArray[np.floating]:
    """k(D), in place of D."""
    if kernel == "rbf":
        D *= -0.5
        return np.exp(D, out=D)
    root = np.sqrt(D, out=D)
    root *= _SQRT5
    return np.exp(-root) * (1.0 + root * (1.0 + root / 3.0))


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
    return value(kernel, squared_distances(A / lengthscales, B / lengthscales))  # type: ignore[return-value]
