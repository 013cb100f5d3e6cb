"""The names of workers: the same in every run, so that figures show a resumed worker as one, but never those of other
workers that live.

    HOST-w0, HOST-w1, …      the first numbers that no other run of this study on this machine has

Each run has a file that says which numbers it has, and holds a lock on it. The system releases the lock when the
process ends, however it ends: a run that was killed does not keep its names, and two that start at once never have the
same. Another lock makes sure that they choose one after the other.
"""

from __future__ import annotations

import json
import os
import platform
import re
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from typing import IO, Final

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PATIENCE: Final = 5.0  # seconds to wait for another run that chooses its names
_NAME_OF_WORKER: Final = re.compile(r"-w\d+$")


def prefix_here() -> str:
    """The first part of the names of workers: the machine and the task of a Slurm job on it, or what NONSTOP_WORKER
    says. In a command that a worker runs, that variable is the worker's own name, which no other is to have."""
    parts = (platform.node() or "local", os.environ.get("SLURM_PROCID", ""))
    said = os.environ.get("NONSTOP_WORKER", "")
    inherited = "NONSTOP_TRIAL" in os.environ and _NAME_OF_WORKER.search(said)
    return "-".join(part for part in parts if part) if inherited or not said else said


@contextmanager
def worker_names(study: str, prefix: str, workers: int) -> Iterator[list[str]]:
    """Names for so many workers of a study, which are theirs until the end of the context."""
    with ExitStack() as stack:
        numbers = list(range(workers))
        with suppress(OSError):  # nothing can be locked here: then other runs may have the same names
            numbers = stack.enter_context(_reserved(f"{study} {prefix}", workers))
        yield [f"{prefix}-w{number}" for number in numbers]


@contextmanager
def _reserved(key: str, workers: int) -> Iterator[list[int]]:
    if fcntl is None:
        yield list(range(workers))
        return
    folder, prefix = _folder(), sha256(key.encode()).hexdigest()[:16]
    own = folder / f"{prefix}-{uuid.uuid4().hex}.names"
    with ExitStack() as stack:
        with _opened(folder / "lock") as lock:
            _lock_within(lock, _PATIENCE)
            held = {path.name: _held(path) for path in folder.glob("*.names")}
            taken = {number for name, numbers in held.items() if name.startswith(prefix) for number in numbers}
            numbers = list(islice((number for number in count() if number not in taken), workers))
            file = stack.enter_context(_opened(own))
            stack.callback(own.unlink, missing_ok=True)
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(numbers))
            file.flush()
        yield numbers


def _held(path: Path) -> list[int]:
    """The numbers of a run that lives; the file of one that has ended is removed."""
    with suppress(FileNotFoundError), _opened(path, create=False) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return [int(number) for number in json.loads(file.read())]
        path.unlink(missing_ok=True)
    return []


def _lock_within(file: IO[str], seconds: float) -> None:
    """Lock a file; TimeoutError, an OSError, if another process does not release it."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{file.name} stays locked") from None
            time.sleep(0.01)


def _folder() -> Path:
    """A folder of this user, on this machine."""
    folder = Path(tempfile.gettempdir()) / f"nonstop-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user")
    return folder


def _opened(path: Path, create: bool = True) -> IO[str]:
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0)
    return os.fdopen(os.open(path, flags, 0o600), "r+", encoding="utf-8")
