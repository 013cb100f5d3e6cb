"""Workers as processes of this machine. The parent evaluates nothing: it starts, replaces and ends them.

They start as the processors come free, one shortly after the other. Eight that import at once on two processors all
take as long as the last; like this, most begin earlier, and they do not go on in step: evaluations that all take the
same time would end together again and again, and the proposals after them would fight for the processors.
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
from nonstop.engines.supervision import GRACE, TICK, Spares, Ticker
from nonstop.engines.transfer import Parcel, no_phantom_main, pack
from nonstop.errors import NonstopError, ObjectiveError, StorageError, StudyError
from nonstop.numerics.threads import processors, shared_by
from nonstop.workers.stopping import (
    StopFlag,
    interrupt_when,
    orphaned,
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
_PATIENCE = 1.0  # seconds after which the next one does not wait for it any longer: it may be waiting for a disk
_ATTEMPTS = 2**32  # more than a trial can have


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has its task and begins."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The worker gave up: the run cannot go on. As text, because not every exception survives a pickle."""

    error: str
    message: str


def run_here(task: Task, name: str, ticker: Ticker) -> tuple[Usage, ...]:
    """One worker, in this very thread."""
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
        crew = Crew(task, parcel, context, clock or WallClock(), names)
        try:
            crew.muster()
            while (crew.members or crew.absent) and not stop.is_set:
                crew.look()
                ticker()
        finally:
            crew.end(stop)
        ticker(last=True)
    if stop.is_set:
        stop.end_process()
    return tuple(crew.usages)


@dataclass(slots=True)
class _Member:
    """One worker process, and what it said last."""

    name: str
    process: BaseProcess
    pipe: Connection
    cell: c_uint64
    born: float
    ready: bool = False
    usage: Usage | None = None

    @property
    def held(self) -> tuple[int, int] | None:
        """The trial (number, attempt) that it holds, or held when it died."""
        return divmod(self.cell.value, _ATTEMPTS) if self.cell.value else None

    @property
    def how(self) -> str:
        code = self.process.exitcode
        return f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"


class Crew:
    """The processes of one run: `members` are under way, `absent` has the names of those still to be started."""

    def __init__(self, task: Task, parcel: Parcel, context: BaseContext, clock: Clock, names: Sequence[str]) -> None:
        self.task = task
        self.parcel = parcel
        self.context = context
        self.clock = clock
        self.absent = deque(names)
        self.members: list[_Member] = []
        self.usages: list[Usage] = []
        self.spares = Spares(task, len(names))
        self._workers = len(names)
        self._processors = processors()
        self._step = _STARTUP / self._processors

    def muster(self) -> None:
        """Start the next of the absent, if a processor is free of processes that start, and none has just begun to."""
        now = self.clock.monotonic()
        starting = [now - member.born for member in self.members if not member.ready]
        busy = sum(age < _PATIENCE for age in starting)
        if self.absent and busy < self._processors and min(starting, default=math.inf) >= self._step:
            self._start(self.absent.popleft())

    def _start(self, name: str) -> None:
        mine, theirs = self.context.Pipe(duplex=False)
        cell = self.context.RawValue(c_uint64)
        # Not a daemon: an objective may want processes of its own.
        process = self.context.Process(  # type: ignore[attr-defined]
            target=work, args=(theirs, cell, self.parcel, name), name=name, daemon=False
        )
        # A signal that comes while the process still imports would end it with a traceback: it waits for `work`.
        with no_phantom_main(), signals_blocked(), shared_by(self._workers):
            process.start()
        theirs.close()
        self.members.append(_Member(name, process, mine, cell, self.clock.monotonic()))

    def look(self, patience: float = TICK) -> None:
        """Wait a moment for news of any member; replace those that were lost, and start who is still to come."""
        connection.wait([m.pipe for m in self.members], timeout=min(patience, self._step) if self.absent else patience)
        for member in list(self.members):
            # Asked first: what a process said before it ended is then heard in any case.
            alive = member.process.exitcode is None
            if _listen(member) and alive:
                continue
            self._leave(member)
            if member.usage is None:
                self._replace(member)
        self.muster()

    def _leave(self, member: _Member) -> None:
        self.members.remove(member)
        member.process.join(GRACE)
        if member.process.exitcode is None:  # threads that the objective left behind keep it
            member.process.kill()
            member.process.join()
        if member.usage is not None:
            self.usages.append(member.usage)

    def _replace(self, member: _Member) -> None:
        if not member.ready and (member.process.exitcode or 0) > 0:
            raise StudyError(_UNGUARDED)
        self.spares.take(member.name, member.how)
        self._hand_on(member)
        self.absent.append(member.name)

    def _hand_on(self, member: _Member) -> None:
        """No need to wait for the lease of a process that is known to be dead."""
        if member.held is not None:
            reason, most = f"its worker was lost ({member.how})", self.task.terms.lease.max_attempts
            self.task.storage.hand_on(self.task.study, *member.held, None, reason, most)

    def end(self, stop: StopFlag) -> None:
        """Ask all to end, then make them. A second Ctrl-C makes them at once."""
        patience, deadline = stop.requests, self.clock.monotonic() + GRACE
        for member in self.members:
            with suppress(OSError):
                member.process.terminate()
        while self.members and self.clock.monotonic() < deadline and stop.requests == patience:
            connection.wait([m.pipe for m in self.members], timeout=TICK)
            self._bury([m for m in self.members if not _listens_quietly(m)])
        for member in self.members:
            member.process.kill()
        self._bury(list(self.members))

    def _bury(self, members: Sequence[_Member]) -> None:
        for member in members:
            self._leave(member)
            if member.usage is None and member.held is not None:
                with suppress(StorageError):
                    give_back(self.task.storage, self.task.study, *member.held)


def _listen(member: _Member) -> bool:
    """Hear all that a member said; False once it is gone. Raises the error that a member failed with."""
    try:
        while member.pipe.poll():
            said = member.pipe.recv()
            if isinstance(said, Ready):
                member.ready = True
            elif isinstance(said, Usage):
                member.usage = said
            elif isinstance(said, Failed):
                raise _error(said)
    except (EOFError, OSError):
        member.pipe.close()
        return False
    return True


def _listens_quietly(member: _Member) -> bool:
    """While ending, the first error is already on its way."""
    while True:
        with suppress(NonstopError):
            return _listen(member)


def _error(said: Failed) -> NonstopError:
    kinds = {kind.__name__: kind for kind in (StudyError, StorageError, ObjectiveError)}
    return kinds[said.error](said.message) if said.error in kinds else StudyError(f"{said.error}: {said.message}")


def note(cell: c_uint64, held: tuple[int, int] | None) -> None:
    """Write which trial a worker holds into memory shared with its parent, who only reads it once the worker is lost. A
    message instead would wake the parent with every trial, and take the processor from the worker. One number, not two:
    whenever the worker is killed, it left the whole of it."""
    cell.value = 0 if held is None else held[0] * _ATTEMPTS + held[1]


def work(pipe: Connection, cell: c_uint64, parcel: Parcel, name: str) -> None:
    """What a worker process does."""

    def say(something: object) -> None:
        with suppress(OSError):  # the parent is gone, and so are we in a moment
            pipe.send(something)

    with stop_on_signals() as stop, interrupt_when(orphaned()):
        unblock_signals()
        try:
            task = parcel.open()
            say(Ready())
            say(Worker(task, name, stop, on_hold=partial(note, cell)).run())
        except NonstopError as error:
            say(Failed(type(error).__name__, str(error)))
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            say(Failed(type(error).__name__, str(error)))
        pipe.close()
