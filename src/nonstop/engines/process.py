"""One worker process of this machine: what it runs, what it tells its parent, and how the parent sees it."""

from __future__ import annotations

import traceback
from contextlib import suppress
from ctypes import c_bool, c_uint64
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from nonstop.engines.transfer import Parcel
from nonstop.errors import NonstopError, ObjectiveError, OutOfReachError, StartError, StorageError, StudyError
from nonstop.workers.held import BeatsElsewhere, read_held
from nonstop.workers.parent import die_with, orphan_check
from nonstop.workers.stopping import interrupt_when, stop_on_signals, unblock_signals
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Worker


@dataclass(frozen=True, slots=True)
class Ready:
    """Message of a worker process: it has its task and begins."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Message of a worker process: the run cannot go on. As text, because not every exception can be pickled."""

    #: The name of the exception's class.
    error: str
    #: What the exception says.
    message: str
    #: May the objective have broken the process? It has run there, and the error is no verdict on the run.
    broken: bool = False

    def as_error(self) -> NonstopError:
        """The error that it was, or a StudyError that says so."""
        kinds = {
            kind.__name__: kind for kind in (StudyError, StorageError, OutOfReachError, ObjectiveError, StartError)
        }
        if self.error in kinds:
            return kinds[self.error](self.message)
        return StudyError(f"{self.error}: {self.message}")


@dataclass(slots=True)
class WorkerProcess:
    """One worker process, as its parent sees it."""

    name: str
    process: BaseProcess
    #: The receiving end: Ready, then Usage or Failed.
    pipe: Connection
    #: The trial that the worker holds, in memory shared with it; see workers/held.py.
    shared_held: c_uint64
    #: When it was started, on the parent's monotonic clock.
    started_at: float
    ready: bool = False
    usage: Usage | None = None
    #: What it failed with, if that is no reason to end the run.
    failed: Failed | None = None
    #: What its objective did, if it was killed for that: the trial has had its last attempt.
    killed_for: str | None = None
    #: The trial that it held at the latest look, and when that one was seen first.
    seen: tuple[int, int] | None = None
    seen_since: float = 0.0
    #: When it had nothing more to say, on the parent's monotonic clock.
    silent_since: float | None = None

    @property
    def held(self) -> tuple[int, int] | None:
        """The trial (number, attempt) that it holds, or held when it ended."""
        return read_held(self.shared_held)

    @property
    def speaks(self) -> bool:
        """May there be another message? Its last is Usage or Failed; its pipe may stay open for longer."""
        return not self.pipe.closed and self.usage is None and self.failed is None

    @property
    def how_it_ended(self) -> str:
        """The error, the exit code or the signal, in words."""
        code = self.process.exitcode
        if self.failed is not None:
            return f"{self.failed.error}: {self.failed.message}"
        if self.killed_for is not None:
            return self.killed_for
        return f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"

    def read(self) -> bool:
        """Read all that it sent; False once it has no more to say. Raises the error that ends the run."""
        try:
            while not self.pipe.closed and self.pipe.poll():
                message = self.pipe.recv()
                if isinstance(message, Ready):
                    self.ready = True
                elif isinstance(message, Usage):
                    self.usage = message
                elif isinstance(message, Failed):
                    if not message.broken:
                        raise message.as_error()
                    self.failed = message
        except (EOFError, OSError):
            self.pipe.close()
        return self.speaks

    def has_ended(self) -> bool:
        """While the run ends: read its messages, without errors, as the first has been raised already; has it ended?"""
        ended = self.process.exitcode is not None
        with suppress(NonstopError):
            self.read()
        return ended


def work(pipe: Connection, shared_held: c_uint64, enough: c_bool, parcel: Parcel, name: str, parent: int) -> None:
    """The main function of a worker process."""
    if not die_with(parent):
        return  # it was killed while this process was starting

    def send(message: object) -> None:
        with suppress(OSError):  # the parent is gone: orphan_check() ends this process too
            pipe.send(message)

    with stop_on_signals() as stop, interrupt_when(orphan_check(parent)):
        unblock_signals()
        stop.enough = lambda: enough.value
        worker: Worker | None = None
        try:
            task = parcel.open()
            send(Ready())
            worker = Worker(task, name, stop, beating=BeatsElsewhere(shared_held))
            send(worker.run())
        except Exception as error:
            verdict = isinstance(error, NonstopError) and not isinstance(error, StorageError)
            broken = not verdict and worker is not None and worker.usage.evaluating > 0.0
            send(Failed(type(error).__name__, str(error), broken))
            if broken or not isinstance(error, NonstopError):
                with suppress(Exception):  # the objective may have closed stderr
                    traceback.print_exception(error, limit=0 if isinstance(error, NonstopError) else None)
        pipe.close()
