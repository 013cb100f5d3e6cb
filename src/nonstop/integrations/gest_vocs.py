"""VOCS, with which gest-api describes a problem (variables, objectives, constraints), in the words of a study.

A set of numbers has an order, so it is sorted: whole numbers without a gap are an Int, others an Ordinal. Any other set
is a Categorical, sorted too, because the order of a Python set differs between processes.

LESS_THAN and GREATER_THAN may be met with equality here. BOUNDS are two constraints on one outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from gest_api.vocs import (
    VOCS,
    BoundsConstraint,
    ContextualVariable,
    ContinuousVariable,
    DiscreteVariable,
    GreaterThanConstraint,
    LessThanConstraint,
    MaximizeObjective,
    MinimizeObjective,
)

from nonstop.errors import SpaceError
from nonstop.space import Categorical, Float, Int, Ordinal, Space
from nonstop.space.parameters import Parameter
from nonstop.types import Direction
from nonstop.wording import shown


@dataclass(frozen=True, slots=True)
class Problem:
    """A VOCS as a study has it."""

    space: Space
    #: What is passed along with every point.
    constants: Mapping[str, object]
    objectives: Mapping[str, Direction]
    #: A bound such as "<= 8.0" by the name of the outcome that it is of.
    constraints: Mapping[str, str]
    #: The field of a result that each outcome is read from.
    fields: Mapping[str, str]
    #: Fields of a result that are kept as notes.
    observables: tuple[str, ...]


def problem_of(vocs: VOCS) -> Problem:
    """The problem; ValueError if it has what a study has not."""
    objectives = {name: _direction(name, wanted) for name, wanted in vocs.objectives.items()}
    if not objectives:
        raise ValueError("the VOCS must define at least one objective")
    constraints = dict(_constraints(vocs))
    fields = {name: name for name in objectives} | {outcome: name for outcome, (name, _) in constraints.items()}
    return Problem(
        space=space_of(vocs),
        constants={name: constant.value for name, constant in vocs.constants.items()},
        objectives=objectives,
        constraints={outcome: bound for outcome, (_, bound) in constraints.items()},
        fields=fields,
        observables=tuple(name for name in vocs.observable_names if name not in fields.values()),
    )


def space_of(vocs: VOCS) -> Space:
    """The space of the variables; ValueError if one cannot be searched."""
    if not vocs.variables:
        raise ValueError("the VOCS must define at least one variable")
    try:
        return Space({name: _parameter(name, variable) for name, variable in vocs.variables.items()})
    except SpaceError as error:
        raise ValueError(str(error)) from None


def _parameter(name: str, variable: object) -> Parameter:
    if isinstance(variable, ContextualVariable):
        raise ValueError(
            f"variable {shown(name)} is contextual: nonstop has no variables that are observed, not chosen"
        )
    if isinstance(variable, DiscreteVariable):
        return _discrete(name, variable.values)
    if not isinstance(variable, ContinuousVariable) or isinstance(variable.dtype, tuple):
        raise ValueError(f"variable {shown(name)} must be continuous or discrete, and no array, not {shown(variable)}")
    low, high = variable.domain
    return Float(low, high)


def _discrete(name: str, values: Iterable[Any]) -> Parameter:
    plain = [getattr(value, "item", lambda value=value: value)() for value in values]  # of NumPy's numbers, Python's
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in plain):
        ordered = sorted(plain)
        if len(ordered) > 1 and _has_no_gap(ordered):
            return Int(ordered[0], ordered[-1])
        if len(ordered) > 1:
            return Ordinal(ordered)
    elif not all(value is None or isinstance(value, bool | Real | str) for value in plain):
        raise ValueError(f"variable {shown(name)} has values that are neither numbers nor texts: {shown(plain)}")
    return Categorical(sorted(plain, key=lambda value: (type(value).__name__, str(value))))


def _has_no_gap(ordered: list[Any]) -> bool:
    return all(isinstance(value, Integral) for value in ordered) and ordered[-1] - ordered[0] == len(ordered) - 1


def _direction(name: str, objective: object) -> Direction:
    if not isinstance(objective, MinimizeObjective | MaximizeObjective):
        raise ValueError(f"objective {shown(name)} must be MINIMIZE or MAXIMIZE, not {type(objective).__name__}")
    return "minimize" if isinstance(objective, MinimizeObjective) else "maximize"


def _constraints(vocs: VOCS) -> Iterable[tuple[str, tuple[str, str]]]:
    """Outcome -> the field of a result that it is, and its bound."""
    for name, constraint in vocs.constraints.items():
        bounds = _bounds(name, constraint)
        # A name of its own where the field has two bounds, or is an objective too.
        alone = len(bounds) == 1 and name not in vocs.objectives
        yield from ((name if alone else f"{name} {bound}", (name, bound)) for bound in bounds)


def _bounds(name: str, constraint: object) -> list[str]:
    if isinstance(constraint, LessThanConstraint):
        return [f"<= {constraint.value!r}"]
    if isinstance(constraint, GreaterThanConstraint):
        return [f">= {constraint.value!r}"]
    if isinstance(constraint, BoundsConstraint):
        return [f">= {constraint.range[0]!r}", f"<= {constraint.range[1]!r}"]
    raise ValueError(f"constraint {shown(name)} is of a kind that nonstop does not know: {type(constraint).__name__}")
