"""A shell command as an objective: `python train.py --lr {lr} --depth {depth}`.

No shell runs it. The template is first split into arguments, as a shell would split it, and then values replace the
{placeholders}: whatever a value contains, it stays inside its one argument. {{ and }} stand for braces.

For pipes, use `shell=True`: script.py says how values get into a script, and stay text there. Without it, a text inside
the script of `sh -c '…'` would be run as a part of it, so it is refused before the first trial; numbers may stand
there. template.py says which values may stand where.
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
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Final

from nonstop.arguments import flag, seconds, text
from nonstop.errors import ObjectiveError, StartError
from nonstop.space import Categorical, Space
from nonstop.types import Params
from nonstop.wording import shown
from nonstop.workers.guard import Guard
from nonstop.workers.script import check_script, shell_arguments
from nonstop.workers.script import placeholders as placeholders_of
from nonstop.workers.stopping import check_platform
from nonstop.workers.template import PLACEHOLDER, check_values, filled

_TAIL: Final = 65_536  # bytes of output to read, from its end
_NO_PROGRAM: Final = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ENOEXEC)
_GRACE: Final = 2.0  # seconds between SIGTERM and SIGKILL


@dataclass(frozen=True, slots=True)
class Command:
    """A command as an objective: the last line that it prints is the value, a number or JSON with `value`.

    It fails if it exits with another code than 0, prints no number, or takes longer than `timeout` seconds. When it is
    stopped, or its worker is killed, the processes that it started are stopped too.
    """

    #: The command line, with {placeholders} for parameters.
    template: str
    #: Seconds after which an evaluation is stopped and fails; None is no limit.
    timeout: float | None = None
    #: Is the template a script for a shell, with pipes and the like? Values are text there all the same.
    shell: bool = False

    def __post_init__(self) -> None:
        check_platform("commands", ObjectiveError)
        object.__setattr__(self, "template", text("the command", self.template, ObjectiveError))
        object.__setattr__(self, "shell", flag("the command's shell", self.shell, ObjectiveError))
        if self.timeout is not None:
            object.__setattr__(self, "timeout", seconds("the command's timeout", self.timeout, ObjectiveError))
        try:
            parts = shlex.split(self.template)
        except ValueError as error:
            raise ObjectiveError(
                f"the command cannot be split into arguments ({error}): {shown(self.template)}"
            ) from None
        if not parts or "\0" in self.template:
            raise ObjectiveError(f"the command {'has a NUL character' if parts else 'is empty'}")
        if self.shell:
            placeholders_of(self.template)  # or it cannot be understood

    def check(self, space: Space) -> None:
        """ObjectiveError unless every placeholder is a parameter, and every choice may stand where its name does."""
        for name in self._names():
            if name not in space:
                raise ObjectiveError(
                    f"the command has a placeholder {{{name}}}, but the parameters are {', '.join(space)}; "
                    "write {{ and }} where braces are meant"
                )
        choices = {name: found.choices for name, found in space.items() if isinstance(found, Categorical)}
        if self.shell:
            check_script(self.template, choices)
        else:
            check_values(shlex.split(self.template), choices)

    def _names(self) -> list[str]:
        """The names of the placeholders; ObjectiveError for a single brace."""
        if self.shell:
            return placeholders_of(self.template)
        parts = shlex.split(self.template)
        for part in parts:
            if re.search("[{}]", PLACEHOLDER.sub("", part)):
                raise ObjectiveError(f"the command has a single brace in {part!r}: write {{{{ and }}}} for braces")
        return [name for part in parts for name in PLACEHOLDER.findall(part) if name]

    def arguments(self, params: Params) -> list[str]:
        """The command's argument list for these params."""
        return shell_arguments(self.template, params) if self.shell else filled(shlex.split(self.template), params)

    def _not_started(self, error: OSError) -> ObjectiveError:
        """Whose error it is: the trial's if a parameter is part of the program's name, or if it was another matter."""
        program = "/bin/sh" if self.shell else shlex.split(self.template)[0]
        hopeless = error.errno in _NO_PROGRAM and not any(PLACEHOLDER.findall(program))
        kind = StartError if hopeless else ObjectiveError
        return kind(f"the command cannot be started: {error}")

    def __call__(self, params: Params) -> float:
        """Run the command with these params; ObjectiveError says why there is no value."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            # Files and not pipes: for output of any length, and so as not to wait for processes left in the background.
            code = self._run(self.arguments(params), out, err)
            if code is None:
                raise ObjectiveError(f"stopped after the time limit of {self.timeout:g} s{_said(err)}")
            if code != 0:
                how = f"exit code {code}" if code > 0 else f"killed by signal {-code} ({signal.strsignal(-code)})"
                raise ObjectiveError(f"{how}{_said(err)}")
            return _value(_lines(out), _said(err))

    def _run(self, arguments: list[str], out: IO[bytes], err: IO[bytes]) -> int | None:
        """The exit code; None if the time limit ended it. If this process ends, the guard ends the command."""
        with ExitStack() as stack:
            try:
                guard = stack.enter_context(Guard())
                process = subprocess.Popen(
                    arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
                )
            except OSError as error:
                raise self._not_started(error) from error
            try:
                guard.watch(process.pid)
                return process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                _end(process)
                return None
            except BaseException:
                _end(process)
                raise


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
