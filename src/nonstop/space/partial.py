"""Some params of a space that are given, while the others are proposed: checked, and as a point with gaps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nonstop.errors import ParamsError
from nonstop.space.columns import encoded
from nonstop.space.layout import layout_of
from nonstop.space.leaves import Leaf, is_active, path_of, when, why_not
from nonstop.space.parameters import Parameter, is_single, single_value
from nonstop.space.space import Space
from nonstop.types import Array, Params, Value
from nonstop.wording import hint, shown


def parameters_named(space: Space, name: str) -> list[Parameter]:
    """The parameters of this name: none, one, or one in each of several branches."""
    return [leaf.parameter for leaf in space.leaves if leaf.name == name]


def partial_params(space: Space, given: Mapping[str, object]) -> dict[str, Value]:
    """The given params as plain Python values in the order of the space, or ParamsError."""
    if not isinstance(given, Mapping):
        raise ParamsError(f"got the fixed params {shown(given)}, expected a mapping from names to values")
    for name in given:
        if not isinstance(name, str) or name not in space.names:
            raise ParamsError(f"unknown fixed parameter {shown(name)}: expected {hint(name, space.names)}")
    clean: dict[str, Value] = {}
    known: dict[str, Value] = {}  # and those that have one value only
    for leaf in space.leaves:
        if is_active(space.leaves, leaf.under, known):
            if leaf.name in given:
                clean[leaf.name] = known[leaf.name] = _validated(leaf, given[leaf.name])
            elif is_single(leaf.parameter):
                known[leaf.name] = single_value(leaf.parameter)
    for name in given:
        if name not in clean:
            raise ParamsError(f"fixed parameter {shown(name)} {_not_there(space, name, known)}")
    return clean


def partial_point(space: Space, fixed: Params) -> Array:
    """The point (dim,) of the fixed params, which are as partial_params() returns them; NaN in all other columns."""
    layout = layout_of(space)
    x = np.full(layout.dim, np.nan)
    singles = {leaf.name: single_value(leaf.parameter) for leaf in space.leaves if is_single(leaf.parameter)}
    known = {**singles, **fixed}
    for leaf, place in zip(layout.leaves, layout.places, strict=True):
        if place is not None and leaf.name in fixed and is_active(space.leaves, leaf.under, known):
            x[place] = encoded(leaf.parameter, [fixed[leaf.name]])[0]
    return x


def _validated(leaf: Leaf, value: object) -> Value:
    try:
        return leaf.parameter.validate(value)
    except ParamsError as error:
        raise ParamsError(f"fixed parameter {shown(leaf.name)}: {error}") from None


def _not_there(space: Space, name: str, known: Mapping[str, Value]) -> str:
    """Why a parameter of a choice cannot be fixed: the choice is not fixed, or another one."""
    named = [leaf for leaf in space.leaves if leaf.name == name]
    for leaf in named:
        choices = [space.leaves[under.leaf].name for under in path_of(space.leaves, leaf.under)]
        open_choices = [choice for choice in choices if choice not in known]
        if open_choices:
            return f"is only there when {when(space.leaves, leaf)}: fix {open_choices[0]}, too"
    return why_not(space.leaves, named, known)
