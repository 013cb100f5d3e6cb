"""The expected growth of the area or volume that the front dominates, for two and three objectives (Emmerich 2005).

Busy points are believed: their means are among the values that the front is made of. The volume is counted in the units
of the models, above a reference point. One just below the front makes it dense, but a front that has found a small part
only may stay there: what lies beyond the reference counts for nothing. One below all results rewards the ends of the
front most, and the front grows to its ends first. So every fourth query has the latter, the others the former.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.maximize import Terrain
from nonstop.acquisition.rule import Choice, View
from nonstop.errors import RuleError
from nonstop.numerics.cells import Cells
from nonstop.numerics.ehvi import estimated_log_ehvi, log_ehvi
from nonstop.numerics.hypervolume import nondominated
from nonstop.surrogate.gp import GP
from nonstop.surrogate.scalarized import NARROWEST, Scalarized, frame
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array

_BELOW = 0.1  # extents, of the front or of all results: how far below the least values the reference point lies
_ROUNDS = 10  # of a climb; in more dimensions, as many as there are
_NARROW = 0.25  # of the extent of all results: a front that has less of it may be a part of a larger one only
_OFTEN, _RARELY = 2, 8  # queries: after so many one has a reference below all results, if the front is narrow or not


@dataclass(frozen=True, slots=True)
class EHVI:
    """The point from which the dominated area, or volume, is expected to grow most."""

    objectives: ClassVar[tuple[int, ...]] = (2, 3)

    def choose(self, view: View) -> Choice:
        if not isinstance(view.gp, Scalarized) or len(view.gp.gps) not in self.objectives:
            raise RuleError("EHVI works with two or three objectives only: use kb-ucb or kb-logei")
        gps = view.gp.condition(view.busy).gps
        values = np.stack([gp.at_data() for gp in gps], axis=1)
        rows = _kept(view)
        values, points = values[rows], gps[0].X[rows]
        remote = view.queries % (_OFTEN if is_narrow(values) else _RARELY) == 0
        return view.maximize(LogEHVI.of(gps, values, points, remote, len(view.busy)))


@dataclass(frozen=True, slots=True, eq=False)
class LogEHVI:
    """The logarithm of the expected growth, as an Acquisition. `cells` is what the front does not dominate, `centers`
    (m, d) are its points."""

    logarithmic: ClassVar[bool] = True
    gps: tuple[GP, ...]
    sketches: tuple[Sketch, ...]
    cells: Cells
    centers: Array

    @classmethod
    def of(cls, gps: tuple[GP, ...], values: Array, points: Array, remote: bool = False, recent: int = 0) -> LogEHVI:
        """Beyond the values (n, k) at points (n, d). The last `recent` rows of the data are invented; see Sketch.of."""
        cells = Cells.of(values, reference_of(values, remote))
        return cls(gps, tuple(Sketch.of(gp, recent) for gp in gps), cells, points[nondominated(values)])

    def guided(self, terrain: Terrain) -> Terrain:
        """The whole front is searched around. After a few rounds a climb would gain a thousandth of a volume more."""
        return replace(terrain, centers=terrain.cube.feasible(self.centers), rounds=max(_ROUNDS, terrain.cube.dim))

    def screen(self, P: Array) -> Array:
        moments = [sketch.moments(P)[:2] for sketch in self.sketches]
        return estimated_log_ehvi(*_stacked(moments), self.cells)

    def value(self, P: Array) -> Array:
        return log_ehvi(*_stacked([gp.moments(P) for gp in self.gps]), self.cells)[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        parts = [gp.moments_and_chain(P) for gp in self.gps]
        mean, sd = _stacked([(mean, variance) for mean, variance, _ in parts])
        value, by_mean, by_sd = log_ehvi(mean, sd, self.cells)
        by_variance = by_sd / (2.0 * sd)
        gradients = [chain(by_mean[:, i], by_variance[:, i]) for i, (_, _, chain) in enumerate(parts)]
        return value, np.asarray(np.sum(gradients, axis=0))


def _kept(view: View) -> NDArray[np.intp]:
    """Which data keep the bounds or, busy ones, are expected to; all, if none do."""
    known = np.ones(len(view.gp.X), dtype=bool) if view.kept is None else view.kept
    kept = np.concatenate([known, view.expected(view.busy)])
    return np.flatnonzero(kept if kept.any() else ~kept)


def is_narrow(values: Array) -> bool:
    """Is the front of these values (n, k) narrow in some objective, beside all of them?"""
    _, extent = frame(values, 0.0)
    return bool((extent < _NARROW * np.ptp(values, axis=0)).any())


def reference_of(values: Array, remote: bool) -> Array:
    """The reference point (k,) for values (n, k): a tenth of the extent below the least values, those of the front or,
    if it is to be remote, of all."""
    if remote:
        least, extent = values.min(axis=0), np.maximum(np.ptp(values, axis=0), NARROWEST)
    else:
        least, extent = frame(values)
    return np.asarray(least - _BELOW * extent)


def _stacked(moments: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Mean and standard deviation (m, k) of k objectives."""
    mean, variance = (np.stack(column, axis=1) for column in zip(*moments, strict=True))
    return mean, np.sqrt(variance)
