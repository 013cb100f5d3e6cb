"""One parameter in the unit cube: its axis, its values as columns, and columns as values.

Symbols: block (m, width) the columns of the parameter in m points.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nonstop.space.axes import Axis, Continuous, Discrete, Levels, OneHot
from nonstop.space.choices import Categorical, Ordinal
from nonstop.space.expression import Column
from nonstop.space.parameters import Parameter, size_of
from nonstop.space.ranges import Float, Int
from nonstop.space.steps import nearest_index, value_at
from nonstop.types import Array, Value

_EXACT = 2**53  # integers up to here are floats without loss


def axis_of(parameter: Parameter) -> Axis:
    """The axis of a parameter that has more than one value."""
    return Continuous() if isinstance(parameter, Float) and parameter.step is None else discrete_axis(parameter)


def discrete_axis(parameter: Parameter) -> Discrete:
    """The axis of a parameter whose values can be counted."""
    if isinstance(parameter, Categorical):
        return OneHot(len(parameter.choices))
    size = size_of(parameter)
    assert size is not None
    if isinstance(parameter, Ordinal) or not parameter.log or isinstance(parameter.step, str):
        return Levels(size)
    return Levels(size, parameter.low if parameter.step is None else parameter.low / parameter.step)


def encoded(parameter: Parameter, values: list[Any]) -> Array:
    """The block of m values."""
    if isinstance(parameter, Float) and parameter.step is None:
        return _to_unit(parameter, values)[:, None]
    if isinstance(parameter, Float | Int):
        levels = _indices(parameter, values)
    else:
        place = {choice: i for i, choice in enumerate(parameter.choices)}
        levels = [place[value] for value in values]
    return discrete_axis(parameter).at(np.array(levels, dtype=np.int64))


def decoded(parameter: Parameter, piece: Array) -> Value:
    """The value of the columns (width,) of one point."""
    if isinstance(parameter, Float) and parameter.step is None:
        return _from_unit(parameter, float(piece[0]))
    return _at(parameter, int(discrete_axis(parameter).index(piece[None, :])[0]))


def decoded_many(parameter: Parameter, block: Array) -> Column:
    """What decoded() gives for each row: floats if all are numbers, objects otherwise."""
    if isinstance(parameter, Float) and parameter.step is None:
        return _many_from_unit(parameter, block[:, 0])
    levels = discrete_axis(parameter).index(block)
    exact = isinstance(parameter, Int) and max(abs(parameter.low), abs(parameter.high)) < _EXACT
    if isinstance(parameter, Int) and exact and not isinstance(parameter.step, str):
        return (parameter.low + levels * int(parameter.step or 1)).astype(np.float64)
    different, where = np.unique(levels, return_inverse=True)
    values = [_at(parameter, level) for level in different.tolist()]
    return column_of(values)[where]


def column_of(values: list[Value]) -> Column:
    """A column: floats if all values are numbers, objects otherwise."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array([float(value) for value in values], dtype=np.float64)  # type: ignore[arg-type]
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _at(parameter: Parameter, level: int) -> Value:
    """The value of a level."""
    if isinstance(parameter, Categorical | Ordinal):
        return parameter.choices[level]
    if parameter.step is None:
        return parameter.low + level
    return value_at(parameter.low, parameter.high, parameter.step, level)


def _indices(parameter: Float | Int, values: list[Any]) -> list[int]:
    low, high, step = parameter.low, parameter.high, parameter.step
    if step is None:
        return [value - low for value in values]  # Python integers are exact beyond 2**53
    if isinstance(step, int):
        return [(value - low) // step for value in values]
    return [nearest_index(low, high, step, value) for value in values]


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


def _many_from_unit(parameter: Float, u: Array) -> Array:
    """_from_unit() of each, to the last bit: Python's exp, because NumPy's may differ in it."""
    scale = math.log if parameter.log else float
    low, high = scale(parameter.low), scale(parameter.high)
    inside = low + np.clip(u, 0.0, 1.0) * (high - low)
    if parameter.log:
        inside = np.array([math.exp(value) for value in inside.tolist()], dtype=np.float64)
    inside = np.clip(inside, parameter.low, parameter.high)
    inside[u <= 0.0], inside[u >= 1.0] = parameter.low, parameter.high
    found: Array = inside
    return found
