"""Stationary kernels with one lengthscale per dimension and unit signal variance.

Symbols: X (n, d), Z = X / lengthscales, D (n, m) squared distances between rows of Z.
A kernel is two functions of D: its value k(D) and its steepness h(D) = -2 dk/dD. Every gradient needs only h:
    dk / d log lengthscale_j = h (z_j - z'_j)^2        dk / dx_j = -h (z_j - z'_j) / lengthscale_j
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from nonstop.surrogate.linalg import Array

Kernel: TypeAlias = Literal["rbf", "matern52"]
KERNELS: tuple[Kernel, ...] = ("rbf", "matern52")

F = TypeVar("F", bound="np.floating[Any]")


#: exp(-46) = 1e-20 is as good as nothing, but numbers below 1e-38 make single precision twenty times slower.
_FARTHEST = 46.0


def squared_distances(A: NDArray[F], B: NDArray[F]) -> NDArray[F]:
    """D[i, j] = |a_i - b_j|^2; float32 stays float32."""
    D: NDArray[F] = left(A) @ right(B).T
    D *= -2.0
    np.maximum(D, 0.0, out=D)
    return D


def left(Z: NDArray[F]) -> NDArray[F]:
    """(z, -|z|^2 / 2, 1) row by row: -D/2 = a.b - |a|^2/2 - |b|^2/2 is the one matrix product left(A) right(B)'."""
    return _extended(Z, Z.shape[1])


def right(Z: NDArray[F]) -> NDArray[F]:
    """(z, 1, -|z|^2 / 2) row by row."""
    return _extended(Z, Z.shape[1] + 1)


def _extended(Z: NDArray[F], column: int) -> NDArray[F]:
    extended = np.ones((len(Z), Z.shape[1] + 2), dtype=Z.dtype)
    extended[:, :-2] = Z
    np.einsum("ij,ij->i", Z, Z, out=extended[:, column])
    extended[:, column] *= -0.5
    return extended


def from_exponent(kernel: Kernel, E: NDArray[F], room: NDArray[F]) -> NDArray[F]:
    """k for E = -D/2, in place of E; `room` is memory of the same shape."""
    if kernel == "rbf":
        np.exp(np.maximum(E, -_FARTHEST, out=E), out=E)
        return E
    E *= -2.0
    return _matern(np.clip(E, 0.0, _FARTHEST**2 / 5.0, out=E), room)


def value(kernel: Kernel, D: NDArray[F]) -> NDArray[F]:
    """k(D), in place of D."""
    if kernel == "rbf":
        D *= -0.5
        np.exp(D, out=D)
        return D
    return _matern(D, np.empty_like(D))


def _matern(D: NDArray[F], room: NDArray[F]) -> NDArray[F]:
    """(1 + r + r^2 / 3) exp(-r) with r = sqrt(5 D), in place of D."""
    D *= 5.0
    root = np.sqrt(D, out=room)
    D *= 1.0 / 3.0
    D += root
    D += 1.0
    np.negative(root, out=root)
    D *= np.exp(root, out=root)
    return D


def value_and_steepness(kernel: Kernel, D: Array) -> tuple[Array, Array]:
    """k(D) and h(D); D is overwritten."""
    if kernel == "rbf":
        D *= -0.5
        k = np.exp(D, out=D)
        return k, k
    D *= 5.0  # k = (1 + r + r^2 / 3) exp(-r) and h = 5/3 (1 + r) exp(-r), with as little fresh memory as can be
    h = np.sqrt(D)
    decay = np.negative(h)
    np.exp(decay, out=decay)
    h += 1.0
    h *= decay
    D *= 1.0 / 3.0
    D *= decay
    D += h
    h *= 5.0 / 3.0
    return D, h


def symmetric(kernel: Kernel, Z: Array, k: Array) -> Array:
    """Write the values between all rows of Z into k, and return h, which for RBF is the same array."""
    np.matmul(Z, Z.T, out=k)
    half = 0.5 * k.diagonal()
    k -= half[:, None]
    k -= half  # -D / 2
    if kernel == "rbf":
        np.exp(k, out=k)
        return k
    k *= -2.0
    _, h = value_and_steepness(kernel, np.maximum(k, 0.0, out=k))
    return h


def covariance(kernel: Kernel, A: Array, B: Array, lengthscales: Array) -> Array:
    """k(a_i, b_j) for the rows of A and B."""
    return value(kernel, squared_distances(A / lengthscales, B / lengthscales))
