"""The expected growth of the dominated area, for two objectives (Emmerich 2005).

Busy points are believed: their means count among the values that the front is made of. The area is counted in
standardised units, above a reference point: a tenth of the front's extent below its least values. It is computed in
logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nonstop.acquisition.rule import Choice, View
from nonstop.errors import RuleError
from nonstop.numerics.ehvi import log_ehvi
from nonstop.surrogate.gp import GP
from nonstop.surrogate.scalarized import Scalarized, frame
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array

_BELOW = 0.1  # extents of the front: how far below its least values the reference point lies

_NARROWEST = 1e-2  # the least extent of the front, in standard deviations of an objective


@dataclass(frozen=True, slots=True)
class EHVI:
    """The point from which the dominated area is expected to grow most."""

    objectives: ClassVar[int] = 2

    def choose(self, view: View) -> Choice:
        if not isinstance(view.gp, Scalarized) or len(view.gp.gps) != self.objectives:
            raise RuleError("EHVI works with two objectives only: use kb-ucb or kb-logei")
        gps = view.gp.condition(view.busy).gps
        values = np.stack([gp.at_data() for gp in gps], axis=1)
        kept = view.expected(gps[0].X)
        values = values[kept] if kept.any() else values
        return view.maximize(LogEHVI.of(gps, values, len(view.busy)))


@dataclass(frozen=True, slots=True, eq=False)
class LogEHVI:
    """The logarithm of the expected growth beyond `values` (n, 2), as an Acquisition."""

    logarithmic: ClassVar[bool] = True
    gps: tuple[GP, ...]
    sketches: tuple[Sketch, ...]
    values: Array
    reference: Array

    @classmethod
    def of(cls, gps: tuple[GP, ...], values: Array, recent: int = 0) -> LogEHVI:
        """The last `recent` rows of the data are invented; see Sketch.of."""
        least, extent = frame(values, _NARROWEST)
        return cls(gps, tuple(Sketch.of(gp, recent) for gp in gps), values, least - _BELOW * extent)

    def screen(self, P: Array) -> Array:
        return self._score([sketch.moments(P)[:2] for sketch in self.sketches])[0]

    def value(self, P: Array) -> Array:
        return self._score([gp.moments(P) for gp in self.gps])[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        parts = [gp.moments_and_chain(P) for gp in self.gps]
        value, by_mean, by_variance = self._score([(mean, variance) for mean, variance, _ in parts])
        gradients = [chain(by_mean[:, i], by_variance[:, i]) for i, (_, _, chain) in enumerate(parts)]
        return value, np.asarray(np.sum(gradients, axis=0))

    def _score(self, moments: list[tuple[Array, Array]]) -> tuple[Array, Array, Array]:
        """The value, and its derivatives in means and variances."""
        mean = np.stack([mean for mean, _ in moments], axis=1)
        sd = np.sqrt(np.stack([variance for _, variance in moments], axis=1))
        value, by_mean, by_sd = log_ehvi(mean, sd, self.values, self.reference)
        return value, by_mean, by_sd / (2.0 * sd)
