"""From params to points of the unit cube and back: pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nonstop.errors import DataError
from nonstop.space.axes import Axis, Continuous, Discrete, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.space.parameters import Categorical, Float, Int, Parameter
from nonstop.space.space import Space
from nonstop.types import Array, Params, Value


@lru_cache(maxsize=128)
def cube_of(space: Space) -> Cube:
    """The cube that the space is encoded in."""
    return Cube(tuple(_part(parameter) for parameter in space.values()))


def encode(space: Space, params: Params) -> Array:
    """The point (dim,) of the params, which are as space.validate() returns them."""
    point: Array = encode_many(space, [params])[0]
    return point


def encode_many(space: Space, many: Sequence[Params]) -> Array:
    """The points (n, dim) of n params, which are as space.validate() returns them: for speed they are not checked."""
    columns = [_columns(parameter, [params[name] for params in many]) for name, parameter in space.items()]
    return np.concatenate(columns, axis=1)


def decode(space: Space, x: ArrayLike) -> dict[str, Value]:
    """The params whose point is nearest to x; they always validate.

    The inverse of encode: exact for Int, Categorical and the bounds of a Float. Other floats come back within
    2**-51 * (high - low) plus one ulp of their own; on a log scale, within 1e-12 relative.
    """
    point, cube = np.asarray(x, dtype=np.float64), cube_of(space)
    if point.shape != (cube.dim,) or np.isnan(point).any():
        raise DataError(f"got a point of shape {point.shape}: {point}, expected {cube.dim} numbers, none of them NaN")
    params, start = {}, 0
    for (name, parameter), part in zip(space.items(), cube.parts, strict=True):
        params[name] = _value(parameter, point[start : start + part.width])
        start += part.width
    return params


def _part(parameter: Parameter) -> Axis:
    return Continuous() if isinstance(parameter, Float) else _discrete_part(parameter)


def _discrete_part(parameter: Int | Categorical) -> Discrete:
    if isinstance(parameter, Int):
        return Levels(parameter.high - parameter.low + 1, parameter.low if parameter.log else None)
    return OneHot(len(parameter.choices))


def _columns(parameter: Parameter, values: list[Any]) -> Array:
    """The columns (n, width) of n values of one parameter."""
    if isinstance(parameter, Float):
        return _to_unit(parameter, values)[:, None]
    if isinstance(parameter, Int):
        levels = [value - parameter.low for value in values]  # Python integers are exact beyond 2**53
    else:
        place = {choice: i for i, choice in enumerate(parameter.choices)}
        levels = [place[value] for value in values]
    return _discrete_part(parameter).at(np.array(levels, dtype=np.int64))


def _value(parameter: Parameter, piece: Array) -> Value:
    """The value of one parameter from its columns (width,)."""
    if isinstance(parameter, Float):
        return _from_unit(parameter, float(piece[0]))
    level = int(_discrete_part(parameter).index(piece[None, :])[0])
    return parameter.low + level if isinstance(parameter, Int) else parameter.choices[level]


def _to_unit(parameter: Float, values: list[float]) -> Array:
    # math.log and not np.log: the same function for bounds and values, so that the bounds are encoded as 0 and 1.
    scale = math.log if parameter.log else float
    low, high = scale(parameter.low), scale(parameter.high)
    return (np.array([scale(value) for value in values], dtype=np.float64) - low) / (high - low)


def _from_unit(parameter: Float, u: float) -> float:
    if u <= 0.0 or u >= 1.0:
        return parameter.low if u <= 0.0 else parameter.high
    scale = math.log if parameter.log else float
    low, high = scale(parameter.low), scale(parameter.high)
    # Not low * (1 - u) + high * u: in a short range far from 0 both products would lose digits.
    inside = low + u * (high - low)
    return min(max(math.exp(inside) if parameter.log else inside, parameter.low), parameter.high)
