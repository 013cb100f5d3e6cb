"""Workers as processes of this machine. The parent evaluates nothing: it starts, replaces and ends them.

Starts are staggered: no more processes start at once than there are processors. If eight start at once on two
processors, all of them are ready only when the last one is. Staggered, most are ready earlier. Nor do they stay in
step, where evaluations of equal length would all end together and their proposals would compete for the processors.
"""

from __future__ import annotations

import math
import os
import traceback
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from ctypes import c_bool, c_uint64
from dataclasses import dataclass
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess, current_process

from nonstop.clock import Clock, WallClock
from nonstop.engines.supervision import GRACE, TICK, Replacements, Ticker
from nonstop.engines.transfer import Parcel, hide_missing_main_file, opened_again, pack
from nonstop.errors import NonstopError, ObjectiveError, OutOfReachError, StartError, StorageError, StudyError
from nonstop.numerics.threads import processors, shared_by
from nonstop.storage.contract import Storage
from nonstop.trials.messages import HandOn
from nonstop.workers.environment import environment_set
from nonstop.workers.held import BeatsElsewhere, all_held, read_held
from nonstop.workers.lease import Heart, Heartbeat
from nonstop.workers.parent import die_with, is_running, orphan_check
from nonstop.workers.stopping import StopFlag, interrupt_when, signals_blocked, stop_on_signals, unblock_signals
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Worker, give_back

_UNGUARDED = (
    "a worker process could not start: its own error stands above. A script that calls optimize() with several workers "
    "is imported by each of them, so it must call it under  if __name__ == '__main__':"
)
_CLOSED = "it closed the pipe to its parent, as an objective does that closes files which are not its own"
_STARTUP = 0.3  # seconds that a process typically takes to start
_EXIT = 0.02  # seconds between two looks whether a process has ended that has nothing more to say
_SLOW_START = 1.0  # seconds after which the next process starts anyway: this one may be waiting for a disk


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


def run_here(task: Task, name: str, ticker: Ticker) -> tuple[Usage, ...]:
    """One worker, in the calling thread."""
    with stop_on_signals() as stop, environment_set(task.own_environment(name)):

        def look(_held: tuple[int, int] | None) -> None:
            if ticker():
                stop.set()

        usage = Worker(task, name, stop, on_hold=look, apart=ticker.each_result).run()
        ticker(last=True)
    if stop.signal is not None:
        stop.end_process()
    return (usage,)


