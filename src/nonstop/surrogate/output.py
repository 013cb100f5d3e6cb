"""Values of any scale -> values with zero mean and unit variance, and back. Larger is better, here as everywhere below.

Squares of 1e300 overflow and squares of 1e-300 vanish, so everything is measured in units of the largest deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np

from nonstop.types import Array

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
        n, largest = len(y), float(np.abs(y).max(initial=0.0))
        unit = largest if largest > 0.0 else 1.0
        scaled = y / unit
        center = float(scaled.sum()) / max(n, 1)
        off = scaled - center
        # A spread below the rounding of the values themselves is no spread.
        spread = math.sqrt(float(off @ off) / (n - 1)) if n > 1 else 0.0
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

    Between `inner` and `outer` values count from the median: beside it, differences of 1e-10 would lose their digits.
    """

    inner: Standardize
    median: float
    scale: float
    outer: Standardize

    @classmethod
    def of(cls, y: Array) -> Compress:
        inner, n = Standardize.of(y), len(y)
        z = np.sort(inner.forward(y))
        median = 0.5 * float(z[(n - 1) // 2] + z[n // 2]) if n else 0.0
        above = z[z >= median] - median
        scale = math.sqrt(float(above @ above) / max(len(above), 1))
        # All good values are equal: nothing says what a good difference is. The spread of all values, 1, stands in.
        free = cls(inner, median, scale if scale > 1e-12 else 1.0, Standardize())
        return cls(inner, median, free.scale, Standardize.of(free.forward(y)))

    def forward(self, y: Array) -> Array:
        w = self.inner.forward(y) - self.median
        lowered = -self.scale * np.log1p(np.maximum(-w, 0.0) / self.scale)
        return self.outer.forward(np.where(w < 0.0, lowered, w))

    def backward(self, z: Array) -> Array:
        w = self.outer.backward(z)
        below = np.minimum(np.maximum(-w, 0.0) / self.scale, 500.0)  # beyond, no number is large enough
        return self.inner.backward(self.median + np.where(w < 0.0, -self.scale * np.expm1(below), w))
