"""Branches that were hardly tried: values of a choice on which other parameters depend.

To the model, an untried branch is as uncertain as the prior, and sooner or later every rule goes there. But it would be
later than is good: while the values of the first branches still improve, a rule stays with them. And a branch of which
a few points are known, none of them good, looks bad everywhere, because few points say little about lengthscales. So as
long as there is an untried branch, every second proposal is for one; and every fourth is for a branch with less than
eight trials for each parameter that it brings along, if there is one (docs/decisions/0017 has the measurements).
"""

from __future__ import annotations

import numpy as np

from nonstop.acquisition.inside import filling
from nonstop.space.axes import Continuous
from nonstop.space.cube import Cube
from nonstop.space.holding import held
from nonstop.types import Array

_LOOKED_AT = 256  # quasi-random points, among which one of a branch is looked for
_EACH = 8  # trials for each parameter of a branch


def neglected_branch(cube: Cube, tried: Array) -> Cube | None:
    """The part of the cube to try now, given the points `tried` (m, dim): a branch that none of them, or few of them,
    are in; None if all of the cube is to be searched."""
    turn = len(tried) % 4
    if turn % 2 == 0:
        return None
    active, poorest = cube.active(tried), 1.0
    found: tuple[int, int] | None = None
    for parent, _, _ in cube.families():
        part, columns = cube.parts[parent], cube.columns[parent]
        assert not isinstance(part, Continuous)
        counts = np.bincount(part.index(tried[active[:, columns.start]][:, columns]), minlength=part.size)
        wanted = np.maximum(_EACH * np.array(cube.brought(parent)), 1)
        wealth = counts / wanted if turn == 3 else np.where(counts > 0, 1.0, 0.0)
        for level in np.flatnonzero(wealth < poorest).tolist():
            if wealth[level] < poorest and _holding(cube, parent, level) is not None:
                found, poorest = (parent, level), float(wealth[level])
    return None if found is None else _holding(cube, *found)


def _holding(cube: Cube, axis: int, level: int) -> Cube | None:
    """The part of the cube with this level of an axis; None if none of many points there is feasible."""
    part, columns, points = cube.parts[axis], cube.columns[axis], filling(cube, 0, 0, _LOOKED_AT)
    assert not isinstance(part, Continuous)
    there = cube.active(points)[:, columns.start] & (part.index(points[:, columns]) == level)
    return held(cube, _choice(cube, axis, points[there.argmax()])) if there.any() else None


def _choice(cube: Cube, axis: int, x: Array) -> Array:
    """The value of x (dim,) in this axis and in those that it depends on; NaN in the others."""
    kept = np.full(cube.dim, np.nan)
    while True:
        kept[cube.columns[axis]] = x[cube.columns[axis]]
        condition = cube.condition(axis)
        if condition is None:
            return kept
        axis = condition.parent
