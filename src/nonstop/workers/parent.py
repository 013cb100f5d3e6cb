"""Parents and their children: processes that beat for each other, and must not outlive each other."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import parent_process
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1  # of <linux/prctl.h>
#: Stopped, stopped by a debugger, a zombie, or dead: proc(5) and ps(1) use the same letters.
_SILENT: Final = ("T", "t", "Z", "X", "x", "")


def is_running(pid: int) -> bool:
    """Is there such a process, and is it neither stopped nor dead? A stopped worker must lose its lease."""
    return _state(pid) not in _SILENT


def _state(pid: int) -> str:
    if sys.platform == "linux":
        try:
            # The name of the program stands before the state, in parentheses, and may contain some itself.
            return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        except OSError:
            return ""
    found = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.strip()[:1]


def die_with(parent: int) -> bool:
    """Let the kernel send this process SIGTERM when its parent ends; False if it ended already.

    Only Linux can. Elsewhere, and where a sandbox forbids it, orphan_check() notices half a second later.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    return os.getppid() == parent


def orphan_check(parent: int | None = None) -> Callable[[], bool]:
    """A function that says whether the parent process has ended, so that workers do not outlive their run."""
    known = os.getppid() if parent is None else parent
    maker = parent_process()  # with a fork server, the parent is not who made this process

    def is_orphan() -> bool:
        return os.getppid() != known or (maker is not None and not maker.is_alive())

    return is_orphan
