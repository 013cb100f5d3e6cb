"""A Gaussian process in single precision and from fewer data: cheap estimates that rank many candidates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.numerics.linalg import inverse_root, row_dots
from nonstop.surrogate import kernels
from nonstop.surrogate.gp import GP, is_light
from nonstop.surrogate.thinning import evenly
from nonstop.types import Array

Numbers: TypeAlias = NDArray[np.floating[Any]]

_SKETCH = 64  # data points that stand for all of them when candidates are ranked
_ROWS = 1024  # candidates ranked at once

#: With less noise than this, single precision cannot hold the variance: with this much it is an upper bound still. The
#: same for the mean, where the weights are too heavy: it is then of values that may be off by half a percent.
_BLUR = 3e-5


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A GP in single precision: the mean from all data, the variance from the first rows, which are spread evenly, and
    from the `recent` ones, whose columns of V = k R' (n, recent) are kept whole in `tail`. With little noise the
    numbers would be too large for that, and it believes in a little more.

    `data` is kernels.right of the scaled data, `room` memory for k (twice: some kernels need it): fresh memory would
    cost as much as filling it.
    """

    gp: GP
    data: Numbers
    alpha: Numbers
    R: Numbers
    tail: Numbers
    room: Numbers

    @classmethod
    def of(cls, gp: GP, recent: int = 0) -> Sketch:
        n = len(gp.X)
        few = evenly(n - recent, _SKETCH)
        others = np.ones(n, dtype=bool)
        others[few] = False
        order = np.concatenate([few, np.flatnonzero(others)])
        noise = max(gp.hyperparameters.noise, _BLUR)
        K = kernels.covariance(gp.kernel, gp.X[few], gp.X[few], gp.lengthscales)
        K.flat[:: len(few) + 1] = 1.0 + noise
        alpha = gp.alpha
        if not is_light(alpha):
            alpha = GP.of(gp.X, gp.y, replace(gp.hyperparameters, noise=noise), gp.kernel).alpha
        return cls(
            gp,
            gp.data[order].astype(np.float32),
            alpha[order].astype(np.float32),
            inverse_root(K)[0].T.astype(np.float32, order="C"),
            gp.R[n - recent :, order].T.astype(np.float32, order="C"),
            np.empty((2, _ROWS, n), dtype=np.float32),
        )

    def moments(self, P: Array) -> tuple[Array, Array, Array]:
        """Mean, an upper bound of the variance, and the recent columns of V (m, recent)."""
        parts = [self._moments(P[i : i + _ROWS]) for i in range(0, len(P), _ROWS)]
        mean, variance, W = (np.concatenate(column, dtype=np.float64) for column in zip(*parts, strict=True))
        return mean, np.maximum(variance, 1e-6, out=variance), W

    def _moments(self, P: Array) -> tuple[Numbers, Numbers, Numbers]:
        Z = (P / self.gp.lengthscales).astype(self.data.dtype)
        T = np.matmul(kernels.left(Z), self.data.T, out=self.room[0, : len(P)])
        k = kernels.value(self.gp.kernel, T, self.room[1, : len(P)])
        V, W = k[:, : len(self.R)] @ self.R, k @ self.tail
        variance = 1.0 - row_dots(V, V)
        if W.shape[1]:
            variance -= row_dots(W, W)
        return k @ self.alpha, variance, W
