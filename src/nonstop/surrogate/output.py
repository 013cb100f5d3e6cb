"""Values of any scale -> values with zero mean and unit variance, and back. Larger is better, here as everywhere below.

Squares of 1e300 overflow and squares of 1e-300 vanish, so everything is measured in units of the largest deviation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np

from nonstop.surrogate.linalg import Array

#: How a surrogate sees values.
OutputName: TypeAlias = Literal["standardize", "compress"]


class Output(Protocol):
    """A strictly increasing map of values, and its inverse."""

    def forward(self, y: Array) -> Array: ...

    def backward(self, z: Array) -> Array: ...


def output_of(name: OutputName, y: Array) -> Output:
    """The map of that name for these values."""
    return Compress.of(y) if name == "compress" else Standardize.of(y)


@dataclass(frozen=True, slots=True)
class Standardize:
    """z = (y / unit - center) / spread. `unit` brings any y near one first; spread is 1 for constant values."""

    unit: float = 1.0
    center: float = 0.0
    spread: float = 1.0

    @classmethod
    def of(cls, y: Array) -> Standardize:
        largest = float(np.abs(y).max(initial=0.0))
        unit = largest if largest > 0.0 else 1.0
        scaled = y / unit
        center = float(scaled.mean()) if len(y) else 0.0
        # A spread below the rounding of the values themselves is no spread.
        spread = float(np.std(scaled - center, ddof=1)) if len(y) > 1 else 0.0
        return cls(unit, center, spread if spread > 1e-14 else 1.0)

    def forward(self, y: Array) -> Array:
        return (y / self.unit - self.center) / self.spread

    def backward(self, z: Array) -> Array:
        return (z * self.spread + self.center) * self.unit


@dataclass(frozen=True, slots=True)
class Compress:
    """What lies below the median comes closer to it, by a logarithm, before everything is standardised.

    Bad values tell where not to look, and by how much they are bad tells little; yet a few of them can be all the
    variance there is, and the differences among the good ones drown in the noise floor. In units of `scale`, the root
    mean square of what the upper half exceeds the median by, a distance t below it becomes log(1 + t).
    """

    inner: Standardize
    median: float
    scale: float
    outer: Standardize

    @classmethod
    def of(cls, y: Array) -> Compress:
        inner = Standardize.of(y)
        z = inner.forward(y)
        median = float(np.median(z)) if len(z) else 0.0
        scale = float(np.sqrt(np.mean(np.square(z[z >= median] - median)))) if len(z) else 0.0
        # All good values are equal: nothing says what a good difference is. The spread of all values, 1, stands in.
        free = cls(inner, median, scale if scale > 1e-12 else 1.0, Standardize())
        return cls(inner, median, free.scale, Standardize.of(free.forward(y)))

    def forward(self, y: Array) -> Array:
        z = self.inner.forward(y)
        below = np.maximum(self.median - z, 0.0)
        return self.outer.forward(np.where(below > 0.0, self.median - self.scale * np.log1p(below / self.scale), z))

    def backward(self, z: Array) -> Array:
        w = self.outer.backward(z)
        below = np.minimum(np.maximum(self.median - w, 0.0) / self.scale, 500.0)  # beyond, no number is large enough
        return self.inner.backward(np.where(below > 0.0, self.median - self.scale * np.expm1(below), w))
