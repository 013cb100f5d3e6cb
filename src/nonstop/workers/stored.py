"""What a study says about its objective: a text that is stored, compared and shown, and can be made an objective again.

    function train:loss
    command python train.py --lr {lr}
    shell python train.py --lr {lr} | tail -n 1

A function that only a Python program knows has no such text. Passwords are not stored: a command that has one is
compared and shown without it, and has to be given again to be run.
"""

from __future__ import annotations

import shlex
from typing import Final

from nonstop.errors import ObjectiveError, StudyMismatchError
from nonstop.wording import printable, shown, without_passwords
from nonstop.workers.command import Command

_FUNCTION, _COMMAND, _SHELL = "function", "command", "shell"
_MASKED: Final = "***"


def stored_text(objective: object) -> str | None:
    """The text to store for "module:function" or a Command; None for a callable."""
    if isinstance(objective, Command):
        return f"{_SHELL if objective.shell else _COMMAND} {printable(without_passwords(objective.template))}"
    return f"{_FUNCTION} {objective}" if isinstance(objective, str) else None


def objective_from(text: str) -> str | Command:
    """The objective that stored_text() wrote; ObjectiveError if it is none, or if its password was not stored."""
    kind, _, rest = text.partition(" ")
    if kind == _FUNCTION:
        return rest
    if kind not in (_COMMAND, _SHELL):
        raise ObjectiveError(f"the study's objective was stored by a newer version of nonstop: {shown(text)}")
    if _MASKED in rest:
        raise ObjectiveError(f"a password of the study's command is not stored: give the command again ({rest})")
    return Command(rest, shell=kind == _SHELL)


def check_same(study: str, stored: str | None, given: str | None, how_to_go_on: str) -> None:
    """StudyMismatchError if a study was made with another objective than the one that is given now. What is not known
    is not compared: earlier versions stored none, and callables have no text."""
    if stored is not None and given is not None and not is_same(stored, given):
        raise StudyMismatchError(
            f"the study {study!r} was made with {described(stored)}, not {described(given)}, and values of different "
            f"objectives must not be mixed: {how_to_go_on}"
        )


def is_same(one: str, other: str) -> bool:
    """Do two stored texts mean the same? White space and quotes may differ, but not in a script, and a module may be
    named from another folder: examples.train:loss is train:loss."""
    (kind, _, first), (other_kind, _, second) = one.partition(" "), other.partition(" ")
    if kind == other_kind == _FUNCTION:
        return f".{first}".endswith(f".{second}") or f".{second}".endswith(f".{first}")
    return one == other or (kind != _SHELL and _words(one) == _words(other))


def described(text: str) -> str:
    """A stored text for people: the function train:loss, the command `python train.py --lr {lr}`."""
    kind, _, rest = text.partition(" ")
    if kind == _SHELL:
        return f"the shell command `{rest}`"
    return f"the {kind} {rest}" if kind == _FUNCTION else f"the {kind} `{rest}`"


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # of a newer version, perhaps
        return [text]
