"""The kinds of parameter: Float, Int and Categorical.

Parameters are frozen, comparable, hashable, and unchanged by a conversion to JSON and back. A parameter does not know
its name: its errors say what is wrong, and Space adds the name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, fields
from itertools import islice
from typing import Any, TypeAlias

from nonstop.arguments import flag_of, number_of, plain, text_of, whole_of
from nonstop.errors import ParamsError, SpaceError
from nonstop.types import Value
from nonstop.wording import hint, shown

#: The most values of an Int. Doubles in [0, 1] distinguish at least 2**52 points, so every integer has its own cell.
MAX_LEVELS = 2**40
#: The most choices of a Categorical, each of which is a column of the unit cube.
MAX_CHOICES = 2**16


@dataclass(frozen=True, slots=True, repr=False)
class Float:
    """A real number from low to high."""

    #: The smallest value.
    low: float
    #: The largest value.
    high: float
    #: Is the scale logarithmic? Then low must be positive.
    log: bool = False

    def __post_init__(self) -> None:
        low, high = number_of(self.low), number_of(self.high)
        if low is None or high is None:
            raise SpaceError(f"got the bounds {shown(self.low)} and {shown(self.high)}, expected two finite numbers")
        _check_range(low, high, self.log)
        if math.isinf(high - low):
            raise SpaceError(f"got the bounds {low} and {high}, expected high - low to be a finite number too")
        if self.log and math.log(low) == math.log(high):
            raise SpaceError(f"got the bounds {low} and {high}, expected bounds whose logarithms differ")
        _freeze(self, low=low, high=high, log=bool(self.log))

    def validate(self, value: object) -> float:
        """The value as a Python float, or ParamsError."""
        number = number_of(value)
        if number is None or not self.low <= number <= self.high:
            raise ParamsError(f"got {shown(value)}, expected a number from {self.low} to {self.high}")
        return number

    def __repr__(self) -> str:
        return _show_range(self)


@dataclass(frozen=True, slots=True, repr=False)
class Int:
    """An integer from low to high."""

    #: The smallest value.
    low: int
    #: The largest value.
    high: int
    #: Is the scale logarithmic? Then low must be positive.
    log: bool = False

    def __post_init__(self) -> None:
        low, high = _bound(self.low), _bound(self.high)
        if low is None or high is None:
            raise SpaceError(f"got the bounds {shown(self.low)} and {shown(self.high)}, expected two integers")
        _check_range(low, high, self.log)
        why = "so that the cells of neighbouring integers stay distinguishable in the unit cube"
        if high - low >= MAX_LEVELS:
            raise SpaceError(f"got the bounds {low} and {high}, expected at most 2**40 values, {why}")
        if self.log and high > MAX_LEVELS:
            raise SpaceError(f"got log=True with high = {high}, expected high <= 2**40, {why}")
        _freeze(self, low=low, high=high, log=bool(self.log))

    def validate(self, value: object) -> int:
        """The value as a Python int, or ParamsError."""
        number = whole_of(value)
        if number is None or not self.low <= number <= self.high:
            raise ParamsError(f"got {shown(value)}, expected an integer from {self.low} to {self.high}")
        return number

    def __repr__(self) -> str:
        return _show_range(self)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Categorical:
    """One of several choices without an order."""

    #: Strings, finite numbers, booleans or None, all different.
    choices: Sequence[Value]

    def __post_init__(self) -> None:
        choices: object = self.choices
        # A set has no fixed order: the same declaration could be encoded differently in another process.
        if isinstance(choices, str | bytes | Set | Mapping) or not isinstance(choices, Iterable):
            raise SpaceError(f"got the choices {shown(choices)}, expected a list")
        scalars = tuple(_scalar(choice) for choice in _listed(choices))
        if not 1 <= len(scalars) <= MAX_CHOICES:
            raise SpaceError(f"got the choices {shown(choices)}, expected at least one and at most {MAX_CHOICES}")
        seen: set[Value] = set()
        for choice in scalars:
            if choice in seen:
                raise SpaceError(f"got the choice {choice!r} twice, expected choices that differ (1 == 1.0 == True)")
            seen.add(choice)
        _freeze(self, choices=scalars)

    def validate(self, value: object) -> Value:
        """The choice that equals the value, or ParamsError. True does not equal 1 here."""
        given = _known_scalar(value)
        if given is not _NO_SCALAR:
            for choice in self.choices:
                if choice == given and isinstance(choice, bool) == isinstance(given, bool):
                    return choice
        raise ParamsError(f"got {shown(value)}, expected one of {shown(list(self.choices))}")

    def _typed(self) -> tuple[tuple[type, Value], ...]:
        return tuple((type(choice), choice) for choice in self.choices)

    def __eq__(self, other: object) -> bool:  # as tuples, (1, 2) and (True, 2.0) would be equal
        return self._typed() == other._typed() if isinstance(other, Categorical) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._typed())

    def __repr__(self) -> str:
        return f"Categorical({list(self.choices)!r})"


Parameter: TypeAlias = Float | Int | Categorical
_TYPES: Mapping[str, type[Parameter]] = {"float": Float, "int": Int, "categorical": Categorical}


def to_json(parameter: Parameter) -> dict[str, object]:
    """Plain JSON: its type and its fields."""
    if isinstance(parameter, Categorical):
        return {"type": "categorical", "choices": list(parameter.choices)}
    kind = "float" if isinstance(parameter, Float) else "int"
    return {"type": kind, "low": parameter.low, "high": parameter.high, "log": parameter.log}


def from_json(table: object) -> Parameter:
    """The parameter that to_json() or a table of a study file describes, or SpaceError."""
    if not isinstance(table, Mapping):
        raise SpaceError(f"got {shown(table)}, expected a table with a type")
    kind = table.get("type")
    make = _TYPES.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise SpaceError(f"got the type {shown(kind)}, expected one of {list(_TYPES)}")
    known = [field.name for field in fields(make)]
    arguments: dict[str, Any] = {key: value for key, value in table.items() if key != "type"}
    for key, value in arguments.items():
        if key not in known:
            raise SpaceError(f"got the unknown key {shown(key)} = {shown(value)}, expected {hint(key, known)}")
    for field in fields(make):
        if field.default is MISSING and field.name not in arguments:
            raise SpaceError(f"the key {field.name!r} is missing from {shown(dict(table))}")
    return make(**arguments)


def _check_range(low: float, high: float, log: object) -> None:
    if low >= high:
        raise SpaceError(f"got low = {low} and high = {high}, expected low < high")
    if flag_of(log) is None:
        raise SpaceError(f"got log = {shown(log)}, expected true or false")
    if log and low <= 0:
        raise SpaceError(f"got log=True with low = {low}, expected low > 0")


def _freeze(parameter: Parameter, **canonical: object) -> None:
    for name, value in canonical.items():
        object.__setattr__(parameter, name, value)


def _bound(value: object) -> int | None:
    """An integer that is a number for everybody who reads it: not beyond the largest float."""
    return None if number_of(value) is None else whole_of(value)


def _listed(choices: Iterable[object]) -> list[object]:
    """At most one more than allowed: there are iterables without end, and some that fail."""
    try:
        return list(islice(choices, MAX_CHOICES + 1))
    except Exception:
        raise SpaceError(f"got the choices {shown(choices)}, expected a list") from None


#: Stands for everything that is no JSON scalar; None is one.
_NO_SCALAR = object()


def _known_scalar(value: object) -> Any:
    """The value as a plain Python object if it can be a choice; otherwise _NO_SCALAR, without calling its methods."""
    given = plain(value)
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, str):
        text = text_of(given)
        return _NO_SCALAR if text is None else text
    number = number_of(given) if isinstance(given, int | float) else None
    if number is None:
        return _NO_SCALAR
    return whole_of(given) if isinstance(given, int) else number


def _scalar(choice: object) -> Value:
    scalar = _known_scalar(choice)
    if scalar is _NO_SCALAR:
        raise SpaceError(f"got the choice {shown(choice)}, expected a string, a finite number, a bool or None")
    return scalar  # type: ignore[no-any-return]


def _show_range(parameter: Float | Int) -> str:
    log = ", log=True" if parameter.log else ""
    return f"{type(parameter).__name__}({parameter.low!r}, {parameter.high!r}{log})"
