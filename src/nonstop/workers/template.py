"""Which values may stand where in a command: a value is data for a program, never a part of a program.

A template is split into arguments first, and values replace {placeholders} afterwards, so no value is more than a part
of one argument. But some arguments are programs: the one after `sh -c`, after `perl -e`, all that ssh hands to a shell
on the other side. There only numbers, true, false and null may stand. An argument with characters of a shell, or after
a -c or -e of a program that is not known here, may be one, too: there also text of harmless characters. Anywhere else,
any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Final

from nonstop.errors import ObjectiveError
from nonstop.types import Params, Value

PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
#: An option whose value is the next argument.
_OPTION: Final = re.compile(r"--?[A-Za-z][\w.-]*")
#: An argument with one of these may be a script.
_SCRIPT: Final = re.compile(r"[\s;|&$<>()`'\"\\*?]")
_HARMLESS: Final = re.compile(r"[\w.,:/+@%=-]+", re.ASCII)
#: Part of the name of a program: it stays in the folder that the template names.
_PART_OF_NAME: Final = re.compile(r"[\w+@%=-][\w.,+@%=-]*", re.ASCII)

#: Programs that run the argument after -c; theirs are all arguments behind it.
_SHELLS: Final = re.compile(r"(ba|da|z|a|[kcm]|pdk|mk|tc|fi|rba|xon)?sh|elvish|nu|python[\d.]*|pypy[\d.]*|ipython\d*")
#: Their options that take the next argument as a value: -o pipefail, -W ignore.
_VALUED: Final = re.compile(r"[-+][A-Za-z]*[oOWX]|--rcfile|--init-file|--check-hash-based-pycs")
#: Programs that run the argument after -e, -E, -p, -r and the like.
_LANGUAGES: Final = re.compile(
    r"(perl|ruby|php|lua|luajit|node|nodejs|deno|bun|R|Rscript|julia|octave|matlab|osascript|pwsh|powershell|tclsh|"
    r"guile|racket|sbcl|ghc|scala|groovy|elixir|erl|raku|maxima|sage|gp|psql|mysql|mariadb|sqlite3)[\d.]*(\.exe)?"
)
#: Programs that run their arguments, or hand them to a shell.
_RUNNERS: Final = re.compile(
    r"eval|exec|ssh|rsh|mosh|xargs|parallel|watch|su|runuser|script|flock|at|batch|sbatch|entr|[gmn]?awk|g?sed|find|"
    r"g?make|busybox|toybox|expect|tmux|screen|cmd(\.exe)?|gdb|vim?|emacs"
)
#: Words of a shell that may stand before the name of a program.
_PREFIX: Final = re.compile("!|if|then|else|elif|while|until|do|time|exec|command|nohup|sudo|env")
_CODE_LETTERS: Final = re.compile(r"-[A-Za-z0-9]*[ceEprRB]")
_CODE_WORDS: Final = re.compile(
    r"--?(eval|print|execute|exec|command|run|batch|wrap|split-string|EncodedCommand|Command)(=|$)", re.IGNORECASE
)


class Trust(IntEnum):
    """What an argument may be, and so which values may stand in it."""

    #: Data: any text.
    DATA = 0
    #: The name of the program: letters and digits after or before what the template says.
    NAME = 1
    #: Perhaps a program: harmless text.
    SUSPECT = 2
    #: A program: numbers, true, false and null.
    PROGRAM = 3


def filled(parts: Sequence[str], params: Params) -> list[str]:
    """The arguments with their values; ObjectiveError if a value may not stand where its placeholder does.

    A parameter that is not there, because another choice was made, takes its option with it: `--C {C}` and `--C={C}`
    vanish. Elsewhere nothing stands in its place."""
    arguments: list[str] = []
    for part, trust in zip(parts, trusts(parts), strict=True):
        if trust is Trust.DATA and not params.keys() >= _names(part):
            if part.startswith("-"):
                continue
            if PLACEHOLDER.fullmatch(part) and arguments and _OPTION.fullmatch(arguments[-1]):
                arguments.pop()
                continue
        arguments.append(_filled(part, params, trust))
    return arguments


def check_values(parts: Sequence[str], values: Mapping[str, Sequence[Value]]) -> None:
    """ObjectiveError unless every one of the values may stand where the placeholder of its name does."""
    for part, trust in zip(parts, trusts(parts), strict=True):
        for name in filter(None, PLACEHOLDER.findall(part)):
            for value in values.get(name, ()):
                _checked(name, value, part, trust)


def trusts(parts: Sequence[str]) -> list[Trust]:
    """What each argument of a command may be."""
    found = [_by_characters(part) for part in parts]
    found[0] = max(found[0], Trust.NAME)
    for place, part in enumerate(parts):
        after_script = place > 0 and found[place - 1] is Trust.PROGRAM  # then it is the $0 of the script, mostly
        for at, trust in _behind(part.replace("\\", "/").rpartition("/")[2], parts, place + 1).items():
            found[at] = max(found[at], Trust.DATA if after_script and trust is Trust.NAME else trust)
        if place > 0 and re.fullmatch(r"-[A-Za-z]{0,3}[ceE]", parts[place - 1]):
            found[place] = max(found[place], Trust.SUSPECT)
    return found


def reads_program(parts: Sequence[str]) -> bool:
    """Does a command of a script take its program from standard input, as `sh`, `bash -s` and `python -` do?"""
    words = [part for part in parts if not _PREFIX.fullmatch(part)]
    program = words[0].replace("\\", "/").rpartition("/")[2] if words else ""
    known = _SHELLS.fullmatch(program) or _LANGUAGES.fullmatch(program) or program in ("source", ".", "eval")
    return bool(known) and (
        all(word.startswith("-") for word in words[1:]) or not {"-", "-s", "/dev/stdin"}.isdisjoint(words)
    )


def _behind(program: str, parts: Sequence[str], begin: int) -> dict[int, Trust]:
    """What the arguments from `begin` on are to the program named before them, where they are more than data."""
    if _RUNNERS.fullmatch(program):
        return dict.fromkeys(range(begin, len(parts)), Trust.PROGRAM)
    if program == "env":  # -S and a whole command
        operand = _first_operand(parts, begin)
        splits = any(re.match(r"-[A-Za-z0-9]*S|--split-string", part) for part in parts[begin:operand])
        return dict.fromkeys(range(begin, min(operand + splits, len(parts))), Trust.PROGRAM)
    if _SHELLS.fullmatch(program):
        return _behind_shell(parts, begin)
    return _behind_language(parts, begin) if _LANGUAGES.fullmatch(program) else {}


def _by_characters(part: str) -> Trust:
    return Trust.SUSPECT if _SCRIPT.search(PLACEHOLDER.sub("", part)) else Trust.DATA


def _behind_shell(parts: Sequence[str], begin: int) -> dict[int, Trust]:
    """With -c, the options and the script behind them are a program. Without it, a file or a module is named."""
    place, code = begin, False
    while place < len(parts) and parts[place][:1] in ("-", "+") and parts[place] != "--":
        code = code or re.match(r"-[A-Za-z]*c|--command", parts[place]) is not None
        if not code and re.match(r"-[A-Za-z]*m", parts[place]):
            return {at: Trust.NAME for at in (place, place + 1) if at < len(parts)}
        place += 2 if _VALUED.fullmatch(parts[place]) else 1
    last = min(place + (parts[place : place + 1] == ["--"]), len(parts) - 1)
    return dict.fromkeys(range(begin, last + 1), Trust.PROGRAM) if code else dict.fromkeys([last], Trust.NAME)


def _behind_language(parts: Sequence[str], begin: int) -> dict[int, Trust]:
    """The options are a program, up to the last one that may be followed by code, with the argument behind it.

    What follows an option may be its value, so a file ends the options only if it comes first, or after another one.
    """
    operand = _first_operand(parts, begin)
    found = dict.fromkeys(range(begin, operand), Trust.PROGRAM) | dict.fromkeys([operand], Trust.NAME)
    for place in range(begin, len(parts)):
        part, before = parts[place], parts[place - 1] if place > begin else ""
        if part == "--" or not (part.startswith("-") or before.startswith("-") or part == "eval"):
            break
        if part == "eval" or _CODE_LETTERS.match(part) or _CODE_WORDS.match(part):
            found |= dict.fromkeys(range(begin, place + 2), Trust.PROGRAM)
    return {place: trust for place, trust in found.items() if place < len(parts)}


def _first_operand(parts: Sequence[str], begin: int) -> int:
    return next((place for place in range(begin, len(parts)) if not parts[place].startswith("-")), len(parts))


def _names(part: str) -> set[str]:
    return set(filter(None, PLACEHOLDER.findall(part)))


def _filled(part: str, params: Params, trust: Trust) -> str:
    def fill(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        return _checked(match[1], params[match[1]], part, trust) if match[1] in params else ""

    return PLACEHOLDER.sub(fill, part)


def _checked(name: str, value: Value, part: str, trust: Trust) -> str:
    """The value as text; ObjectiveError if it may not stand in this argument."""
    text = value if isinstance(value, str) else json.dumps(value)  # floats to the last bit, true, false, null
    if not isinstance(value, str) or _allowed(text, part, trust):
        return text
    if trust is Trust.NAME:
        raise ObjectiveError(f"the value {text!r} of {name} may not choose the program that is run ({part!r})")
    raise ObjectiveError(
        f"the value {text!r} of {name} may not stand inside a script ({part!r}): give it an argument of its "
        f"""own, as in  sh -c 'train "$1"' sh {{{name}}}"""
    )


def _allowed(text: str, part: str, trust: Trust) -> bool:
    if trust is Trust.NAME:
        return _PART_OF_NAME.fullmatch(text) is not None and PLACEHOLDER.sub("", part) != ""
    return trust is Trust.DATA or (trust is Trust.SUSPECT and _HARMLESS.fullmatch(text) is not None)
