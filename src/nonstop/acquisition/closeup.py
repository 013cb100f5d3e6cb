"""A close-up: the part of the cube around the best believed point, stretched to a cube of its own.

One GP sees the surroundings of the best point by the lengthscales of the whole cube, and if there are many results it
cannot hold them all. So, as soon as there are enough results, every second proposal is made in a close-up: of all
results, those nearest to the best believed point, in the box that they span, with a transform of their values and
hyperparameters of their own. To a rule it is a cube like any other, so only rules to which all places are alike see it.

Symbols: n results in d columns; x = low + span u is the point of the cube that is u in the close-up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nonstop.acquisition.data import Data
from nonstop.acquisition.rule import Choice, Rule, sees_close_ups
from nonstop.acquisition.sought import Sought
from nonstop.acquisition.taken import Taken
from nonstop.numerics.linalg import row_dots
from nonstop.surrogate.gp import GP
from nonstop.surrogate.model import Surrogate
from nonstop.types import Array

_FEWEST, _PER_COLUMN = 16, 4  # results in a close-up: so many, and so many more for each column
_MANY, _IN_MANY = 20, 56  # in more columns than these, so many: most studies would never have enough for a larger one
_ENOUGH = 1.5  # times as many results there must be: a close-up of almost all of them would show nothing new
_NARROWEST = 0.01  # a side of the box, at least: twenty times the least distance between two queries


@dataclass(frozen=True, slots=True, eq=False)
class CloseUp:
    """The box, and what the proposal knows of it, in its own coordinates. Columns that are not continuous are those of
    the cube."""

    low: Array
    span: Array
    data: Data

    @classmethod
    def of(cls, data: Data, center: Array, gp: GP) -> CloseUp:
        """The surroundings of a point (d,): the results nearest to it by the lengthscales of the GP."""
        off = gp.scaled(data.X) - gp.scaled(center[None])
        rows = np.sort(np.argsort(row_dots(off, off), kind="stable")[: _size(data)])
        flexible = data.cube.flexible
        least, most = data.X[rows].min(axis=0), data.X[rows].max(axis=0)
        span = np.where(flexible, np.maximum(most - least, _NARROWEST), 1.0)
        low = np.where(flexible, np.clip((least + most - span) / 2.0, 0.0, 1.0 - span), 0.0)

        def inside(points: Array) -> Array:
            P = (points - low) / span
            return P[((P >= 0.0) & (P <= 1.0)).all(axis=1)]

        seen = replace(
            data,
            X=np.clip((data.X[rows] - low) / span, 0.0, 1.0),
            Y=data.Y[:, rows],
            busy=inside(data.busy),
            believed=inside(data.believed),
            avoid=inside(data.avoid),
            failed=inside(data.failed),
            taken=Taken(inside(data.taken.points), data.ground, data.taken.tolerance / span),
            elsewhere=len(data.X) - len(rows),
        )
        return cls(low, span, seen)

    def outside(self, points: Array) -> Array:
        """Points of the close-up as points of the cube."""
        return np.clip(self.low + self.span * points, 0.0, 1.0)

    def choice(self, choice: Choice) -> Choice:
        """A choice in the close-up as one in the cube."""
        return replace(choice, x=self.outside(choice.x), others=self.outside(choice.others))


def close_up(data: Data, sought: Sought, surrogate: Surrogate, rule: Rule, rng: np.random.Generator) -> CloseUp | None:
    """The close-up to make this proposal in; None if it is to be made in the whole cube. That is always so with few
    results, for rules that may mean certain places, and where a box would be no cube of the same kind: with several
    objectives, with conditions or constraints between parameters, and with fixed values."""
    cube, gp = data.ground, sought.posterior
    plain = cube.flexible.any() and cube.region is None and not cube.is_conditional and not cube.is_held
    wanted = surrogate.close_ups and sees_close_ups(rule)
    if not wanted or not plain or not isinstance(gp, GP) or len(data.X) <= _ENOUGH * _size(data):
        return None
    return CloseUp.of(data, sought.believed_best, gp) if rng.random() < 0.5 else None


def _size(data: Data) -> int:
    """How many results a close-up holds (docs/decisions/0021)."""
    columns = data.cube.dim
    return _FEWEST + _PER_COLUMN * columns if columns <= _MANY else _IN_MANY
