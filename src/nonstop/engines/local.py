"""Workers on this machine: one in the calling thread, or a process for each. Their parent evaluates nothing: it starts,
replaces and ends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.process import current_process

from nonstop.clock import Clock, WallClock
from nonstop.engines.processes import UNGUARDED, WorkerProcesses
from nonstop.engines.supervision import Ticker
from nonstop.engines.transfer import pack
from nonstop.errors import StudyError
from nonstop.workers.environment import environment_set
from nonstop.workers.lease import Heartbeat
from nonstop.workers.stopping import stop_on_signals
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Worker


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
        raise StudyError(UNGUARDED)
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
