"""Some axes of a cube held at fixed values, while the others are searched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nonstop.errors import DataError
from nonstop.space.axes import Axis, Continuous, Held
from nonstop.space.cube import Condition, Cube
from nonstop.types import Array

_ROUNDING = 1e-6  # by how much a value may differ from the one it stands for


def held(cube: Cube, x: Array) -> Cube:
    """The cube of the points that agree with x (dim,) in the columns in which x is not NaN.

    An axis that is active only with another value of a held one rests; one that is active with the held value of its
    parent is active whenever the parent is.
    """
    parts: list[Axis] = []
    conditions: list[Condition | None] = []
    never: set[int] = set()  # axes that are not active at any of these points
    for axis, (part, columns) in enumerate(zip(cube.parts, cube.columns, strict=True)):
        condition, kept = cube.condition(axis), _held(axis, part, x[columns])
        if condition is not None and (condition.parent in never or isinstance(parts[condition.parent], Held)):
            parent = condition.parent
            if parent not in never and _level(cube, parent, x) in condition.levels:
                condition = conditions[parent]
            else:
                never.add(axis)
                condition, kept = None, _resting(axis, part, kept)
        conditions.append(condition)
        parts.append(kept)
    return replace(cube, parts=tuple(parts), conditions=tuple(conditions) if any(conditions) else ())


def _held(axis: int, part: Axis, given: Array) -> Axis:
    """The axis with a given value, or as it is if there is none."""
    if isinstance(part, Held) or np.isnan(given).all():
        return part
    point = Cube((part,)).snap(given[None])[0]
    if not (np.abs(point - given) <= _ROUNDING).all():  # NaN is no value either
        raise DataError(f"fixed has {given.tolist()} in the columns of axis {axis}, which is no value of {part}")
    return Held(part, tuple(point.tolist()))


def _resting(axis: int, part: Axis, kept: Axis) -> Axis:
    if part != kept:
        raise DataError(f"fixed has a value for axis {axis}, which is not active with the other fixed values")
    return Held(part.part if isinstance(part, Held) else part, part.resting)


def _level(cube: Cube, axis: int, x: Array) -> int:
    part = cube.parts[axis]
    assert not isinstance(part, Continuous)
    return int(part.index(x[cube.columns[axis]][None])[0])
