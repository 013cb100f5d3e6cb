"""The cells of a CSV file, and words such as `lr=0.1`: texts for values, and values for texts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from nonstop.errors import ParamsError
from nonstop.space import Int, Parameter, Space
from nonstop.wording import shown

#: How a cell begins that spreadsheets take for a formula (also in their wide forms), and text that is only a number.
_FORMULA: Final = re.compile("[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)


def harmless(value: object) -> object:
    """The value of a cell, with a ' before it if it is text that a spreadsheet would run as a formula; or text that
    looks as if it had one for this reason, so that text_in() gives back what it was."""
    if not isinstance(value, str):
        return value
    formula = _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if formula or (value.startswith("'") and _is_marked(value)) else value


def _is_marked(text: str) -> bool:
    """Is it a formula behind any number of '?"""
    bare = text.lstrip("'")
    return bool(_FORMULA.match(bare)) and not _NUMBER.fullmatch(bare)


def text_in(cell: str) -> str:
    """The text that harmless() was given."""
    return cell[1:] if cell.startswith("'") and _is_marked(cell) else cell


def number_in(cell: str) -> object:
    """The number in a cell; the text itself if it is none, for an error or a date."""
    try:
        return float(cell)
    except ValueError:
        return cell


def json_in(name: str, cell: str) -> Any:
    """The JSON in a cell; ParamsError if it is none."""
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        raise ParamsError(f"{name}: got {shown(cell)}, expected JSON") from None


def value_of(space: Space, name: str, cell: str) -> object:
    """The value that a text stands for, of one of the parameters of that name; ParamsError if that is not clear."""
    found = [value_in(leaf.parameter, cell) for leaf in space.named(name)]
    for leaf, value in zip(space.named(name), found, strict=True):
        with suppress(ParamsError):
            return leaf.parameter.validate(value)
    return found[0]


def value_in(parameter: Parameter, cell: str) -> object:
    """The value of a parameter for the text that stands for it; the text itself if it stands for none."""
    choices: Sequence[Any] | None = getattr(parameter, "choices", None)
    if choices is not None:
        return _choice(list(choices), cell)
    try:
        return int(cell)
    except ValueError:
        number = number_in(cell)
    # Tables with an empty cell in a column of integers write the others as 3.0.
    return int(number) if isinstance(parameter, Int) and isinstance(number, float) and number.is_integer() else number


def _choice(choices: Sequence[Any], cell: str) -> object:
    """The choice that is written so: as in an export, or else in JSON."""
    meant = [choice for choice in choices if cell in (_cell(choice), harmless(_cell(choice)))]
    if len(meant) > 1:
        raise ParamsError(f"{shown(cell)} may mean any of {shown(meant)}: use jsonl, which tells them apart")
    if meant:
        return meant[0]
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return text_in(cell)
    return value if any(value == choice for choice in choices) else text_in(cell)


def _cell(choice: object) -> str:
    """What csv.writer writes."""
    return "" if choice is None else str(choice)
