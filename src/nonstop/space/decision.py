"""Whether params satisfy all constraints. A constraint with a name that is not active is satisfied, and so is one of a
space that is not active itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from nonstop.space.constraint import Constraint, Expression, Function
from nonstop.space.expression import Column
from nonstop.space.leaves import Leaf, Under, is_active
from nonstop.types import Params, Value

Rules: TypeAlias = Iterable[tuple[Constraint, Under | None]]


def first_broken(leaves: tuple[Leaf, ...], rules: Rules, numbers: frozenset[str], params: Params) -> str | None:
    """What is wrong with the params, which are as validate() returns them; None if nothing is. `numbers` are the names
    that stand for numbers only."""
    for constraint, under in rules:
        if _applies(leaves, constraint, under, params) and not _holds(constraint, numbers, params):
            assert isinstance(constraint, Expression | Function)
            return constraint.broken(params)
    return None


def single_column(value: Value, number: bool) -> Column:
    """The column of one value."""
    if number:
        return np.array([float(value)])  # type: ignore[arg-type]
    column = np.empty(1, dtype=object)
    column[0] = value
    return column


def _applies(leaves: tuple[Leaf, ...], constraint: Constraint, under: Under | None, params: Params) -> bool:
    if not is_active(leaves, under, params):
        return False
    return not isinstance(constraint, Expression) or constraint.names <= params.keys()


def _holds(constraint: Constraint, numbers: frozenset[str], params: Params) -> bool:
    if isinstance(constraint, Expression):
        columns = {name: single_column(params[name], name in numbers) for name in constraint.names}
        return bool(constraint.margin(columns, 1)[0] >= 0.0)
    return not isinstance(constraint, Function) or constraint.holds(params)
