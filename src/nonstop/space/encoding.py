"""From params to points of the unit cube and back: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from nonstop.errors import DataError
from nonstop.space.columns import encoded
from nonstop.space.cube import Cube
from nonstop.space.layout import Layout, layout_of
from nonstop.space.region import SpaceRegion
from nonstop.space.space import Space
from nonstop.types import Array, Params, Value


@lru_cache(maxsize=128)
def cube_of(space: Space) -> Cube:
    """The cube that the space is encoded in."""
    layout = layout_of(space)
    constrained = next(space.rules(), None) is not None
    return Cube(layout.parts, layout.conditions, SpaceRegion(space) if constrained else None)


def encode(space: Space, params: Params) -> Array:
    """The point (dim,) of the params, which are as space.validate() returns them."""
    point: Array = encode_many(space, [params])[0]
    return point


def encode_many(space: Space, many: Sequence[Params]) -> Array:
    """The points (n, dim) of n params, which are as space.validate() returns them: for speed they are not checked."""
    layout = layout_of(space)
    if not layout.is_plain:
        return cube_of(space).rest(_encoded_leaves(layout, many))
    columns = [encoded(parameter, [params[name] for params in many]) for name, parameter in space.items()]
    return np.concatenate(columns, axis=1)


def _encoded_leaves(layout: Layout, many: Sequence[Params]) -> Array:
    """The points, with 0 in columns that are not active."""
    X = np.zeros((len(many), layout.dim))
    active: list[list[int]] = []  # for each leaf, the rows in which it is
    for leaf, place in zip(layout.leaves, layout.places, strict=True):
        rows = list(range(len(many)))
        if leaf.under is not None:
            choice = layout.leaves[leaf.under.leaf]
            made = choice.parameter.choices[leaf.under.level]  # type: ignore[union-attr]
            rows = [row for row in active[leaf.under.leaf] if many[row][choice.name] == made]
        active.append(rows)
        if place is not None and rows:
            X[rows, place] = encoded(leaf.parameter, [many[row][leaf.name] for row in rows])
    return X


def decode(space: Space, x: ArrayLike) -> dict[str, Value]:
    """The params whose point is nearest to x. They always validate, unless x violates a constraint.

    The inverse of encode: exact for Int, Categorical, Ordinal, all steps and the bounds of a Float. Other floats come
    back within 2**-51 * (high - low) plus one ulp of their own; on a log scale, within 1e-12 relative.
    """
    point, layout = np.asarray(x, dtype=np.float64), layout_of(space)
    dim = layout.dim
    if point.shape != (dim,) or np.isnan(point).any():
        raise DataError(f"got a point of shape {point.shape}: {point}, expected {dim} numbers, none of them NaN")
    return layout.params(point)
