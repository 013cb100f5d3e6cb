"""Cheap estimates of a posterior, in single precision and from fewer data, to rank many candidates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.numerics.linalg import inverse_root, row_dots
from nonstop.surrogate.gp import GP, is_light
from nonstop.surrogate.kernels.distances import left
from nonstop.surrogate.thinning import evenly
from nonstop.types import Array

#: Real numbers in single or double precision.
Numbers: TypeAlias = NDArray[np.floating[Any]]

_SKETCH = 64  # data points from which the variance is estimated
_ROWS = 1024  # candidates evaluated at once

#: The least noise that single precision can work with. Where the GP has less, the sketch assumes this much: the
#: variance stays an upper bound, and the mean, if its weights are too large otherwise, is off by half a percent.
_BLUR = 3e-5


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A GP in single precision. The mean is that of all data. The variance is an upper bound: that given some of the
    data, spread evenly, and given the `recent` ones, the last rows of the GP's data, which are taken into account
    exactly.

    The data are sorted: those that the variance is estimated from come first. `data` is right(A) and `alpha` the
    weights of the mean, in that order; `R` is the transposed inverse root of the first rows; `tail` the transposed
    recent rows of the GP's own; `workspace` memory for k and for what a kernel needs besides, because allocating it
    would take as long as filling it.
    """

    gp: GP
    data: Numbers
    alpha: Numbers
    R: Numbers
    tail: Numbers
    workspace: Numbers

    @classmethod
    def of(cls, gp: GP, recent: int = 0) -> Sketch:
        """The sketch of a GP; the last `recent` data are all kept for the variance."""
        n = len(gp.X)
        few = evenly(n - recent, _SKETCH)
        others = np.ones(n, dtype=bool)
        others[few] = False
        order = np.concatenate([few, np.flatnonzero(others)])
        noise = max(gp.hyperparameters.noise, _BLUR)
        K = gp.correlations(gp.X[few], gp.X[few])
        K.flat[:: len(few) + 1] = 1.0 + noise
        alpha = gp.alpha
        if not is_light(alpha):
            alpha = GP.of(gp.X, gp.y, replace(gp.hyperparameters, noise=noise), gp.kernel, gp.embedding).alpha
        return cls(
            gp,
            gp.data[order].astype(np.float32),
            alpha[order].astype(np.float32),
            inverse_root(K)[0].T.astype(np.float32, order="C"),
            gp.R[n - recent :, order].T.astype(np.float32, order="C"),
            np.empty((2, _ROWS, n), dtype=np.float32),
        )

    def moments(self, P: Array) -> tuple[Array, Array, Array]:
        """Mean, an upper bound of the variance, and the columns of V = k R' that belong to recent data (m, recent)."""
        parts = [self._moments(P[i : i + _ROWS]) for i in range(0, len(P), _ROWS)]
        mean, variance, W = (np.concatenate(column, dtype=np.float64) for column in zip(*parts, strict=True))
        return mean, np.maximum(variance, 1e-6, out=variance), W

    def _moments(self, P: Array) -> tuple[Numbers, Numbers, Numbers]:
        Z = self.gp.scaled(P).astype(self.data.dtype)
        T = np.matmul(left(Z), self.data.T, out=self.workspace[0, : len(P)])
        k = self.gp.kernel.value_of(T, self.workspace[1, : len(P)])
        V, W = k[:, : len(self.R)] @ self.R, k @ self.tail
        variance = 1.0 - row_dots(V, V)
        if W.shape[1]:
            variance -= row_dots(W, W)
        return k @ self.alpha, variance, W
