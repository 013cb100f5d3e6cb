"""The guard of a command: it ends the command when its worker is gone, even if that was killed.

A tiny shell beside the command, in a session of its own, reads from a pipe that only the worker can write to. The first
line is the command's process group. If the pipe then closes without a second line, the worker was lost, and the whole
group is killed. A second line says that the command has ended: processes that it left in the background may go on.

The command itself is started as without a guard: its environment, its exit code and the errors of its start are its
own. Other programs do not inherit the pipe. A fork without exec does, and delays the guard until it ends, too.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from typing import Final

#: Ctrl-C and the end of a terminal are not for the guard; it ends with the pipe.
_SCRIPT: Final = """trap '' HUP INT TERM; read -r group || exit; read -r over || kill -s KILL -- "-$group" """


class Guard:
    """Watches over one command; use it in `with`, from before the start of the command until after its end."""

    def __enter__(self) -> Guard:
        receiver, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=receiver,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(receiver)
        self._watching = False
        return self

    def watch(self, group: int) -> None:
        """From now on, the command with this process group ends when this process does."""
        self._say(str(group))
        self._watching = True

    def __exit__(self, *_: object) -> None:
        if self._watching:
            self._say("over")
        os.close(self._pipe)
        self._process.wait()

    def _say(self, line: str) -> None:
        with suppress(BrokenPipeError):  # someone killed the guard: the command goes on without
            os.write(self._pipe, f"{line}\n".encode())
