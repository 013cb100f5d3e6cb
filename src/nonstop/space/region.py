"""The known constraints of a space on points of its cube: decided as for the params that the points decode to.

Symbols: X (m, dim) points; a mask (m,) says for which of them something is so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.space.axes import OneHot
from nonstop.space.columns import column_of, decoded_many
from nonstop.space.constraint import Constraint, Expression, Function
from nonstop.space.expression import Column
from nonstop.space.layout import Layout, layout_of
from nonstop.space.leaves import Under
from nonstop.space.parameters import single_value
from nonstop.space.space import Space
from nonstop.types import Array

Mask: TypeAlias = NDArray[np.bool_]

_FARTHEST = 1e300  # margins are finite, also where nothing is to be kept and where nothing can be computed


@dataclass(frozen=True, slots=True)
class SpaceRegion:
    """The constraints of a space. Two regions are equal if their spaces are."""

    space: Space

    def holds(self, X: Array) -> Mask:
        """Which of the points X (m, dim) satisfy every constraint: (m,)."""
        seen, good = _Seen(layout_of(self.space), self.space.numbers, X), np.ones(len(X), dtype=bool)
        for constraint, under in self.space.rules():
            if isinstance(constraint, Expression):
                good &= seen.margin(constraint, under) >= 0.0
            elif isinstance(constraint, Function):
                good[good] = [seen.holds(constraint, under, row) for row in np.flatnonzero(good).tolist()]
        return good

    def margin(self, X: Array) -> Array | None:
        """How far the points are from violating a constraint (m,): >= 0 exactly where holds(); None if a function
        decides."""
        if any(isinstance(one, Function) for one, _ in self.space.rules()):
            return None
        seen, least = _Seen(layout_of(self.space), self.space.numbers, X), np.full(len(X), _FARTHEST)
        for constraint, under in self.space.rules():
            if isinstance(constraint, Expression):
                least = np.minimum(least, seen.margin(constraint, under))
        return least


class _Seen:
    """Points as values of their parameters; each is computed once, when it is needed."""

    def __init__(self, layout: Layout, numbers: frozenset[str], X: Array) -> None:
        self.layout, self.numbers, self.X = layout, numbers, X
        self._masks: dict[Under, Mask] = {}
        self._columns: dict[str, tuple[Column, Mask]] = {}

    def margin(self, expression: Expression, under: Under | None) -> Array:
        """The margin (m,) of one constraint, also where it is not to be kept."""
        kept, columns = self._kept(under), {}
        for name in sorted(expression.names):
            columns[name], there = self._column(name)
            kept = kept & there
        found = np.clip(expression.margin(columns, len(self.X)), -_FARTHEST, _FARTHEST)
        return np.where(kept, found, _FARTHEST)

    def holds(self, constraint: Constraint, under: Under | None, row: int) -> bool:
        """What a function says of one point; True of everything else."""
        if not isinstance(constraint, Function) or not self._kept(under)[row]:
            return True
        return constraint.holds(self.layout.params(self.X[row]))

    def _kept(self, under: Under | None) -> Mask:
        """Where the choices are made that lead here."""
        if under is None:
            return np.ones(len(self.X), dtype=bool)
        if under not in self._masks:
            outer = self._kept(self.layout.leaves[under.leaf].under)
            self._masks[under] = outer & (self._levels(under.leaf) == under.level)
        return self._masks[under]

    def _levels(self, leaf: int) -> NDArray[np.int64]:
        place = self.layout.places[leaf]
        if place is None:
            return np.zeros(len(self.X), dtype=np.int64)
        return OneHot(place.stop - place.start).index(self.X[:, place])

    def _column(self, name: str) -> tuple[Column, Mask]:
        """The values of a name, from whichever leaf is active, and where one is."""
        if name not in self._columns:
            m = len(self.X)
            column: Column = np.full(m, np.nan) if name in self.numbers else np.full(m, None, dtype=object)
            there = np.zeros(m, dtype=bool)
            for place, leaf in enumerate(self.layout.leaves):
                if leaf.name == name:
                    active = self._kept(leaf.under)
                    column[active] = self._values(place, active)
                    there |= active
            self._columns[name] = column, there
        return self._columns[name]

    def _values(self, place: int, rows: Mask) -> Column:
        parameter, columns = self.layout.leaves[place].parameter, self.layout.places[place]
        if columns is None:
            return column_of([single_value(parameter)] * int(rows.sum()))
        return decoded_many(parameter, self.X[rows, columns])
