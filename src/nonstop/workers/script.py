"""A command that a shell runs, for pipes and the like: `train --loss {loss} 2>&1 | tail -n 1`.

No value is ever pasted into the script. Values are arguments of the shell, the script assigns them to variables, and a
{placeholder} becomes a quoted expansion of its variable, as fits the quotes it stands in: whatever a value contains, it
is text, and one argument. A shell does not read what it expands as a program. But other programs do: in what `sh -c`,
`ssh`, `eval` and their like are given, only numbers may stand, as in commands without a shell (template.py).

{{ and }} stand for braces; ${VARIABLE} is left as it is.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from nonstop.errors import ObjectiveError
from nonstop.types import Params, Value
from nonstop.wording import shown
from nonstop.workers.template import check_values, reads_program

_BRACES: Final = re.compile(r"(\$\{[^{}]*\})|(\{\{|\}\})|\{([^{}]*)\}")
#: A variable of the script. Those in capitals may decide what is run: PATH, LD_PRELOAD.
_ASSIGNMENT: Final = re.compile(r"[a-z_][a-z0-9_]*=", re.ASCII)
_OPERATORS: Final = "();<>|&\n"
_PLAIN, _DOUBLE, _SINGLE, _NESTED, _ARITHMETIC, _BACKTICK = "plain", '"', "'", "$(", "$((", "`"
#: How the expansion of a variable is written there, so that it is neither split nor taken literally.
_EXPANSIONS: Final = {_PLAIN: '"${%s}"', _NESTED: '"${%s}"', _DOUBLE: "${%s}", _SINGLE: "'\"${%s}\"'"}


def placeholders(script: str) -> list[str]:
    """The names in the script, each once; ObjectiveError if it cannot be understood."""
    names: dict[str, None] = {}

    def note(name: str) -> str:
        names[name] = None
        return name

    _expanded(script, note)
    return list(names)


def check_script(script: str, values: Mapping[str, Sequence[Value]]) -> None:
    """ObjectiveError if one of the values would become a part of a program that the script calls."""
    commands = _commands(script)
    if any(map(reads_program, commands)):  # echo {x} | sh
        check_values(["sh", "-c", script], values)
    for command in commands:
        check_values([part for part in command if not _ASSIGNMENT.match(part)] or [""], values)
        for part in command:
            if "$(" in part:  # inside quotes, so that it was not split: a program
                check_values(["sh", "-c", part], values)


def shell_arguments(script: str, params: Params) -> list[str]:
    """What is executed: a shell, the script, and the values as its arguments."""
    names = placeholders(script)
    given = {name: params.get(name, "") for name in names}  # nothing, if another choice was made
    check_script(script, {name: [value] for name, value in given.items()})
    assigned = "".join(f"nonstop_{place}=${{{place}}}; " for place in range(1, len(names) + 1))
    text = _expanded(script, lambda name: f"nonstop_{names.index(name) + 1}")
    values = [value if isinstance(value, str) else json.dumps(value) for value in given.values()]
    return ["/bin/sh", "-c", f"{assigned}shift {len(names)}; {text}", "sh", *values]


def _commands(script: str) -> list[list[str]]:
    """The words of each command between operators. Comments count as commands: that makes nothing less safe."""
    lexer = shlex.shlex(script, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word and set(word) <= set(_OPERATORS):
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError as error:
        raise ObjectiveError(f"the script cannot be split into words ({error}): {shown(script)}") from None
    return [command for command in commands if command]


def _expanded(script: str, variable_of: Callable[[str], str]) -> str:
    """The script with an expansion of variable_of(name) for each {name}; ObjectiveError if it cannot be understood."""
    done: list[str] = []
    inside = [_PLAIN]  # the quotes and parentheses that are open
    place, here_document = 0, False
    while place < len(script):
        if braces := _BRACES.match(script, place):
            variable, brace, name = braces.groups()
            if name is not None:
                done.append(_expansion("here-document" if here_document else inside[-1], variable_of(name), name))
            else:
                done.append(variable or brace[0])
            place = braces.end()
            continue
        if script[place] in "{}":
            near = shown(script[max(0, place - 10) : place + 10])
            raise ObjectiveError(f"the script has a single brace in {near}: write {{{{ and }}}} for braces")
        length = _token(script, place, inside)
        here_document = here_document or (length == 2 and script.startswith("<<", place))
        done.append(script[place : place + length])
        place += length
    if len(inside) > 1:
        raise ObjectiveError(f"the script does not close its {inside[-1]}: {shown(script)}")
    return "".join(done)


def _expansion(context: str, variable: str, name: str) -> str:
    if context not in _EXPANSIONS:
        where = {_BACKTICK: "backticks", _ARITHMETIC: "arithmetic"}.get(context, "or after a here-document")
        raise ObjectiveError(f"{{{name}}} may not stand inside {where}: assign it before, as in  value={{{name}}};")
    return _EXPANSIONS[context] % variable


def _token(script: str, place: int, inside: list[str]) -> int:
    """The length of what stands here, at least 1. Opens and closes quotes and parentheses."""
    context, rest = inside[-1], script[place:]
    if context == _SINGLE:
        if rest[0] == "'":
            inside.pop()
        return 1
    if rest[0] == "\\":
        return 2 if rest[1:2] not in ("{", "}") else 1
    quoted = context in (_DOUBLE, _BACKTICK, _ARITHMETIC)
    if rest[0] == "#" and not quoted and (place == 0 or script[place - 1] in f" \t{_OPERATORS}"):
        return len(rest.partition("\n")[0])
    if not quoted and rest.startswith("$'"):
        raise ObjectiveError(f"the script has $'…', which only some shells know: {shown(rest[:20])}")
    if not quoted and rest.startswith("<<"):
        return 3 if rest.startswith("<<<") else 2
    if rest[0] == context or (context, rest[0]) == (_NESTED, ")") or (context == _ARITHMETIC and rest[:2] == "))"):
        inside.pop()
        return 2 if context == _ARITHMETIC else 1
    for opening in (_ARITHMETIC, _NESTED, _BACKTICK, _DOUBLE):
        if rest.startswith(opening) and context != _BACKTICK:
            inside.append(opening)
            return len(opening)
    if not quoted and rest[0] in "'(":
        inside.append(_SINGLE if rest[0] == "'" else _NESTED)
    return 1
