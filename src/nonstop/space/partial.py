"""Some params of a space that are given, while the others are proposed: checked, and as a point with gaps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nonstop.errors import ParamsError
from nonstop.space.encoding import cube_of, encode
from nonstop.space.parameters import Parameter
from nonstop.space.space import Space
from nonstop.types import Array, Params, Value
from nonstop.wording import hint, shown


def parameters_named(space: Space, name: str) -> list[Parameter]:
    """The parameters of this name: none, one, or one in each of several branches."""
    return [space[name]] if name in space else []


def partial_params(space: Space, given: Mapping[str, object]) -> dict[str, Value]:
    """The given params as plain Python values in the order of the space, or ParamsError."""
    if not isinstance(given, Mapping):
        raise ParamsError(f"got the fixed params {shown(given)}, expected a mapping from names to values")
    for name in given:
        if not isinstance(name, str) or name not in space:
            raise ParamsError(f"unknown fixed parameter {shown(name)}: expected {hint(name, space)}")
    clean: dict[str, Value] = {}
    for name, parameter in space.items():
        if name in given:
            try:
                clean[name] = parameter.validate(given[name])
            except ParamsError as error:
                raise ParamsError(f"fixed parameter {shown(name)}: {error}") from None
    return clean


def partial_point(space: Space, fixed: Params) -> Array:
    """The point (dim,) of the fixed params, which are as partial_params() returns them; NaN in all other columns."""
    x = np.full(cube_of(space).dim, np.nan)
    for (name, parameter), columns in zip(space.items(), cube_of(space).columns, strict=True):
        if name in fixed:
            x[columns] = encode(Space({name: parameter}), {name: fixed[name]})
    return x
