"""The values of --fix: `dataset=b`, `depth=3`. Parsed as --param parses choices, never evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import click

from nonstop.cli.parameters import value_of
from nonstop.errors import ParamsError, StudyFileError
from nonstop.space import Space
from nonstop.space.partial import parameters_named, partial_params

F = TypeVar("F", bound=Callable[..., Any])

_LONGEST = 80  # characters of a word in an error message


def fix_option(function: F) -> F:
    """The option --fix, which may be repeated."""
    text = "Keep a parameter at a value in this run, and propose the others; may be repeated."
    return click.option("--fix", "fix", multiple=True, metavar="NAME=VALUE", help=text)(function)


def fixed_of(words: Iterable[str], given: Mapping[str, object] | None, space: Space) -> dict[str, object] | None:
    """The fixed params of a run: those of the study file, and those of the words in their place."""
    fixed = dict(given or {})
    for word in words:
        name, equals, text = word.partition("=")
        if not name or not equals:
            raise StudyFileError(f"--fix {_short(word)}: expected NAME=VALUE")
        fixed[name] = _value(space, name, text)
    try:
        partial_params(space, fixed)
    except ParamsError as error:
        raise StudyFileError(f"{error}; it comes from --fix or from the table [fix]") from None
    return fixed or None


def _value(space: Space, name: str, text: str) -> object:
    """The text as a number, true, false, null or a quoted string, if a parameter of that name takes it; else as it is:
    of the choices "1" and "2", --fix name=1 is the first."""
    read = value_of(text)
    return text if _takes(space, name, text) and not _takes(space, name, read) else read


def _takes(space: Space, name: str, value: object) -> bool:
    for parameter in parameters_named(space, name):
        try:
            parameter.validate(value)
        except ParamsError:
            continue
        return True
    return False


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST else f"{word[:_LONGEST]}..."
