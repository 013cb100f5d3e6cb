"""What a parameter is, and its form in JSON and in study files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeAlias

from nonstop.errors import SpaceError
from nonstop.space.choices import Branch, Categorical, Ordinal
from nonstop.space.ranges import Float, Int, levels
from nonstop.types import Value
from nonstop.wording import hint, shown

Parameter: TypeAlias = Float | Int | Categorical | Ordinal
_TYPES: Mapping[str, type[Parameter]] = {"float": Float, "int": Int, "categorical": Categorical, "ordinal": Ordinal}

#: Reads and writes the space that a choice brings along: parameters know no spaces.
Read: TypeAlias = Callable[[object], Branch]
Write: TypeAlias = Callable[[Branch], Mapping[str, object]]


def is_single(parameter: Parameter) -> bool:
    """Has it one value only? Then there is nothing to search, and it has no axis."""
    return parameter.low == parameter.high if isinstance(parameter, Float | Int) else len(parameter.choices) == 1


def single_value(parameter: Parameter) -> Value:
    """The only value."""
    return parameter.low if isinstance(parameter, Float | Int) else parameter.choices[0]


def size_of(parameter: Parameter) -> int | None:
    """How many values there are; None for a Float without steps."""
    return levels(parameter) if isinstance(parameter, Float | Int) else len(parameter.choices)


def to_json(parameter: Parameter, write: Write) -> dict[str, object]:
    """Plain JSON: its type and its fields."""
    if isinstance(parameter, Categorical):
        return {"type": "categorical", "choices": _branches_to_json(parameter, write)}
    if isinstance(parameter, Ordinal):
        return {"type": "ordinal", "choices": list(parameter.choices)}
    kind = "float" if isinstance(parameter, Float) else "int"
    table: dict[str, object] = {"type": kind, "low": parameter.low, "high": parameter.high, "log": parameter.log}
    return table if parameter.step is None else {**table, "step": parameter.step}


def from_json(table: object, read: Read) -> Parameter:
    """The parameter that to_json() or a table of a study file describes, or SpaceError."""
    if not isinstance(table, Mapping):
        raise SpaceError(f"got {shown(table)}, expected a table with a type")
    kind = table.get("type")
    make = _TYPES.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise SpaceError(f"got the type {shown(kind)}, expected one of {list(_TYPES)}")
    known = [field.name for field in fields(make) if field.init]
    arguments: dict[str, Any] = {key: value for key, value in table.items() if key != "type"}
    for key, value in arguments.items():
        if key not in known:
            raise SpaceError(f"got the unknown key {shown(key)} = {shown(value)}, expected {hint(key, known)}")
    for field in fields(make):
        if field.init and field.default is MISSING and field.name not in arguments:
            raise SpaceError(f"the key {field.name!r} is missing from {shown(dict(table))}")
    if make is Categorical:
        return Categorical(_choices_from_json(arguments["choices"], read))
    return make(**arguments)


def _branches_to_json(parameter: Categorical, write: Write) -> object:
    """A list of choices; a table of tables if some bring parameters along; if not all of those have names, a list in
    which a table with `value` and `space` stands for a choice."""
    if not parameter.branches:
        return list(parameter.choices)
    branches = [None if branch is None else write(branch) for branch in parameter.branches]
    if all(isinstance(choice, str) for choice in parameter.choices):
        return {choice: branch or {} for choice, branch in zip(parameter.choices, branches, strict=True)}
    pairs = zip(parameter.choices, branches, strict=True)
    return [choice if branch is None else {"value": choice, "space": branch} for choice, branch in pairs]


def _choices_from_json(given: object, read: Read) -> Any:
    if isinstance(given, Mapping):
        return {choice: _branch(choice, table, read) for choice, table in given.items()}
    if not isinstance(given, list) or not any(isinstance(choice, Mapping) for choice in given):
        return given
    found: dict[Any, Branch | None] = {}
    for choice in given:
        if not isinstance(choice, Mapping):
            choice = {"value": choice}
        if "value" not in choice or set(choice) - {"value", "space"}:
            raise SpaceError(f"got the choice {shown(choice)}, expected a value, or a table with value and space")
        value = choice["value"]
        if value in (found if isinstance(value, str | int | float | None) else ()):
            raise SpaceError(f"got the choice {value!r} twice, expected choices that differ (1 == 1.0 == True)")
        if not isinstance(value, str | int | float | None):
            raise SpaceError(f"got the choice {shown(value)}, expected a string, a finite number, a bool or None")
        found[value] = _branch(value, choice.get("space"), read)
    return found


def _branch(choice: object, table: object, read: Read) -> Branch | None:
    if table is None or table == {}:
        return None
    try:
        return read(table)
    except SpaceError as error:
        raise SpaceError(f"choice {shown(choice)}: {error}") from None
