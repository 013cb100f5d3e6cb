"""Objectives and constraints on the command line: --minimize error --maximize accuracy --subject-to "memory <= 8"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

import click

from nonstop.errors import StudyError, StudyFileError
from nonstop.outcomes.goals import Goals
from nonstop.wording import shown

F = TypeVar("F", bound=Callable[..., Any])

_BOUND: Final = re.compile(r"\s*([^<>=]*?)\s*([<>=].*)", re.DOTALL)
_SHOWN: Final = 80  # characters of a word in an error message


def goal_options(function: F) -> F:
    """The options --minimize, --maximize and --subject-to, each of which may be repeated."""
    about = {
        "subject-to": ("CONSTRAINT", "What an outcome has to be, such as 'memory <= 8'; may be repeated."),
        "maximize": ("NAME", "An outcome that is to be large; may be repeated."),
        "minimize": ("NAME", "An outcome that is to be small; may be repeated, for several objectives."),
    }
    for name, (metavar, text) in about.items():
        function = click.option(f"--{name}", name.replace("-", "_"), multiple=True, metavar=metavar, help=text)(
            function
        )
    return function


def with_goals(options: Mapping[str, object]) -> dict[str, object]:
    """The options with `objectives` and `constraints`, as a study file has them, in the place of those above."""
    rest = {key: value for key, value in options.items() if key not in ("minimize", "maximize", "subject_to")}
    objectives: dict[str, str] = {}
    for direction in ("minimize", "maximize"):
        for name in cast("Sequence[str]", options.get(direction) or ()):
            if name in objectives:
                raise StudyFileError(f"--{direction} {_short(name)}: {_short(name)} is an objective already")
            _check(f"--{direction} {shown(name)}", {name: direction})
            objectives[name] = direction
    constraints: dict[str, str] = {}
    for text in cast("Sequence[str]", options.get("subject_to") or ()):
        name, bound = _constraint(text)
        if name in constraints:
            also = f"{_short(name)} has the constraint {constraints[name]} already, and an outcome can have one"
            raise StudyFileError(f"--subject-to {shown(text)}: {also}")
        constraints[name] = bound
    return {**rest, "objectives": objectives or None, "constraints": constraints or None}


def _constraint(text: str) -> tuple[str, str]:
    """NAME and bound of NAME <= NUMBER."""
    found = _BOUND.fullmatch(text)
    if found is None or not found[1] or _is_number(found[1]):
        raise StudyFileError(f"--subject-to {shown(text)}: expected NAME <= NUMBER or NAME >= NUMBER")
    _check(f"--subject-to {shown(text)}", None, {found[1]: found[2]})
    return found[1], found[2]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check(
    where: str, objectives: Mapping[str, object] | None, constraints: Mapping[str, object] | None = None
) -> None:
    try:
        Goals.of("minimize", objectives, constraints)
    except StudyError as error:
        raise StudyFileError(f"{where}: {error}" if where else str(error)) from None


def check_goals(keys: Mapping[str, object]) -> None:
    """StudyFileError if the keys of a study say what is best in two ways."""
    objectives = cast("Mapping[str, str] | None", keys.get("objectives"))
    if objectives is not None and "direction" in keys:
        named = _short(", ".join(objectives))
        raise StudyFileError(
            f"direction = {keys['direction']!r} is for one objective without a name, and this study has {named}: "
            "say which way with --minimize NAME or --maximize NAME, or in the table [objectives]"
        )
    _check("", objectives, cast("Mapping[str, str] | None", keys.get("constraints")))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
