"""The expected growth of the area or volume that the front dominates, for two and three objectives (Emmerich 2005).

Busy points are believed: their means are among the values that the front is made of. The volume is counted in the units
of the models, above a reference point. What lies beyond the reference counts for nothing, so with one just below the
front, the front gets dense, but one that is only a part of what there is may stay so. With a reference far below it the
ends count most, and the front grows to its ends. So how far it lies below is drawn anew for every query.

No model knows that an error cannot be less than zero. Where the front has reached such an end, a growth beyond it would
be expected for ever, and most queries spent on it. So if h results that differ in the other objectives have reached the
best value of one, only one in h queries counts on a better one: it could be a plateau.
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
from nonstop.surrogate.scalarized import Scalarized, frame
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array

_BELOW = (-3.0, 1.0)  # how far below the front the reference lies, as log10 of its extent: uniform between these
_REACHED = 1e-3  # extents of the front: what is so close to the best value of an objective has reached it
_ALIKE = 0.05  # extents of the front: results are counted once if no objective tells them apart by more
_ROUNDS = 10  # of a climb; in more dimensions, as many as there are


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
        best, reached = _best(view)
        ends = np.where(view.rng.random() < 1.0 / reached, np.inf, best)
        cells = Cells.of(values, reference_of(values, 10.0 ** view.rng.uniform(*_BELOW)), ends)
        return view.maximize(LogEHVI.of(gps, cells, points[nondominated(values)], len(view.busy)))


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
    def of(cls, gps: tuple[GP, ...], cells: Cells, centers: Array, recent: int = 0) -> LogEHVI:
        """The last `recent` rows of the data are invented; see Sketch.of."""
        return cls(gps, tuple(Sketch.of(gp, recent) for gp in gps), cells, centers)

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


def _best(view: View) -> tuple[Array, NDArray[np.intp]]:
    """The best result of each objective (k,), and how many different results have reached it. Results, not what models
    make of them: what is believed of busy points lies beyond the end."""
    assert isinstance(view.gp, Scalarized)
    values = np.stack([gp.y for gp in view.gp.gps], axis=1)
    if view.kept is not None and view.kept.any():
        values = values[view.kept]
    best, extent = values.max(axis=0), frame(values)[1]
    there = values >= best - _REACHED * extent
    rounded = np.round(values / (_ALIKE * extent))
    return best, np.array([len(np.unique(rounded[there[:, i]], axis=0)) for i in range(len(best))])


def reference_of(values: Array, below: float) -> Array:
    """The reference point (k,) for values (n, k): so many extents of their front below its least values."""
    least, extent = frame(values)
    return np.asarray(least - below * extent)


def _stacked(moments: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Mean and standard deviation (m, k) of k objectives."""
    mean, variance = (np.stack(column, axis=1) for column in zip(*moments, strict=True))
    return mean, np.sqrt(variance)