def run_processes(task: Task, names: Sequence[str], ticker: Ticker, clock: Clock | None = None) -> tuple[Usage, ...]:
    """One process for each name, until all of them are done."""
    if getattr(current_process(), "_inheriting", False):
        raise StudyError(_UNGUARDED)
    parcel, context = pack(task)
    with stop_on_signals() as stop:
        processes = WorkerProcesses(task, parcel, context, clock or WallClock(), names)
        with Heartbeat(processes.beat, task.terms.lease, processes.close):
            try:
                processes.start_next()
                while (processes.running or processes.waiting_to_start) and not stop.is_set:
                    processes.check()
                    if ticker():
                        processes.finish()
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
        self._storage: Storage | None = None
        self._heart: Heart | None = None
        self._workers = len(names)
        self._processors = processors()
        self._step = _STARTUP / self._processors
        self._enough = context.RawValue(c_bool, False)

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
            target=work,
            args=(sender, shared_held, self._enough, self.parcel, name, os.getpid()),
            name=name,
            daemon=False,
        )
        # Ctrl-C during the process's imports would end it with a traceback: it is blocked until `work` unblocks it.
        # The resource tracker unblocks signals when it starts, so it starts before.
        resource_tracker.ensure_running()
        # Its variables are there before it imports anything: libraries look for their devices only once.
        variables = environment_set(self.task.surroundings.environment_of(name))
        with hide_missing_main_file(), signals_blocked(), shared_by(self._workers), variables:
            process.start()
        sender.close()
        self.running.append(WorkerProcess(name, process, receiver, shared_held, self.clock.monotonic()))

    def finish(self) -> None:
        """Let all workers finish what they evaluate, and start nothing more."""
        self._enough.value = True
        self.waiting_to_start.clear()

    def beat(self) -> None:
        """Beat for all workers; called by a thread of its own. Not for one that is stopped: it is to lose its lease."""
        if self._heart is None:
            # With a connection of its own: this process's other one may be busy with what `progress` reads.
            self._storage = opened_again(self.task.storage)
            self._heart = Heart(self._storage, self.task.study, self.task.terms.lease, self.clock)
        alive = [worker for worker in list(self.running) if is_running(worker.process.pid or 0)]
        self._heart.beat(all_held(worker.shared_held for worker in alive))

    def close(self) -> None:
        """Close the connection of beat()."""
        if self._storage is not None:
            self._storage.close()

    def check(self, timeout: float = TICK) -> None:
        """Wait at most this long for a message; replace the workers that were lost, and start the next."""
        seconds = min(timeout, self._step) if self.waiting_to_start else timeout
        self._await_messages(seconds)
        for worker in list(self.running):
            # Before the messages are read, so that all that a process sent before it ended is read in any case.
            alive = worker.process.exitcode is None
            speaks = _read_messages(worker)
            if alive and not self._ended_by_force(worker, speaks):
                continue
            self._remove(worker)
            if worker.usage is None:
                self._replace(worker)
        self.start_next()

    def _await_messages(self, seconds: float) -> None:
        speaking = [worker.pipe for worker in self.running if worker.speaks]
        connection.wait(speaking, timeout=seconds if len(speaking) == len(self.running) else min(seconds, _EXIT))

    def _ended_by_force(self, worker: WorkerProcess, speaks: bool) -> bool:
        """End a process that does not mind the time limit, or lives on though it is done or has closed its pipe. True
        once there is no more to be done.

        Threads and processes that an objective left behind keep it alive. Only its exit code tells whether it has
        ended: join() waits for the end of another pipe, which an objective may close, or hand down to its children.
        """
        now = self.clock.monotonic()
        if speaks and self._is_late(worker, now):
            worker.killed_for = f"it did not end after the time limit of {self.task.terms.trial_timeout:g} s"
            worker.process.kill()
        if speaks:
            return False
        if worker.silent_since is None:
            worker.silent_since = now
        if now - worker.silent_since >= GRACE:
            if worker.pipe.closed and worker.usage is None:
                worker.killed_for = worker.killed_for or _CLOSED
            worker.process.kill()
        return now - worker.silent_since >= 2 * GRACE

    def _is_late(self, worker: WorkerProcess, now: float) -> bool:
        """Has it held one trial for twice the time limit? It may take its time to propose and to clean up."""
        if worker.held != worker.seen:
            worker.seen, worker.seen_since = worker.held, now
        limit = self.task.terms.trial_timeout
        held_for = now - worker.seen_since
        return limit is not None and worker.seen is not None and held_for > limit + max(limit, 2 * GRACE)

    def _remove(self, worker: WorkerProcess) -> None:
        self.running.remove(worker)
        worker.process.join(0.0)
        worker.pipe.close()
        if worker.usage is not None:
            self.usages.append(worker.usage)

    def _replace(self, worker: WorkerProcess) -> None:
        if not worker.ready and (worker.process.exitcode or 0) > 0:
            raise StudyError(_UNGUARDED)
        try:
            self._replacements.count_one(worker.name, worker.how_it_ended)
            self._hand_on(worker)
        except StorageError as error:
            if worker.failed is not None:
                # The storage does not answer here either, so it was not the worker's fault.
                raise _error(worker.failed) from None
            if not isinstance(error, OutOfReachError):
                raise
            # The new worker waits until the storage is back; the trial of the lost one is handed on after its lease.
        self.waiting_to_start.append(worker.name)

    def _hand_on(self, worker: WorkerProcess) -> None:
        if worker.held is not None:
            # There is no need to wait for the lease of a process that is known to be dead.
            reason = f"its worker was lost ({worker.how_it_ended})"
            most = worker.held[1] if worker.killed_for else self.task.terms.lease.max_attempts
            lost = HandOn(*worker.held, reason, most)
            self.task.storage.hand_on(self.task.study, lost)

    def end(self, stop: StopFlag) -> None:
        """Terminate all processes, and kill those that are still there after GRACE seconds or a second Ctrl-C."""
        requests, deadline = stop.requests, self.clock.monotonic() + GRACE
        for worker in self.running:
            with suppress(OSError):
                worker.process.terminate()
        while self.running and self.clock.monotonic() < deadline and stop.requests == requests:
            self._await_messages(TICK)
            self._remove_ended([worker for worker in self.running if _has_ended(worker)])
        for worker in self.running:
            worker.process.kill()
        deadline = self.clock.monotonic() + GRACE
        while not all(_has_ended(worker) for worker in self.running) and self.clock.monotonic() < deadline:
            self._await_messages(TICK)
        self._remove_ended(list(self.running))

    def _remove_ended(self, workers: Sequence[WorkerProcess]) -> None:
        for worker in workers:
            self._remove(worker)
            if worker.usage is None and worker.held is not None:
                with suppress(StorageError, StudyError):
                    give_back(self.task.storage, self.task.study, *worker.held)


def _read_messages(worker: WorkerProcess) -> bool:
    """Read all that a worker sent; False once it has no more to say. Raises the error that ends the run."""
    try:
        while not worker.pipe.closed and worker.pipe.poll():
            message = worker.pipe.recv()
            if isinstance(message, Ready):
                worker.ready = True
            elif isinstance(message, Usage):
                worker.usage = message
            elif isinstance(message, Failed):
                if not message.broken:
                    raise _error(message)
                worker.failed = message
    except (EOFError, OSError):
        worker.pipe.close()
    return worker.speaks


def _has_ended(worker: WorkerProcess) -> bool:
    """While the run ends: read its messages, without errors, as the first has been raised already; has it ended?"""
    ended = worker.process.exitcode is not None
    with suppress(NonstopError):
        _read_messages(worker)
    return ended


def _error(failed: Failed) -> NonstopError:
    kinds = {kind.__name__: kind for kind in (StudyError, StorageError, OutOfReachError, ObjectiveError, StartError)}
    if failed.error in kinds:
        return kinds[failed.error](failed.message)
    return StudyError(f"{failed.error}: {failed.message}")


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
