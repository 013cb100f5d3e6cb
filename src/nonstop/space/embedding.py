"""How the model sees the points of a cube: parameters that are not active carry no information.

An axis of one column that has a condition becomes two columns: an active value u lies on an arc of radius 1/2, at
(cos 2u, sin 2u) / 2, and an inactive one in its centre, at (0, 0). So two active values are sin |u - u'| apart, within
16 % of |u - u'|; a value that is active and one that is not are 1/2 apart, whatever the value; and two that are not
active are the same. Both columns share the lengthscale of their axis. The columns of a conditional categorical are all
zero where it is not active: equally far from every choice. Every other column stays as it is. Since points are embedded
in a space with the usual distance, every kernel stays positive definite, which it would not if inactive coordinates
were left out of each distance (Swersky et al. 2014, Hutter and Osborne 2013).

Symbols: X (m, d) points of the cube; E (m, e) the same, embedded: the columns of the cube, a cosine where there is an
arc, and after them the sines of all arcs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nonstop.space.axes import Continuous, Discrete
from nonstop.space.cube import Cube
from nonstop.types import Array

#: Of the arcs. With a larger one, points of different branches are farther apart, and learn less from each other.
RADIUS = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A choice, and which of the conditional axes it makes active."""

    part: Discrete
    columns: slice
    #: Its own place among the conditional axes; None if it is always active.
    place: int | None
    #: The places of its children among the conditional axes.
    children: list[int]
    #: (levels, children): 1 where the child is active.
    table: Array


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """The map from X to E, and what belongs to it. Without families, it is the identity."""

    #: The choices, parents first.
    families: tuple[Family, ...]
    #: The columns of X that become arcs.
    arcs: NDArray[np.intp]
    #: The columns of E that belong to conditional axes, and the place of each one's axis.
    switched: NDArray[np.intp]
    places: NDArray[np.intp]
    #: How many columns of X are active at once, at most; None if all are.
    together: int | None

    def apply(self, X: Array) -> Array:
        """E (m, e) of the points X (m, d)."""
        if not self.families:
            return X
        arcs, d = self.arcs, X.shape[1]
        E = np.empty((len(X), d + len(arcs)))
        E[:, :d] = X
        angles = X[:, arcs] / RADIUS
        E[:, d:] = RADIUS * np.sin(angles)
        E[:, arcs] = RADIUS * np.cos(angles)
        E[:, self.switched] *= self._active(X)[:, self.places]
        return E

    def _active(self, X: Array) -> Array:
        """1 where a conditional axis is active, else 0: (m, conditional axes)."""
        on = np.empty((len(X), sum(len(family.children) for family in self.families)))
        for family in self.families:
            active = family.table[family.part.index(X[:, family.columns])]
            on[:, family.children] = active if family.place is None else active * on[:, [family.place]]
        return on

    def pull(self, E: Array, slopes: Array) -> Array:
        """The gradient (m, d) in X from that in E (m, e), by the chain rule; in discrete columns, that of E."""
        if not self.families:
            return slopes
        arcs, d = self.arcs, E.shape[1] - len(self.arcs)
        pulled = slopes[:, :d].copy()
        pulled[:, arcs] = (E[:, arcs] * slopes[:, d:] - E[:, d:] * slopes[:, arcs]) / RADIUS
        return pulled

    def widen(self, lengthscales: Array) -> Array:
        """The lengthscales (e,) of the columns of E, from those (d,) of the cube."""
        return np.concatenate([lengthscales, lengthscales[self.arcs]]) if self.families else lengthscales

    def tie(self, terms: Array) -> Array:
        """Terms (..., e) of the columns of E, summed for each column (..., d) of the cube."""
        if not self.families:
            return terms
        d = terms.shape[-1] - len(self.arcs)
        tied = terms[..., :d].copy()
        tied[..., self.arcs] += terms[..., d:]
        return tied


_NONE: NDArray[np.intp] = np.empty(0, dtype=np.intp)
#: Of a cube without conditions.
PLAIN = Embedding((), _NONE, _NONE, _NONE, None)


@lru_cache(maxsize=32)
def embedding_of(cube: Cube) -> Embedding:
    """The embedding of the points of a cube."""
    if not cube.is_conditional:
        return PLAIN
    conditional = [axis for axis in range(cube.axes) if cube.condition(axis) is not None]
    place = {axis: i for i, axis in enumerate(conditional)}
    families = []
    for parent, children, table in cube.families():
        part = cube.parts[parent]
        assert not isinstance(part, Continuous)
        own = [place[child] for child in children]
        families.append(Family(part, cube.columns[parent], place.get(parent), own, table.astype(np.float64)))
    own_columns = np.flatnonzero(np.isin(cube.owners, conditional))
    arcs = np.array([cube.columns[axis].start for axis in conditional if cube.parts[axis].width == 1], dtype=np.intp)
    switched = np.concatenate([own_columns, cube.dim + np.arange(len(arcs))])
    owners = np.concatenate([cube.owners[own_columns], cube.owners[arcs]])
    places = np.array([place[axis] for axis in owners.tolist()], dtype=np.intp)
    return Embedding(tuple(families), arcs, switched, places, cube.most_columns)
