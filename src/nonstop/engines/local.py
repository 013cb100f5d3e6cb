"""Workers as processes of this machine. The parent evaluates nothing: it starts, replaces and ends them.

Starts are staggered: no more processes start at once than there are processors. If eight start at once on two
processors, all of them are ready only when the last one is. Staggered, most are ready earlier. Nor do they stay in
step, where evaluations of equal length would all end together and their proposals would compete for the processors.
"""

from __future__ import annotations

import math
import sys
import traceback
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from ctypes import c_uint64
from dataclasses import dataclass
from functools import partial
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess, current_process

from nonstop.clock import Clock, WallClock
from nonstop.engines.supervision import GRACE, TICK, Replacements, Ticker
from nonstop.engines.transfer import Parcel, hide_missing_main_file, pack
from nonstop.errors import NonstopError, ObjectiveError, StartError, StorageError, StudyError
from nonstop.numerics.threads import processors, shared_by
from nonstop.trials.messages import HandOn
from nonstop.workers.stopping import (
    StopFlag,
    interrupt_when,
    orphan_check,
    signals_blocked,
    stop_on_signals,
    unblock_signals,
)
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Worker, give_back

_UNGUARDED = (
    "a worker process could not start: its own error stands above. A script that calls optimize() with several workers "
    "is imported by each of them, so it must call it under  if __name__ == '__main__':"
)
_STARTUP = 0.3  # seconds that a process typically takes to start
_SLOW_START = 1.0  # seconds after which the next process starts anyway: this one may be waiting for a disk
_ATTEMPT_LIMIT = 2**32  # more attempts than a trial can have


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


def run_here(task: Task, name: str, ticker: Ticker) -> tuple[Usage, ...]:
    """One worker, in the calling thread."""
    with stop_on_signals() as stop:
        usage = Worker(task, name, stop, on_hold=lambda _held: ticker()).run()
        ticker(last=True)
    if stop.is_set:
        stop.end_process()
    return (usage,)


def run_processes(task: Task, names: Sequence[str], ticker: Ticker, clock: Clock | None = None) -> tuple[Usage, ...]:
    """One process for each name, until all of them are done."""
    if getattr(current_process(), "_inheriting", False):
        raise StudyError(_UNGUARDED)
    parcel, context = pack(task)
    with stop_on_signals() as stop:
        processes = WorkerProcesses(task, parcel, context, clock or WallClock(), names)
        try:
            processes.start_next()
            while (processes.running or processes.waiting_to_start) and not stop.is_set:
                processes.check()
                ticker()
        finally:
            processes.end(stop)
        ticker(last=True)
    if stop.is_set:
        stop.end_process()
    return tuple(processes.usages)


@dataclass(slots=True)
class WorkerProcess:
    """One worker process, as its parent sees it."""

    name: str
    process: BaseProcess
    #: The receiving end: Ready, then Usage or Failed.
    pipe: Connection
    #: The trial that the worker holds, in memory shared with it; see share_held().
    shared_held: c_uint64
    #: When it was started, on the parent's monotonic clock.
    started_at: float
    ready: bool = False
    usage: Usage | None = None

    @property
    def held(self) -> tuple[int, int] | None:
        """The trial (number, attempt) that it holds, or held when it ended."""
        return divmod(self.shared_held.value, _ATTEMPT_LIMIT) if self.shared_held.value else None

    @property
    def how_it_ended(self) -> str:
        """The exit code or the signal, in words."""
        code = self.process.exitcode
        return f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"


