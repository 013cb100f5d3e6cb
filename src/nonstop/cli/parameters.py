"""The values of --param: `lr=float:1e-5:1e-1:log`, `depth=int:1:12`, `loss=cat:l1,l2`. Parsed, never evaluated."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from nonstop.errors import SpaceError, StudyFileError
from nonstop.space import Categorical, Float, Int, Parameter
from nonstop.types import Value
from nonstop.wording import shown

FORMS: Final = "NAME=float:LOW:HIGH[:log], NAME=int:LOW:HIGH[:log] or NAME=cat:A,B,..."

_LONGEST: Final = 80  # characters of a word in an error message


def parameters_of(words: Iterable[str]) -> dict[str, Parameter]:
    """The parameters by name; StudyFileError names the word that cannot be parsed."""
    parameters: dict[str, Parameter] = {}
    for word in words:
        name, equals, form = word.partition("=")
        quoted = word if len(word) <= _LONGEST else f"{word[:_LONGEST]}..."
        if not name or not equals:
            raise StudyFileError(f"--param {quoted}: expected {FORMS}")
        if name in parameters:
            raise StudyFileError(f"--param {quoted}: {shown(name)} is declared twice")
        try:
            parameters[name] = _parameter(form)
        except SpaceError as error:
            raise StudyFileError(f"--param {quoted}: {error}") from None
    return parameters


def _parameter(form: str) -> Parameter:
    kind, _, rest = form.partition(":")
    if kind in ("cat", "categorical"):
        return Categorical([value_of(text) for text in rest.split(",")] if rest else [])
    plain = rest.removesuffix(":log")
    bounds, log = plain.split(":"), plain != rest
    if kind not in ("float", "int") or len(bounds) != 2:
        raise SpaceError(f"expected {FORMS}")
    low, high = (_number(text, kind) for text in bounds)
    return Float(low, high, log) if kind == "float" else Int(int(low), int(high), log)


def _number(text: str, kind: str) -> float:
    try:
        return float(text) if kind == "float" else int(text)
    except ValueError:
        what = "a number" if kind == "float" else "a whole number"
        raise SpaceError(f"got the bound {shown(text)}, expected {what}") from None


def value_of(text: str) -> Value:
    """A number, true, false, null or a quoted string as in JSON; any other text stays a string."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if value is None or isinstance(value, str | int | float) else text
