"""What a command prints: in files of its trial's folder, or in files without a name that end with it.

Files and not pipes: for output of any length, and so as not to wait for processes left in the background.
"""

from __future__ import annotations

import logging
import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Final

from nonstop.workers.running import RunningTrial, keeps_output

_LOG: Final = logging.getLogger("nonstop")
_TAIL: Final = 1_048_576  # bytes of output to read, from its end: more than a last line with long notes


@dataclass(frozen=True, slots=True)
class Output:
    """The files that a command writes to; use it in `with`."""

    #: Its stdout, and its stderr.
    out: IO[bytes]
    err: IO[bytes]
    #: Can they be looked at later?
    kept: bool

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        self.out.close()
        self.err.close()

    @property
    def said(self) -> str:
        """The last lines of stderr and the file with all of it, as the end of a reason."""
        lines = last_lines(self.err)[-5:]
        said = f"; stderr: {' | '.join(line[:300] for line in lines)}" if lines else ""
        file = self.err if lines else self.out
        return f"{said} [see {file.name}]" if self.kept and last_lines(file) else said


def output_of(trial: RunningTrial | None) -> Output:
    """New files for the output of a trial. If none can be made in its folder, it runs without, with a warning."""
    if trial is not None and keeps_output(trial):
        try:
            with ExitStack() as stack:
                out = stack.enter_context(_new(trial.folder, "stdout", trial.attempt))
                err = stack.enter_context(_new(trial.folder, "stderr", trial.attempt))
                stack.pop_all()
                return Output(out, err, kept=True)
        except OSError as error:
            _LOG.warning("the output of trial %d cannot be kept: %s", trial.number, error)
    return Output(tempfile.TemporaryFile(), tempfile.TemporaryFile(), kept=False)


def last_lines(stream: IO[bytes]) -> list[str]:
    """The lines at the end of a file that are not empty."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _TAIL))
    return [line.strip() for line in stream.read().decode(errors="replace").splitlines() if line.strip()]


def _new(folder: Path, name: str, attempt: int) -> IO[bytes]:
    """A file that was not there: stdout.txt, and stdout-2.txt of the second attempt. For this user only."""
    for number in count(attempt):
        path = folder / (f"{name}.txt" if number == 1 else f"{name}-{number}.txt")
        try:
            return open(path, "xb+", opener=_for_this_user)
        except FileExistsError:
            continue
    raise AssertionError("there are no more numbers")


def _for_this_user(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