class WorkerProcesses:
    """The worker processes of one run: those that are running, and the names of those still waiting to start."""

    def __init__(self, task: Task, parcel: Parcel, context: BaseContext, clock: Clock, names: Sequence[str]) -> None:
        self.task = task
        self.parcel = parcel
        self.context = context
        self.clock = clock
        self.waiting_to_start = deque(names)
        self.running: list[WorkerProcess] = []
        self.usages: list[Usage] = []
        self._replacements = Replacements(task, len(names))
        self._workers = len(names)
        self._processors = processors()
        self._step = _STARTUP / self._processors

    def start_next(self) -> None:
        """Start one more process, unless every processor is busy with one that starts, or one has only just begun."""
        now = self.clock.monotonic()
        starting = [now - worker.started_at for worker in self.running if not worker.ready]
        busy = sum(age < _SLOW_START for age in starting)
        if self.waiting_to_start and busy < self._processors and min(starting, default=math.inf) >= self._step:
            self._start(self.waiting_to_start.popleft())

    def _start(self, name: str) -> None:
        receiver, sender = self.context.Pipe(duplex=False)
        shared_held = self.context.RawValue(c_uint64)
        # Not a daemon: an objective may start processes of its own.
        process = self.context.Process(  # type: ignore[attr-defined]
            target=work, args=(sender, shared_held, self.parcel, name), name=name, daemon=False
        )
        # A signal during the process's imports would end it with a traceback: it is blocked until `work` unblocks it.
        with hide_missing_main_file(), signals_blocked(), shared_by(self._workers):
            process.start()
        sender.close()
        self.running.append(WorkerProcess(name, process, receiver, shared_held, self.clock.monotonic()))

    def check(self, timeout: float = TICK) -> None:
        """Wait at most this long for a message; replace the workers that were lost, and start the next."""
        seconds = min(timeout, self._step) if self.waiting_to_start else timeout
        connection.wait([worker.pipe for worker in self.running], timeout=seconds)
        for worker in list(self.running):
            # Before the messages are read, so that all that a process sent before it ended is read in any case.
            alive = worker.process.exitcode is None
            if _read_messages(worker) and alive:
                continue
            self._remove(worker)
            if worker.usage is None:
                self._replace(worker)
        self.start_next()

    def _remove(self, worker: WorkerProcess) -> None:
        self.running.remove(worker)
        worker.process.join(GRACE)
        if worker.process.exitcode is None:  # kept alive by threads that the objective left behind
            worker.process.kill()
            worker.process.join()
        if worker.usage is not None:
            self.usages.append(worker.usage)

    def _replace(self, worker: WorkerProcess) -> None:
        if not worker.ready and (worker.process.exitcode or 0) > 0:
            raise StudyError(_UNGUARDED)
        self._replacements.count_one(worker.name, worker.how_it_ended)
        if worker.held is not None:
            # There is no need to wait for the lease of a process that is known to be dead.
            reason = f"its worker was lost ({worker.how_it_ended})"
            lost = HandOn(*worker.held, reason, self.task.terms.lease.max_attempts)
            self.task.storage.hand_on(self.task.study, lost)
        self.waiting_to_start.append(worker.name)

    def end(self, stop: StopFlag) -> None:
        """Terminate all processes, and kill those that are still there after GRACE seconds or a second Ctrl-C."""
        requests, deadline = stop.requests, self.clock.monotonic() + GRACE
        for worker in self.running:
            with suppress(OSError):
                worker.process.terminate()
        while self.running and self.clock.monotonic() < deadline and stop.requests == requests:
            connection.wait([worker.pipe for worker in self.running], timeout=TICK)
            self._remove_ended([worker for worker in self.running if not _read_messages_without_errors(worker)])
        for worker in self.running:
            worker.process.kill()
        self._remove_ended(list(self.running))

    def _remove_ended(self, workers: Sequence[WorkerProcess]) -> None:
        for worker in workers:
            self._remove(worker)
            if worker.usage is None and worker.held is not None:
                with suppress(StorageError):
                    give_back(self.task.storage, self.task.study, *worker.held)


def _read_messages(worker: WorkerProcess) -> bool:
    """Read all that a worker sent; False once its end of the pipe is closed. Raises the error that it failed with."""
    try:
        while worker.pipe.poll():
            message = worker.pipe.recv()
            if isinstance(message, Ready):
                worker.ready = True
            elif isinstance(message, Usage):
                worker.usage = message
            elif isinstance(message, Failed):
                raise _error(message)
    except (EOFError, OSError):
        worker.pipe.close()
        return False
    return True


def _read_messages_without_errors(worker: WorkerProcess) -> bool:
    """The same while the run ends, when the first error has been raised already."""
    while True:
        with suppress(NonstopError):
            return _read_messages(worker)


def _error(failed: Failed) -> NonstopError:
    kinds = {kind.__name__: kind for kind in (StudyError, StorageError, ObjectiveError, StartError)}
    if failed.error in kinds:
        return kinds[failed.error](failed.message)
    return StudyError(f"{failed.error}: {failed.message}")


def share_held(shared_held: c_uint64, held: tuple[int, int] | None) -> None:
    """Write which trial (number, attempt) a worker holds into memory shared with its parent.

    The parent reads it only once the worker is lost. A message instead would wake the parent with every trial, and
    take processor time from the workers. Number and attempt are one integer, so that a kill never leaves half of them.
    """
    shared_held.value = 0 if held is None else held[0] * _ATTEMPT_LIMIT + held[1]


def work(pipe: Connection, shared_held: c_uint64, parcel: Parcel, name: str) -> None:
    """The main function of a worker process."""

    def send(message: object) -> None:
        with suppress(OSError):  # the parent is gone: orphan_check() ends this process too
            pipe.send(message)

    with stop_on_signals() as stop, interrupt_when(orphan_check()):
        unblock_signals()
        try:
            task = parcel.open()
            send(Ready())
            send(Worker(task, name, stop, on_hold=partial(share_held, shared_held)).run())
        except NonstopError as error:
            send(Failed(type(error).__name__, str(error)))
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            send(Failed(type(error).__name__, str(error)))
        pipe.close()
