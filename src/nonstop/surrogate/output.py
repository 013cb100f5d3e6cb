"""Values of any scale -> values with zero mean and unit variance, and back. Larger values are better.

Squares of 1e300 overflow and squares of 1e-300 vanish, so values are divided by the largest of them first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from nonstop.types import Array

_ORDINARY = 2.0  # scales below the median that are not compressed, where bad values may matter

#: The transforms by name.
OutputName: TypeAlias = Literal["standardize", "compress"]


class Output(Protocol):
    """A strictly increasing map of values, and its inverse."""

    @property
    def compresses(self) -> bool:
        """Are some differences of values made smaller than others?"""

    def forward(self, y: Array) -> Array:
        """Values as the model sees them."""

    def backward(self, z: Array) -> Array:
        """The inverse of forward()."""


def output_of(name: OutputName, y: Array) -> Output:
    """The transform of that name, fitted to these values."""
    return Compress.of(y) if name == "compress" else Standardize.of(y)


@dataclass(frozen=True, slots=True)
class Standardize:
    """z = (y / unit - center) / spread, with the largest |y| as unit. For constant values the spread is 1."""

    compresses: ClassVar[bool] = False
    unit: float = 1.0
    center: float = 0.0
    spread: float = 1.0

    @classmethod
    def of(cls, y: Array) -> Standardize:
        """The transform that gives these values zero mean and unit variance."""
        n, largest = len(y), float(np.abs(y).max(initial=0.0))
        unit = largest if largest > 0.0 else 1.0
        scaled = y / unit
        center = float(scaled.sum()) / max(n, 1)
        off = scaled - center
        # A spread below the rounding errors of the values counts as zero.
        spread = math.sqrt(float(off @ off) / (n - 1)) if n > 1 else 0.0
        return cls(unit, center, spread if spread > 1e-14 else 1.0)

    def forward(self, y: Array) -> Array:
        return (y / self.unit - self.center) / self.spread

    def backward(self, z: Array) -> Array:
        return (z * self.spread + self.center) * self.unit


@dataclass(frozen=True, slots=True)
class Shifted:
    """Another transform, and then minus a level: that of a process whose mean is not zero."""

    inner: Output
    level: float

    @property
    def compresses(self) -> bool:
        return self.inner.compresses

    def forward(self, y: Array) -> Array:
        return self.inner.forward(y) - self.level

    def backward(self, z: Array) -> Array:
        return self.inner.backward(z + self.level)


@dataclass(frozen=True, slots=True)
class Compress:
    """Standardise, but compress what lies below the median, or below a lower knee, by a logarithm first.

    How bad a bad value is matters little. Yet a few very bad ones can make up nearly all of the variance, and then the
    differences among the good ones are smaller than the least noise of the model. In units of `scale`, the root mean
    square of the upper half's distances from the median, a distance t below the knee becomes log(1 + t).

    `inner` standardises the values, the knee is subtracted, what is below is compressed, `outer` standardises the
    result. The knee is subtracted before anything else because differences of 1e-10 around it would lose their
    digits otherwise.
    """

    compresses: ClassVar[bool] = True
    inner: Standardize
    knee: float
    scale: float
    outer: Standardize

    @classmethod
    def of(cls, y: Array, least: float | None = None) -> Compress:
        """The transform that gives these values, once compressed, zero mean and unit variance. The knee is the median;
        if values from `least` on matter, it is not above that, nor closer to the median than two scales."""
        inner, n = Standardize.of(y), len(y)
        z = np.sort(inner.forward(y))
        median = 0.5 * float(z[(n - 1) // 2] + z[n // 2]) if n else 0.0
        above = z[z >= median] - median
        scale = math.sqrt(float(above @ above) / max(len(above), 1))
        # If all good values are equal, there is no scale: the spread of all values, 1, takes its place.
        scale = scale if scale > 1e-12 else 1.0
        knee = median
        if least is not None:
            knee = min(median - _ORDINARY * scale, float(inner.forward(np.array([least]))[0]))
        free = cls(inner, knee, scale, Standardize())
        return cls(inner, knee, scale, Standardize.of(free.forward(y)))

    def forward(self, y: Array) -> Array:
        w = self.inner.forward(y) - self.knee
        lowered = -self.scale * np.log1p(np.maximum(-w, 0.0) / self.scale)
        return self.outer.forward(np.where(w < 0.0, lowered, w))

    def backward(self, z: Array) -> Array:
        w = self.outer.backward(z)
        below = np.minimum(np.maximum(-w, 0.0) / self.scale, 500.0)  # exp(710) overflows
        return self.inner.backward(self.knee + np.where(w < 0.0, -self.scale * np.expm1(below), w))


@dataclass(frozen=True, slots=True)
class Bilog:
    """Of a slack, how far inside its bound an outcome is: sign(s) log(1 + |s| / scale), standardised.

    Next to the bound it is linear; what is far on either side is compressed, because only the sign matters there
    (Eriksson and Poloczek 2021). `scale` is the median of |s|.
    """

    compresses: ClassVar[bool] = True
    scale: float
    outer: Standardize

    @classmethod
    def of(cls, s: Array) -> Bilog:
        """The transform that gives these values, once compressed, zero mean and unit variance."""
        largest = float(np.abs(s).max(initial=0.0)) or 1.0
        middle = float(np.median(np.abs(s) / largest)) if len(s) else 1.0
        scale = max(max(middle, 1e-12) * largest, np.finfo(np.float64).tiny)
        return cls(scale, Standardize.of(cls(scale, Standardize()).forward(s)))

    @property
    def bound(self) -> float:
        """Where the bound is in standardised units."""
        return float(self.forward(np.zeros(1))[0])

    def forward(self, y: Array) -> Array:
        return self.outer.forward(np.copysign(np.log1p(np.abs(y) / self.scale), y))

    def backward(self, z: Array) -> Array:
        w = self.outer.backward(z)
        return np.copysign(self.scale * np.expm1(np.minimum(np.abs(w), 500.0)), w)
