"""Values of any scale -> values with zero mean and unit variance, and back.

Squares of 1e300 overflow and squares of 1e-300 vanish, so everything is measured in units of the largest deviation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nonstop.surrogate.linalg import Array


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
