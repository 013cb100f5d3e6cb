"""Worker loops on any concurrent.futures.Executor, one for each of its slots.

Dask and Ray use supervise() too. They only add how a loop is submitted, how loops are asked to stop, and which errors
mean that a worker was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from nonstop.engines.supervision import GRACE, TICK, Replacements, Ticker
from nonstop.engines.transfer import check_shared
from nonstop.errors import StudyError
from nonstop.workers.environment import environment_set
from nonstop.workers.held import Beating
from nonstop.workers.pacemaker import Hearts
from nonstop.workers.parent import orphan_check
from nonstop.workers.stopping import StopFlag, interrupt_when, stop_on_signals
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Worker


@dataclass(frozen=True, slots=True)
class Loops:
    """How an engine runs worker loops."""

    #: Starts the loop of the worker with this name.
    submit: Callable[[str], Future[Usage]]
    #: Asks all loops to stop.
    stop: Callable[[], None]
    #: Asks all loops to finish what they evaluate, and to start nothing more.
    finish: Callable[[], None]
    #: The errors of a future that mean that its worker was lost.
    lost: tuple[type[BaseException], ...] = ()


def supervise(loops: Loops, names: Sequence[str], replacements: Replacements, ticker: Ticker) -> tuple[Usage, ...]:
    """One loop for each name, until all of them are done; lost ones are submitted again."""
    usages: list[Usage] = []
    with stop_on_signals() as stop:
        running = {loops.submit(name): name for name in names}
        try:
            while running and not stop.is_set:
                done, _ = wait(running, timeout=TICK, return_when=FIRST_COMPLETED)
                for future in done:
                    name = running.pop(future)
                    try:
                        usages.append(future.result())
                    except loops.lost as error:
                        replacements.count_one(name, f"{type(error).__name__}: {error}")
                        running[loops.submit(name)] = name
                    except BrokenExecutor as error:
                        raise StudyError(
                            f"the executor lost a process and cannot go on ({error}): make a new one and call "
                            "optimize() again, it resumes; or let workers=N processes be replaced by themselves"
                        ) from error
                if ticker():
                    loops.finish()
        finally:
            if running:
                loops.stop()
                usages += [f.result() for f in wait(running, GRACE).done if not f.cancelled() and f.exception() is None]
        ticker(last=True)
    if stop.is_set:
        stop.end_process()
    return tuple(usages)


def run_on_executor(task: Task, names: Sequence[str], executor: Executor, ticker: Ticker) -> tuple[Usage, ...]:
    """The loops in the threads or processes of an executor, which can be used again afterwards."""
    replacements = Replacements(task, len(names))
    if isinstance(executor, ThreadPoolExecutor):
        stop = StopFlag()
        hearts = Hearts(task.storage, task.study, task.terms.lease, len(names))  # one pacemaker for all threads

        def submit(name: str) -> Future[Usage]:
            return executor.submit(run_in_thread, task, name, stop, hearts.of(names.index(name)))

        return supervise(Loops(submit, stop.set, stop.set), names, replacements, ticker)
    check_shared(task)
    with TemporaryDirectory(prefix="nonstop-") as folder:
        # An executor cannot stop what it runs, so the loops look for files that ask them to stop, or to finish.
        stop_file, enough = Path(folder) / "stop", Path(folder) / "enough"
        loops = Loops(
            lambda name: executor.submit(run_in_process, task, name, stop_file, enough), stop_file.touch, enough.touch
        )
        return supervise(loops, names, replacements, ticker)


def slots(executor: Executor) -> int:
    """How many loops an executor can run at once."""
    count = getattr(executor, "_max_workers", None)
    if not isinstance(count, int):
        raise StudyError(f"{type(executor).__name__} does not tell how many slots it has: give workers=N, engine=it")
    return count


def run_in_thread(task: Task, name: str, stop: StopFlag, beating: Beating) -> Usage:
    """One loop in a thread of an executor. No signal reaches it there: the flag stops it between trials."""
    return Worker(task, name, stop, beating=beating).run()


def run_in_process(task: Task, name: str, file: Path, enough: Path) -> Usage:
    """One loop in a process of an executor. It stops when the file exists, or when the process's parent is gone; when
    `enough` exists, after the evaluation that is under way."""
    is_orphan = orphan_check()
    asked = interrupt_when(lambda: is_orphan() or file.exists())
    with stop_on_signals() as stop, asked, environment_set(task.own_environment(name)):
        stop.enough = enough.exists
        usage = Worker(task, name, stop).run()
    stop.forward_signal()
    return usage
