"""Which study a command means: one of the same objective. Another command or function is another study."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import click

from nonstop.cli.options import F
from nonstop.cli.terminal import echo
from nonstop.storage.contract import StudyRecord
from nonstop.wording import shown

if TYPE_CHECKING:
    from nonstop.cli.studyfile import StudyFile
    from nonstop.space import Space
    from nonstop.storage.contract import Storage
    from nonstop.workers.command import Command

CHANGED = "--changed"


def changed_option(function: F) -> F:
    """The option --changed."""
    about = "Go on though the study was made with another command or function."
    return click.option(CHANGED, "changed", is_flag=True, help=about)(function)


def with_own_name(plan: StudyFile, objective: str | Command, storage: Storage) -> StudyFile:
    """The plan with a name that no study of another objective has, unless the user chose its name: train, train-2, …"""
    if not plan.default_name:
        return plan
    taken = {record.name: record for record in storage.list_studies()}
    name = next(name for name in _numbered(plan.name) if _is_free(taken.get(name), objective))
    if name != plan.name and name not in taken:
        echo(f"nonstop: the study {shown(plan.name)} is of another objective: this one is {shown(name)}", err=True)
    return replace(plan, name=name)


def check_unchanged(storage: Storage, name: str, objective: str | Command, changed: bool) -> bool:
    """Is there a study of that name? StudyMismatchError if it was made with another objective, and the user did not say
    that this is meant."""
    from nonstop.workers.stored import check_same, stored_text

    taken = {record.name: record for record in storage.list_studies()}
    if name in taken and not changed:
        other = shlex.quote(next(other for other in _numbered(name) if other not in taken))
        to_go_on = f"choose another name, such as --name {other}, or go on with both in one study with {CHANGED}"
        check_same(name, _stored(taken[name]), stored_text(objective), to_go_on)
    return name in taken


def command_of(plan: StudyFile) -> Command:
    """The command of a plan that has one, checked against its space."""
    from nonstop.workers.command import Command

    command = Command(str(plan.command), shell=plan.shell)
    command.check(plan.space)
    warn_of_unused(command, plan.space)
    return command


def warn_of_unused(command: Command, space: Space) -> None:
    """Say which parameters have no placeholder: forgotten, or read from NONSTOP_PARAMS."""
    unused = command.unused(space)
    if unused:
        places = " ".join(f"{{{name}}}" for name in unused)
        echo(
            f"nonstop: warning: the command has no place for {', '.join(unused)} ({places}): unless it reads the "
            "environment variable NONSTOP_PARAMS, their values are ignored",
            err=True,
        )


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _is_free(record: StudyRecord | None, objective: str | Command) -> bool:
    from nonstop.workers.stored import is_same, stored_text

    stored, given = None if record is None else _stored(record), stored_text(objective)
    return stored is None or given is None or is_same(stored, given)


def _stored(record: StudyRecord) -> str | None:
    text = record.spec.get("objective")
    return text if isinstance(text, str) else None
