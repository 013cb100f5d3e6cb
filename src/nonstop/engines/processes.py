"""The worker processes of one run: they are started, watched, replaced and ended here.

Starts are staggered: no more processes start at once than there are processors. If eight start at once on two
processors, all of them are ready only when the last one is. Staggered, most are ready earlier. Nor do they stay in
step, where evaluations of equal length would all end together and their proposals would compete for the processors.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from ctypes import c_bool, c_uint64
from multiprocessing import connection, resource_tracker
from multiprocessing.context import BaseContext

from nonstop.clock import Clock
from nonstop.engines.process import WorkerProcess, work
from nonstop.engines.supervision import GRACE, TICK, Replacements
from nonstop.engines.transfer import Parcel, hide_missing_main_file, opened_again
from nonstop.errors import OutOfReachError, StorageError, StudyError
from nonstop.numerics.threads import processors, shared_by
from nonstop.storage.contract import Storage
from nonstop.trials.messages import HandOn
from nonstop.workers.environment import environment_set
from nonstop.workers.held import all_held
from nonstop.workers.lease import Heart
from nonstop.workers.parent import is_running
from nonstop.workers.stopping import StopFlag, signals_blocked
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, give_back

#: What is wrong where worker processes do not get as far as their own error messages.
UNGUARDED = (
    "a worker process could not start: its own error stands above. A script that calls optimize() with several workers "
    "is imported by each of them, so it must call it under  if __name__ == '__main__':"
)
_CLOSED = "it closed the pipe to its parent, as an objective does that closes files which are not its own"
_STARTUP = 0.3  # seconds that a process typically takes to start
_EXIT = 0.02  # seconds between two looks whether a process has ended that has nothing more to say
_SLOW_START = 1.0  # seconds after which the next process starts anyway: this one may be waiting for a disk


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
            speaks = worker.read()
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
            raise StudyError(UNGUARDED)
        try:
            self._replacements.count_one(worker.name, worker.how_it_ended)
            self._hand_on(worker)
        except StorageError as error:
            if worker.failed is not None:
                # The storage does not answer here either, so it was not the worker's fault.
                raise worker.failed.as_error() from None
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
            self._remove_ended([worker for worker in self.running if worker.has_ended()])
        for worker in self.running:
            worker.process.kill()
        deadline = self.clock.monotonic() + GRACE
        while not all(worker.has_ended() for worker in self.running) and self.clock.monotonic() < deadline:
            self._await_messages(TICK)
        self._remove_ended(list(self.running))

    def _remove_ended(self, workers: Sequence[WorkerProcess]) -> None:
        for worker in workers:
            self._remove(worker)
            if worker.usage is None and worker.held is not None:
                with suppress(StorageError, StudyError):
                    give_back(self.task.storage, self.task.study, *worker.held)
