"""The console script as a user runs it: in a folder, in a process group of its own, with or without a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import nonstop

ROOT = Path(__file__).parents[2]
NONSTOP = str(Path(sys.executable).parent / "nonstop")
BRANIN = str(ROOT / "examples" / "branin.toml")
#: One BLAS thread each, and nothing of the caller's.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("NONSTOP_")} | {
    "OPENBLAS_NUM_THREADS": "1",
    "TERM": "xterm-256color",
}


def run(
    *arguments: str, cwd: Path, code: int = 0, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; it must leave with this code."""
    done = subprocess.run(
        [NONSTOP, *arguments], cwd=cwd, env={**ENVIRONMENT, **(env or {})}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def start(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start the command as the leader of a process group."""
    return subprocess.Popen(
        [NONSTOP, *arguments],
        cwd=cwd,
        env={**ENVIRONMENT, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(ready: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, "this took too long"
        time.sleep(0.05)


def kill_group(process: subprocess.Popen[str], number: signal.Signals) -> tuple[str, str]:
    """Send a signal to the command and all it started; what it had said."""
    os.killpg(process.pid, number)
    return process.communicate(timeout=60)


def in_terminal(*arguments: str, cwd: Path, rows: int = 24, columns: int = 100) -> tuple[int, str]:
    """Run the command in a terminal of its own: its exit code, and all that was written to the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(NONSTOP, [NONSTOP, *arguments], {**ENVIRONMENT, "PYTHONUNBUFFERED": "1"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    said = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other side is gone
            break
        if not chunk:
            break
        said += chunk
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()


def trials(url: str, name: str) -> tuple[nonstop.Trial, ...]:
    """The trials as they stand; none while there is no such study yet."""
    path = url.removeprefix("sqlite:///")
    if path != url and not Path(path).exists():
        return ()
    try:
        study = nonstop.load_study(url, name)
    except nonstop.StudyError:
        return ()
    try:
        return study.trials
    finally:
        study.storage.close()


def completed(url: str, name: str) -> int:
    return sum(trial.state is nonstop.TrialState.COMPLETED for trial in trials(url, name))
