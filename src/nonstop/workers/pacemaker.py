"""The pacemaker: a small process that beats for the workers of the process that started it.

An objective may hold Python's global lock for minutes, inside code that is not Python. A heartbeat in the same
interpreter would stand still, and its trial would be handed on while it is evaluated. So the heart beats in another
process. It reads from shared memory which trials are held, and it ends with its parent: when the pipe from it closes,
when it has another parent (processes that the objective forked may keep the pipe open), or when it is killed at the end
of the run. It does not beat while its parent is stopped.

Until it is ready, and should it be lost, a thread of the worker's process beats. Where nobody outside sees the storage,
that thread is all there is.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from multiprocessing.spawn import get_executable
from typing import Final

from nonstop.clock import Clock
from nonstop.errors import StorageError, StudyError
from nonstop.storage.contract import Storage
from nonstop.workers.held import Beating, all_held, integers_in, share_held, shared_file
from nonstop.workers.lease import Heart, Heartbeat, Lease
from nonstop.workers.parent import is_running

#: Seconds that the process may take to import what it needs, on a busy machine.
_STARTUP: Final = 2.0
#: Seconds for which a short lease waits until its pacemaker is ready.
_PATIENCE: Final = 10.0
#: Seconds between two looks at whether the parent is still there.
_LOOK: Final = 1.0
#: The storage may have a password in its URL: it comes through the pipe, where no list of processes shows it.
_MAIN: Final = """
import json, sys, time
path, delay = json.loads(open(0, "rb", buffering=0, closefd=False).readline())
time.sleep(delay)
sys.path[:] = path
from nonstop.workers.pacemaker import main
main()
"""
_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a pacemaker needs."""

    storage: Storage
    study: int
    lease: Lease
    #: The process to beat for.
    parent: int
    #: The descriptor of the shared file: first 1 once the pacemaker beats, then what each worker holds.
    shared: int
    #: How many integers it has.
    count: int


class Hearts:
    """Beats for the trials that the workers of this process hold, while at least one of them is inside `with`."""

    def __init__(
        self, storage: Storage, study: int, lease: Lease, workers: int = 1, clock: Clock | None = None
    ) -> None:
        self._storage, self._study, self._lease, self._workers, self._clock = storage, study, lease, workers, clock
        self._lock = threading.Lock()
        self._inside = 0
        self._beating: _Beating | None = None

    def of(self, worker: int = 0) -> Beating:
        """What beats for one of the workers."""
        return _OfOne(self, worker)

    def enter(self) -> None:
        """One more worker begins: the first one starts the pacemaker."""
        with self._lock:
            if self._beating is None:
                self._beating = _Beating(self._storage, self._study, self._lease, self._workers, self._clock)
            self._inside += 1

    def leave(self) -> None:
        """A worker has ended: the last one ends the pacemaker."""
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._beating is not None:
                self._beating.end()
                self._beating = None

    def hold(self, worker: int, held: tuple[int, int] | None) -> None:
        """A worker holds this trial (number, attempt) from now on."""
        if self._beating is not None:
            share_held(self._beating.held[worker], held)


@dataclass(frozen=True, slots=True)
class _OfOne:
    """Implements Beating for one of the workers of this process."""

    hearts: Hearts
    worker: int

    def __enter__(self) -> None:
        self.hearts.enter()

    def __exit__(self, *_: object) -> None:
        self.hearts.leave()

    def hold(self, held: tuple[int, int] | None) -> None:
        self.hearts.hold(self.worker, held)


class _Beating:
    """The pacemaker, and the thread that stands in for it."""

    def __init__(self, storage: Storage, study: int, lease: Lease, workers: int, clock: Clock | None) -> None:
        self._process = os.getpid()
        self._heart = Heart(storage, study, lease, clock)
        with shared_file(1 + workers) as file:
            self._ready, *self.held = integers_in(file.fileno(), 1 + workers)
            self._pacemaker = started(Setup(storage, study, lease, self._process, file.fileno(), 1 + workers))
        self._thread = Heartbeat(self._beat_here, lease)
        self._thread.__enter__()
        if lease.interval < _STARTUP:
            # Otherwise a first trial could lose its lease before the pacemaker has begun to beat for it.
            self._wait(time.monotonic() + _PATIENCE)

    def _wait(self, deadline: float) -> None:
        while self._pacemaker and self._pacemaker.is_alive and not self._ready.value and time.monotonic() < deadline:
            time.sleep(0.01)

    def _beat_here(self) -> None:
        if not (self._pacemaker and self._pacemaker.is_alive and self._ready.value):
            self._heart.beat(all_held(self.held))

    def end(self) -> None:
        if os.getpid() != self._process:
            return  # in a process that the objective forked: pacemaker and thread are not its own
        self._thread.__exit__()
        if self._pacemaker is not None:
            self._pacemaker.stop()


class Pacemaker:
    """The process, as its parent sees it."""

    def __init__(self, setup: Setup, pickled: bytes) -> None:
        receiver, sender = os.pipe()
        try:
            self._process = subprocess.Popen(
                [get_executable(), "-P", "-c", _MAIN],
                stdin=receiver,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **_ONE_THREAD},
                pass_fds=(setup.shared,),
                start_new_session=True,  # Ctrl-C is not for it
            )
        except BaseException:
            os.close(sender)
            raise
        finally:
            os.close(receiver)
        # A run that is over sooner has not paid for the imports.
        delay = max(0.0, setup.lease.interval - _STARTUP)
        self._pipe = Connection(sender, readable=False)
        with suppress(OSError):
            path = [entry for entry in sys.path if isinstance(entry, str)]
            os.write(sender, json.dumps([path, delay]).encode() + b"\n")
            self._pipe.send_bytes(pickled)

    @property
    def is_alive(self) -> bool:
        """Has it not ended?"""
        return self._process.poll() is None

    def stop(self) -> None:
        """End it at once. Between two statements it holds nothing, and databases recover from a kill inside of one."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # the objective may have closed descriptors that are not its own
            self._pipe.close()


def started(setup: Setup) -> Pacemaker | None:
    """A new pacemaker; None if no other process can have this storage, or none can be started."""
    if type(setup.storage).__module__ == "__main__" or getattr(sys, "frozen", False) or sys.platform == "win32":
        return None
    try:
        pickled = bytes(ForkingPickler.dumps(setup))
    except Exception:  # pickle raises many kinds of them; a storage in memory raises StorageError
        return None
    try:
        return Pacemaker(setup, pickled)
    except OSError:
        return None


def main() -> None:
    """The main function of the process."""
    pipe = Connection(0, writable=False)
    try:
        setup: Setup = pipe.recv()
    except (EOFError, StorageError):
        return  # the run is over, or the storage is out of reach: then a thread of the parent tries
    threading.Thread(target=_end_with, args=(setup.parent,), daemon=True).start()
    ready, *held = integers_in(setup.shared, setup.count)
    heart, due = Heart(setup.storage, setup.study, setup.lease), time.monotonic()
    while True:
        if time.monotonic() >= due:
            due = time.monotonic() + setup.lease.interval
            with suppress(StorageError, StudyError):
                heart.beat(all_held(held) if is_running(setup.parent) else [])
                ready.value = 1
        seconds = min(_LOOK, max(0.0, due - time.monotonic()))
        if select.select([pipe], [], [], seconds)[0]:
            return  # nothing more is ever sent: the pipe was closed


def _end_with(parent: int) -> None:
    """End this process soon after its parent, even while a beat waits for a storage that does not answer."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(0)
