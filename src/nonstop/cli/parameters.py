"""The values of --param: `lr=float:1e-5:1e-1:log`, `n=int:16:256:16`, `loss=cat:l1,l2`. Parsed, never evaluated.

Choices that bring parameters along need a study file: they do not fit into a word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, cast

from nonstop.errors import SpaceError, StudyFileError
from nonstop.space import Categorical, Float, Int, Ordinal, Parameter
from nonstop.space.steps import Step
from nonstop.types import Value
from nonstop.wording import shown

FORMS: Final = "NAME=float:LOW:HIGH[:STEP][:log], NAME=int:LOW:HIGH[:STEP][:log], NAME=cat:A,B,... or NAME=ord:A,B,..."
_CHOICES: Final[Mapping[str, type[Categorical | Ordinal]]] = {
    "cat": Categorical,
    "categorical": Categorical,
    "ord": Ordinal,
    "ordinal": Ordinal,
}

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
    if kind in _CHOICES:
        return _CHOICES[kind]([value_of(text) for text in rest.split(",")] if rest else [])
    plain = rest.removesuffix(":log")
    bounds, log = plain.split(":"), plain != rest
    if kind not in ("float", "int") or not 2 <= len(bounds) <= 3:
        raise SpaceError(f"expected {FORMS}")
    low, high = (_number(text, kind, "bound") for text in bounds[:2])
    step = _step(bounds[2], kind) if len(bounds) == 3 else None
    if kind == "float":
        return Float(low, high, log, step)
    return Int(int(low), int(high), log, step)


def _step(text: str, kind: str) -> Step:
    """A number, or x2."""
    return text if text.startswith("x") else _number(text, kind, "step")


def _number(text: str, kind: str, what: str) -> float:
    try:
        return float(text) if kind == "float" else int(text)
    except ValueError:
        expected = "a number" if kind == "float" else "a whole number"
        more = ", or a factor such as x2, or log" if what == "step" else ""
        raise SpaceError(f"got the {what} {shown(text)}, expected {expected}{more}") from None


def value_of(text: str) -> Value:
    """A number, true, false, null or a quoted string as in JSON; any other text stays a string."""
    if text.lstrip().startswith(("[", "{")):  # would stay a string too, and may be nested too deeply to be read
        return text
    try:
        return cast("Value", json.loads(text))
    except ValueError:
        return text
