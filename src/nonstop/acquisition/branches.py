"""Branches that nobody tried yet: values of a choice on which other parameters depend.

To the model, an untried branch is as uncertain as the prior, and sooner or later every rule goes there. But it would be
later than is good: while the values of the first branches still improve, a rule stays with them. So as long as there is
an untried branch, every second proposal is for one (docs/decisions/0017 has the measurements).
"""

from __future__ import annotations

import numpy as np

from nonstop.acquisition.inside import filling
from nonstop.space.axes import Continuous
from nonstop.space.cube import Cube
from nonstop.space.holding import held
from nonstop.types import Array

_LOOKED_AT = 256  # quasi-random points, among which one of an untried branch is looked for


def untried_branch(cube: Cube, tried: Array) -> Cube | None:
    """The part of the cube with the first choice that none of the points `tried` (m, dim) made; None if there is no
    such choice, or none that is feasible."""
    active = cube.active(tried)
    for parent, _, _ in cube.families():
        part, columns = cube.parts[parent], cube.columns[parent]
        assert not isinstance(part, Continuous)
        seen = np.unique(part.index(tried[active[:, columns.start]][:, columns]))
        if len(seen) == part.size:
            continue
        points = filling(cube, 0, 0, _LOOKED_AT)
        new = cube.active(points)[:, columns.start] & ~np.isin(part.index(points[:, columns]), seen)
        if new.any():
            return held(cube, _choice(cube, parent, points[new.argmax()]))
    return None


def _choice(cube: Cube, axis: int, x: Array) -> Array:
    """The value of x (dim,) in this axis and in those that it depends on; NaN in the others."""
    kept = np.full(cube.dim, np.nan)
    while True:
        kept[cube.columns[axis]] = x[cube.columns[axis]]
        condition = cube.condition(axis)
        if condition is None:
            return kept
        axis = condition.parent
