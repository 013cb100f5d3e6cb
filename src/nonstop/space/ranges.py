"""Numbers between two bounds: Float and Int, with or without steps.

Parameters are frozen, comparable, hashable, and unchanged by a conversion to JSON and back. A parameter does not know
its name: its errors say what is wrong, and Space adds the name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from nonstop.arguments import flag_of, number_of, whole_of
from nonstop.errors import ParamsError, SpaceError
from nonstop.space.steps import MAX_LEVELS, Step, check_grid, checked_step, count, index_of, nearest_index, value_at
from nonstop.wording import shown


@dataclass(frozen=True, slots=True, repr=False)
class Float:
    """A real number from low to high; with a step, one of low, low + step, ..., high."""

    #: The smallest value.
    low: float
    #: The largest value. It may equal low: then there is nothing to search.
    high: float
    #: Is the scale logarithmic? Then low must be positive.
    log: bool = False
    #: The distance of neighbouring values, or with log=True their ratio: "x10". None is any value.
    step: Step | None = None

    def __post_init__(self) -> None:
        low, high = number_of(self.low), number_of(self.high)
        if low is None or high is None:
            raise SpaceError(f"got the bounds {shown(self.low)} and {shown(self.high)}, expected two finite numbers")
        _check_range(low, high, self.log)
        if math.isinf(high - low):
            raise SpaceError(f"got the bounds {low} and {high}, expected high - low to be a finite number too")
        if self.log and low < high and math.log(low) == math.log(high):
            raise SpaceError(f"got the bounds {low} and {high}, expected bounds whose logarithms differ")
        step = checked_step(self.step, bool(self.log), whole=False)
        if step is not None:
            check_grid(low, high, bool(self.log), step)
        _freeze(self, low=low, high=high, log=bool(self.log), step=step)

    def validate(self, value: object) -> float:
        """The value as a Python float, or ParamsError."""
        number = number_of(value)
        if number is None or not self.low <= number <= self.high:
            raise ParamsError(f"got {shown(value)}, expected a number from {self.low} to {self.high}{_in_steps(self)}")
        return number if self.step is None else float(_on_grid(self, self.step, number))

    def __repr__(self) -> str:
        return _show_range(self)


@dataclass(frozen=True, slots=True, repr=False)
class Int:
    """An integer from low to high; with a step, one of low, low + step, ..., high."""

    #: The smallest value.
    low: int
    #: The largest value. It may equal low: then there is nothing to search.
    high: int
    #: Is the scale logarithmic? Then low must be positive.
    log: bool = False
    #: The distance of neighbouring values, or with log=True their ratio: "x2". None is every integer.
    step: Step | None = None

    def __post_init__(self) -> None:
        low, high = _bound(self.low), _bound(self.high)
        if low is None or high is None:
            raise SpaceError(f"got the bounds {shown(self.low)} and {shown(self.high)}, expected two integers")
        _check_range(low, high, self.log)
        step = checked_step(self.step, bool(self.log), whole=True)
        if step is not None:
            check_grid(low, high, bool(self.log), step)
        else:
            _check_levels(low, high, bool(self.log))
        _freeze(self, low=low, high=high, log=bool(self.log), step=step)

    def validate(self, value: object) -> int:
        """The value as a Python int, or ParamsError."""
        number = whole_of(value)
        if number is None or not self.low <= number <= self.high:
            raise ParamsError(
                f"got {shown(value)}, expected an integer from {self.low} to {self.high}{_in_steps(self)}"
            )
        return number if self.step is None else int(_on_grid(self, self.step, number))

    def __repr__(self) -> str:
        return _show_range(self)


def levels(parameter: Float | Int) -> int | None:
    """How many values there are; None if they are not counted."""
    if parameter.low == parameter.high:
        return 1
    if parameter.step is not None:
        return count(parameter.low, parameter.high, parameter.step)
    return parameter.high - parameter.low + 1 if isinstance(parameter, Int) else None


def _check_range(low: float, high: float, log: object) -> None:
    if low > high:
        raise SpaceError(f"got low = {low} and high = {high}, expected low <= high")
    if flag_of(log) is None:
        raise SpaceError(f"got log = {shown(log)}, expected true or false")
    if log and low <= 0:
        raise SpaceError(f"got log=True with low = {low}, expected low > 0")


def _check_levels(low: int, high: int, log: bool) -> None:
    why = "so that the cells of neighbouring integers stay distinguishable in the unit cube"
    if high - low >= MAX_LEVELS:
        raise SpaceError(f"got the bounds {low} and {high}, expected at most 2**40 values, {why}")
    if log and low < high and high > MAX_LEVELS:
        raise SpaceError(f"got log=True with high = {high}, expected high <= 2**40, {why}")


def _on_grid(parameter: Float | Int, step: Step, number: float) -> float:
    """The value of the grid that the number stands for, or ParamsError that names the ones next to it."""
    low, high = parameter.low, parameter.high
    index = index_of(low, high, step, number)
    if index is not None:
        return value_at(low, high, step, index)
    i = nearest_index(low, high, step, number)
    i -= value_at(low, high, step, i) > number
    near = " or ".join(str(value_at(low, high, step, j)) for j in (i, i + 1))
    raise ParamsError(f"got {number}, expected {near}: a value from {low} to {high}{_in_steps(parameter)}")


def _in_steps(parameter: Float | Int) -> str:
    step = parameter.step
    if step is None:
        return ""
    return f", each {step[1:]} times the one before" if isinstance(step, str) else f" in steps of {step}"


def _freeze(parameter: Float | Int, **canonical: object) -> None:
    for name, value in canonical.items():
        object.__setattr__(parameter, name, value)


def _bound(value: object) -> int | None:
    """An integer that is a number for everybody who reads it: not beyond the largest float."""
    return None if number_of(value) is None else whole_of(value)


def _show_range(parameter: Float | Int) -> str:
    log = ", log=True" if parameter.log else ""
    step = "" if parameter.step is None else f", step={parameter.step!r}"
    return f"{type(parameter).__name__}({parameter.low!r}, {parameter.high!r}{log}{step})"
