"""Where the parameters of a space are in its cube: which columns belong to which leaf, and when they are active."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nonstop.space.axes import Axis
from nonstop.space.columns import axis_of, decoded
from nonstop.space.cube import Condition
from nonstop.space.leaves import Leaf, Under
from nonstop.space.parameters import is_single, single_value
from nonstop.space.space import Space
from nonstop.types import Array, Value


@dataclass(frozen=True, slots=True)
class Layout:
    """The axes of a cube, and what they are of."""

    #: All leaves of the space.
    leaves: tuple[Leaf, ...]
    #: The columns of each leaf; None if it has one value only, which needs no axis.
    places: tuple[slice | None, ...]
    #: The axes.
    parts: tuple[Axis, ...]
    #: When each axis is active; empty if all are.
    conditions: tuple[Condition | None, ...]
    #: Which leaf each axis is of.
    owners: tuple[int, ...]
    #: How many columns there are.
    dim: int

    @property
    def is_plain(self) -> bool:
        """Is there one axis for each leaf, always active?"""
        return len(self.parts) == len(self.leaves) and not self.conditions

    def params(self, x: Array) -> dict[str, Value]:
        """The params of a point (dim,): the active ones, in the order of the leaves."""
        params: dict[str, Value] = {}
        active: list[bool] = []
        for leaf, place in zip(self.leaves, self.places, strict=True):
            active.append(leaf.under is None or (active[leaf.under.leaf] and self._chosen(leaf.under, params)))
            if active[-1]:
                parameter = leaf.parameter
                params[leaf.name] = single_value(parameter) if place is None else decoded(parameter, x[place])
        return params

    def _chosen(self, under: Under, params: dict[str, Value]) -> bool:
        choice = self.leaves[under.leaf]
        return bool(params[choice.name] == choice.parameter.choices[under.level])  # type: ignore[union-attr]


@lru_cache(maxsize=128)
def layout_of(space: Space) -> Layout:
    """The layout of the space; SpaceError if a constraint has a name that is nowhere."""
    leaves = space.complete().leaves
    owners = tuple(place for place, leaf in enumerate(leaves) if not is_single(leaf.parameter))
    axes = {place: axis for axis, place in enumerate(owners)}
    parts = tuple(axis_of(leaves[place].parameter) for place in owners)
    ends = np.cumsum([part.width for part in parts]).tolist()
    columns = [slice(end - part.width, end) for end, part in zip(ends, parts, strict=True)]
    places = tuple(columns[axes[place]] if place in axes else None for place in range(len(leaves)))
    conditions = tuple(_condition(leaves, axes, leaves[place].under) for place in owners)
    return Layout(leaves, places, parts, conditions if any(conditions) else (), owners, ends[-1] if ends else 0)


def _condition(leaves: tuple[Leaf, ...], axes: dict[int, int], under: Under | None) -> Condition | None:
    while under is not None and under.leaf not in axes:  # a choice with one value is always made
        under = leaves[under.leaf].under
    return None if under is None else Condition(axes[under.leaf], frozenset({under.level}))
