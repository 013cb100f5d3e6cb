"""Slow and plain: what the fast code is compared with, and the data it is compared on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.kernel import Kernel
from nonstop.surrogate.kernels.names import kernel_of
from nonstop.surrogate.kernels.rbf import RBF
from nonstop.types import Array


def textbook_kernel(kernel: str | Kernel, A: Array, B: Array, lengthscales: Array) -> Array:
    """Rasmussen and Williams, equations 4.9 and 4.17, one pair of points at a time."""
    K = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            r = float(np.sqrt((((a - b) / lengthscales) ** 2).sum()))
            if isinstance(kernel_of(kernel), RBF):
                K[i, j] = np.exp(-0.5 * r**2)
            else:
                K[i, j] = (1.0 + np.sqrt(5.0) * r + 5.0 * r**2 / 3.0) * np.exp(-np.sqrt(5.0) * r)
    return K


def slopes(function: Callable[[Array], float], x: Array, step: float = 1e-5) -> Array:
    """Central finite differences with Richardson's correction: an error of order step^4."""

    def central(h: float) -> Array:
        steps = h * np.eye(len(x))
        return np.array([(function(x + e) - function(x - e)) / (2.0 * h) for e in steps])

    return (4.0 * central(step / 2.0) - central(step)) / 3.0


def smooth(X: Array, rng: np.random.Generator) -> Array:
    """A few random waves, standardised."""
    W = rng.normal(size=(X.shape[1], 4)) * 2.0 / np.sqrt(X.shape[1])
    y = np.sin(X @ W * 3.0 + rng.random(4) * 6.0) @ rng.normal(size=4)
    return np.asarray((y - y.mean()) / (y.std() + 1e-12))


def random_gp(seed: int, n: int, d: int, kernel: str = "rbf", noise: float = 1e-3) -> GP:
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    lengthscales = tuple((np.sqrt(d) * rng.uniform(0.2, 0.8, size=d)).tolist())
    return GP.of(X, smooth(X, rng), Hyperparameters(lengthscales, noise), kernel)
