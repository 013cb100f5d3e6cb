"""A shell command as an objective: `python train.py --lr {lr} --depth {depth}`.

No shell runs it. The template is first split into arguments, as a shell would split it, and then values replace the
{placeholders}: whatever a value contains, it stays inside its one argument. {{ and }} stand for braces.

For pipes, write `sh -c '…'`. There a value inside the script would be run as a part of it, so only values of harmless
characters may stand in an argument that could be a script; others are refused before the first trial. Any value may be
passed to a script as an argument of its own: `sh -c 'train --loss "$1" | tail -1' sh {loss}`.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from typing import IO, Final

from nonstop.errors import ObjectiveError, StartError
from nonstop.space import Categorical, Space
from nonstop.types import Params, Value
from nonstop.workers.stopping import check_platform

_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_SCRIPT: Final = re.compile(r"[\s;|&$<>()`'\"\\*?]")  # an argument with one of these may be a script
_HARMLESS: Final = re.compile(r"[\w.,:/+@%=-]+", re.ASCII)
_TAIL: Final = 65_536  # bytes of output to read, from its end
_NO_PROGRAM: Final = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ENOEXEC)
_GRACE: Final = 2.0  # seconds between SIGTERM and SIGKILL


@dataclass(frozen=True, slots=True)
class Command:
    """A command as an objective: the last line that it prints is the value, a number or JSON with `value`.

    It fails if it exits with another code than 0, prints no number, or takes longer than `timeout` seconds. When it is
    stopped, the processes that it started are stopped too.
    """

    #: The command line, with {placeholders} for parameters.
    template: str
    #: Seconds after which an evaluation is stopped and fails; None is no limit.
    timeout: float | None = None

    def __post_init__(self) -> None:
        check_platform("commands", ObjectiveError)
        try:
            parts = shlex.split(self.template)
        except ValueError as error:
            raise ObjectiveError(f"the command cannot be split into arguments ({error}): {self.template}") from None
        if not parts:
            raise ObjectiveError("the command is empty")

    def check(self, space: Space) -> None:
        """ObjectiveError unless every placeholder is a parameter, and every choice may stand where its name does."""
        for part in shlex.split(self.template):
            if re.search("[{}]", _PLACEHOLDER.sub("", part)):
                raise ObjectiveError(f"the command has a single brace in {part!r}: write {{{{ and }}}} for braces")
            for name in filter(None, _PLACEHOLDER.findall(part)):
                if name not in space:
                    raise ObjectiveError(
                        f"the command has a placeholder {{{name}}}, but the parameters are {', '.join(space)}; "
                        "write {{ and }} where braces are meant"
                    )
                parameter = space[name]
                for choice in parameter.choices if isinstance(parameter, Categorical) else ():
                    _filled(part, {name: choice}, strict=False)

    def arguments(self, params: Params) -> list[str]:
        """The command's argument list for these params."""
        return [_filled(part, params) for part in shlex.split(self.template)]

    def _not_started(self, error: OSError) -> ObjectiveError:
        """Whose error it is: the trial's if a parameter is part of the program's name, or if it was another matter."""
        program = shlex.split(self.template)[0]
        hopeless = error.errno in _NO_PROGRAM and not any(_PLACEHOLDER.findall(program))
        kind = StartError if hopeless else ObjectiveError
        return kind(f"the command cannot be started: {error}")

    def __call__(self, params: Params) -> float:
        """Run the command with these params; ObjectiveError says why there is no value."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            # Files and not pipes: for output of any length, and so as not to wait for processes left in the background.
            try:
                process = subprocess.Popen(
                    self.arguments(params), stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
                )
            except OSError as error:
                raise self._not_started(error) from error
            try:
                code = process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                _end(process)
                raise ObjectiveError(f"stopped after the time limit of {self.timeout:g} s{_said(err)}") from None
            except BaseException:
                _end(process)
                raise
            if code != 0:
                how = f"exit code {code}" if code > 0 else f"killed by signal {-code} ({signal.strsignal(-code)})"
                raise ObjectiveError(f"{how}{_said(err)}")
            return _value(_lines(out), _said(err))


def _filled(part: str, params: Params, strict: bool = True) -> str:
    """One argument with its values. With strict=False, placeholders that are not in params stay as they are."""
    script = _SCRIPT.search(_PLACEHOLDER.sub("", part)) is not None

    def fill(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        name = match[1]
        if name not in params and not strict:
            return match[0]
        text = _text(params[name])
        if script and not _HARMLESS.fullmatch(text):
            raise ObjectiveError(
                f"the value {text!r} of {name} may not stand inside a script ({part!r}): give it an argument of its "
                f"""own, as in  sh -c 'train "$1"' sh {{{name}}}"""
            )
        return text

    return _PLACEHOLDER.sub(fill, part)


def _text(value: Value) -> str:
    """Strings as they are, everything else as in JSON: floats to the last bit, true, false, null."""
    return value if isinstance(value, str) else json.dumps(value)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and its process group: SIGTERM first, then SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _lines(stream: IO[bytes]) -> list[str]:
    """The lines at the end of a stream that are not empty."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _TAIL))
    return [line.strip() for line in stream.read().decode(errors="replace").splitlines() if line.strip()]


def _said(err: IO[bytes]) -> str:
    """The last lines of stderr, as the end of a reason."""
    lines = _lines(err)[-5:]
    return f"; stderr: {' | '.join(line[:300] for line in lines)}" if lines else ""


def _value(lines: list[str], said: str) -> float:
    if not lines:
        raise ObjectiveError(f"the command printed nothing: its last line must be a number, or JSON with 'value'{said}")
    last = lines[-1]
    try:
        return float(last)
    except ValueError:
        pass
    try:
        return float(json.loads(last)["value"])
    except (ValueError, TypeError, KeyError, IndexError):
        raise ObjectiveError(f"the last line is no number, and no JSON with 'value': {last[:200]!r}{said}") from None
