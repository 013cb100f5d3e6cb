"""What a kernel is: a stationary correlation with one lengthscale per dimension and unit variance.

Symbols: z = x / lengthscales; D = |z - z'|^2 the squared scaled distances; k(D) the correlation, with k(0) = 1;
h = -2 dk/dD the steepness. Every gradient needs only h:
    dk / d log lengthscale_j = h (z_j - z'_j)^2        dk / dx_j = -h (z_j - z'_j) / lengthscale_j

A kernel of your own needs one method:

    class RationalQuadratic(nonstop.Kernel):
        def value(self, D):
            return 1.0 / (1.0 + D / 2.0)

    nonstop.Surrogate(kernel=RationalQuadratic())

Everything else follows from `value`, by finite differences where it is a derivative. A kernel may replace any of it by
an exact and faster form, as RBF and Matern52 do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nonstop.errors import RuleError
from nonstop.surrogate.kernels.distances import F, left, right
from nonstop.types import Array

#: Relative steps of the finite differences. Differences of differences need the longer one, or rounding dominates.
_STEP, _LONG_STEP = 1e-4, 3e-3


class Kernel(ABC):
    """A correlation as a function of squared scaled distances. Only `value` has to be written.

    The `…_of` methods are the ones that the Gaussian process calls. They get T = scale * D straight from a matrix
    product, where rounding may have made a small D negative, and may overwrite it. A kernel that has no use for that
    leaves `scale` and these methods alone.
    """

    #: T / D.
    scale: ClassVar[float] = 1.0

    @abstractmethod
    def value(self, D: Array) -> Array:
        """k(D) for D >= 0 of any shape, element by element; 1 at D = 0. D must not be changed. While candidates are
        ranked, D is in single precision, and so should be what is returned."""

    def value_and_steepness(self, D: Array) -> tuple[Array, Array]:
        """k(D) and h(D) = -2 dk/dD."""
        return self.value(D), -2.0 * _derivative(self.value, D, _STEP)

    def steepness_and_slope(self, D: Array) -> tuple[Array, Array]:
        """h(D) and dh/dD."""

        def steepness(D: Array) -> Array:
            return self.value_and_steepness(D)[1]

        return steepness(D), _derivative(steepness, D, _LONG_STEP)

    def spectral_draws(self, rng: np.random.Generator, count: int, d: int) -> Array:  # noqa: ARG002
        """Frequencies (count, d) whose cosines average to the kernel of unit lengthscales: E cos(w . (z - z')) = k(D).
        Only Thompson sampling, and AEGIS with it, needs them."""
        raise RuleError(
            f"the kernel {type(self).__name__} has no method spectral_draws(rng, count, d), "
            "which Thompson sampling needs: write it, or use another rule"
        )

    def value_of(self, T: NDArray[F], workspace: NDArray[F] | None = None) -> NDArray[F]:  # noqa: ARG002
        """k from T, which is overwritten; `workspace` is memory of the same shape for intermediate results."""
        return self.value(np.maximum(T, 0.0, out=T))  # type: ignore[return-value]

    def value_and_steepness_of(self, T: Array) -> tuple[Array, Array]:
        """k, written to the memory of T, and h."""
        k, h = self.value_and_steepness(np.maximum(T, 0.0, out=T))
        T[...] = k
        return T, h


def covariance(kernel: Kernel, A: Array, B: Array, lengthscales: Array) -> Array:
    """k(a_i, b_j) for the rows of A and B."""
    return correlations(kernel, A / lengthscales, B / lengthscales)


def correlations(kernel: Kernel, Z: Array, A: Array) -> Array:
    """k(z_i, a_j) for the rows of Z and A, which are points over the lengthscales."""
    return kernel.value_of(left(Z) @ right(A, kernel.scale).T)


def symmetric(kernel: Kernel, Z: Array, k: Array) -> Array:
    """Write the values between all rows of Z into k, and return h, which may share its memory."""
    np.matmul(Z, Z.T, out=k)
    half = 0.5 * k.diagonal()
    k -= half[:, None]
    k -= half  # -D / 2
    if kernel.scale != -0.5:
        k *= -2.0 * kernel.scale
    return kernel.value_and_steepness_of(k)[1]


def _derivative(function: Callable[[Array], Array], D: Array, step: float) -> Array:
    """The derivative at D >= 0 of the parabola through three points that are at least 0 and lie around D, or beside it
    where D is smaller than a step."""
    steps = step * np.maximum(D, 1.0)
    first = np.maximum(D - steps, 0.0)
    u = (D - first) / steps  # where D is between the first point (0) and the second (1)
    low, middle, high = function(first), function(first + steps), function(first + 2.0 * steps)
    return ((u - 1.5) * low + (2.0 - 2.0 * u) * middle + (u - 0.5) * high) / steps
