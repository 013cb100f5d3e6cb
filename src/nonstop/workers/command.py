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
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nonstop.arguments import flag, seconds, text
from nonstop.errors import ObjectiveError, StartError
from nonstop.space import Categorical, Ordinal, Space
from nonstop.types import Params, Value
from nonstop.wording import shown
from nonstop.workers.guard import Guard
from nonstop.workers.output import Output, last_lines, output_of
from nonstop.workers.running import PLACEHOLDERS, RunningTrial, placeholders
from nonstop.workers.script import check_script, shell_arguments
from nonstop.workers.script import placeholders as placeholders_of
from nonstop.workers.stopping import check_platform
from nonstop.workers.template import PLACEHOLDER, check_values, filled

_FOLDER: Final = re.compile(r"\{folder\}|NONSTOP_FOLDER")
_NO_PROGRAM: Final = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ENOEXEC)
_GRACE: Final = 2.0  # seconds between SIGTERM and SIGKILL
#: What ended a command may be meant for its worker, too: Slurm sends SIGTERM to all processes of a task, in any order.
_FOR_BOTH: Final = (-signal.SIGTERM, 128 + signal.SIGTERM)
_APART: Final = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class Command:
    """A command as an objective: the last line that it prints is the value, a number or JSON with `value`, or with the
    outcomes that the study asks for.

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
            if not space.named(name) and name not in PLACEHOLDERS:
                raise ObjectiveError(
                    f"the command has a placeholder {{{name}}}, but the parameters are {', '.join(space.names)}; "
                    "write {{ and }} where braces are meant"
                )
        choices: dict[str, list[Value]] = {}
        for leaf in space.leaves:
            if isinstance(leaf.parameter, Categorical | Ordinal):
                choices.setdefault(leaf.name, []).extend(leaf.parameter.choices)
        # Where a text may not stand, the trial's may not either. Most folders are in this one.
        texts: dict[str, list[Value]] = {"folder": [str(Path.cwd())], "worker": ["worker"]}
        values = {name: found for name, found in texts.items() if not space.named(name)} | choices
        if self.shell:
            check_script(self.template, values)
        else:
            check_values(shlex.split(self.template), values)

    def _names(self) -> list[str]:
        """The names of the placeholders; ObjectiveError for a single brace."""
        if self.shell:
            return placeholders_of(self.template)
        parts = shlex.split(self.template)
        for part in parts:
            if re.search("[{}]", PLACEHOLDER.sub("", part)):
                raise ObjectiveError(f"the command has a single brace in {part!r}: write {{{{ and }}}} for braces")
        return [name for part in parts for name in PLACEHOLDER.findall(part) if name]

    def unused(self, space: Space) -> list[str]:
        """The parameters that have no placeholder, unless the command reads them from NONSTOP_PARAMS."""
        named = self._names()
        return [] if "NONSTOP_PARAMS" in self.template else [name for name in space.names if name not in named]

    def arguments(self, params: Params, trial: RunningTrial | None = None) -> list[str]:
        """The command's argument list for these params. A parameter named as a placeholder of the trial is meant."""
        values = {**({} if trial is None else placeholders(trial)), **params}
        return shell_arguments(self.template, values) if self.shell else filled(shlex.split(self.template), values)

    def _not_started(self, error: OSError) -> ObjectiveError:
        """Whose error it is: the trial's if a parameter is part of the program's name, or if it was another matter."""
        program = "/bin/sh" if self.shell else shlex.split(self.template)[0]
        hopeless = error.errno in _NO_PROGRAM and not any(PLACEHOLDER.findall(program))
        kind = StartError if hopeless else ObjectiveError
        return kind(f"the command cannot be started: {error}")

    def __call__(self, params: Params, trial: RunningTrial | None = None) -> float | Mapping[str, object]:
        """Run the command with these params: the number or the JSON object on its last line. ObjectiveError says why
        there is none."""
        environment = None if trial is None else {**os.environ, **trial.environment}
        if trial is not None and _FOLDER.search(self.template):
            _make_folder(trial)
        with output_of(trial) as output:
            code = self._run(self.arguments(params, trial), environment, output)
            if code is None:
                raise ObjectiveError(f"stopped after the time limit of {self.timeout:g} s{output.said}")
            if code in _FOR_BOTH:
                time.sleep(_APART)  # if the signal comes, it ends this
            if code != 0:
                how = f"exit code {code}" if code > 0 else f"killed by signal {-code} ({signal.strsignal(-code)})"
                raise ObjectiveError(f"{how}{output.said}")
            return _result(last_lines(output.out), output.said)

    def _run(self, arguments: list[str], environment: Mapping[str, str] | None, output: Output) -> int | None:
        """The exit code; None if the time limit ended it. If this process ends, the guard ends the command."""
        with ExitStack() as stack:
            try:
                guard = stack.enter_context(Guard())
                process = subprocess.Popen(
                    arguments,
                    stdin=subprocess.DEVNULL,
                    stdout=output.out,
                    stderr=output.err,
                    env=environment,
                    start_new_session=True,
                )
            except OSError as error:
                raise self._not_started(error) from error
            try:
                guard.watch(process.pid)
                return process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                end_group(process)
                return None
            except BaseException:
                end_group(process)
                raise


def _make_folder(trial: RunningTrial) -> None:
    try:
        _ = trial.folder
    except OSError as error:
        raise ObjectiveError(f"the folder cannot be made: {error}") from error


def end_group(process: subprocess.Popen[bytes]) -> None:
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


def _result(lines: list[str], said: str) -> float | dict[str, object]:
    if not lines:
        raise ObjectiveError(f"the command printed nothing: its last line must be a number, or JSON with 'value'{said}")
    last = lines[-1]
    try:
        return float(last)
    except ValueError:
        pass
    try:
        found = json.loads(last)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ObjectiveError(f"the last line is no number, and no JSON with 'value': {last[:200]!r}{said}")
    return found
