"""Believe only where it matters: the plain rule, unless its maximum falls next to a busy point.

Symbols: x the maximum of the plain rule, x_j the busy points, l (d,) lengthscales. The distance is the root mean square
over the columns of (x - x_j) / l. Below a tenth, two points are on the same hill for the maximiser too (maximize.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nonstop.acquisition.believer import KrigingBeliever
from nonstop.acquisition.rule import Choice, Score, View
from nonstop.acquisition.scored import scored, standard
from nonstop.arguments import number
from nonstop.errors import RuleError
from nonstop.types import Array


@dataclass(frozen=True, slots=True)
class Adaptive:
    """The inner rule as it is; if its maximum lies within `fraction` of a lengthscale of a busy point, the Kriging
    believer's choice instead."""

    close_ups: ClassVar[bool] = True
    inner: Score
    fraction: float = 0.1

    def __post_init__(self) -> None:
        standard("Adaptive", self.inner)
        number("Adaptive: fraction", self.fraction, RuleError, least=0.0)

    def choose(self, view: View) -> Choice:
        plain = view.maximize(scored(self.inner, view))
        if not len(view.busy) or nearest(plain.x, view.busy, view.gp.lengthscales) >= self.fraction:
            return plain
        return KrigingBeliever(self.inner).choose(view)


def nearest(x: Array, points: Array, lengthscales: Array) -> float:
    """The distance in lengthscales from x to the nearest of some points (b, d), b > 0."""
    off = (points - x) / lengthscales
    return float(np.sqrt(np.mean(off * off, axis=1)).min())
