"""Which engine runs the workers."""

from __future__ import annotations

import os
import platform
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext

from nonstop.arguments import text, text_of, whole
from nonstop.engines.dask import run_on_dask
from nonstop.engines.executor import run_on_executor, slots
from nonstop.engines.local import run_here, run_processes
from nonstop.engines.ray import run_on_ray
from nonstop.engines.supervision import Ticker, silent
from nonstop.errors import StudyError
from nonstop.wording import shown
from nonstop.workers.command import Command
from nonstop.workers.objective import objective_of
from nonstop.workers.stopping import check_platform
from nonstop.workers.usage import Usage, by_worker
from nonstop.workers.worker import Task

#: The engines by name.
_CLUSTERS = ("dask", "ray")
#: More workers than any storage can serve are a mistake.
_MOST_WORKERS = 10_000


def run_workers(
    task: Task,
    workers: int | Executor = 1,
    engine: str | Executor | None = None,
    address: str | None = None,
    ticker: Ticker | None = None,
    during: AbstractContextManager[object] | None = None,
) -> tuple[Usage, ...]:
    """Run worker loops to the end; where their time went, by worker. `during` is entered once all arguments have been
    checked."""
    _check(task)
    if isinstance(workers, Executor):
        if engine is not None:
            raise StudyError("an executor as workers is an engine of its own: leave engine out")
        engine, workers = workers, slots(workers)
    workers = whole("workers", workers, StudyError, least=1, most=_MOST_WORKERS, or_else=" or an Executor")
    if engine is not None and not isinstance(engine, Executor) and text_of(engine) not in _CLUSTERS:
        known = "'dask', 'ray', an Executor, or None for processes here"
        raise StudyError(f"there is no engine {shown(engine)}: use {known}")
    if address is not None:
        if isinstance(engine, Executor) or engine is None:
            raise StudyError("an address needs engine='dask' or engine='ray'")
        if not text("address", address, StudyError).strip():
            raise StudyError(f"address must be that of a cluster, not {shown(address)}")
    with during or nullcontext():
        return by_worker(_run(task, workers, engine, address, ticker or Ticker(silent)))


def _run(
    task: Task, workers: int, engine: str | Executor | None, address: str | None, ticker: Ticker
) -> tuple[Usage, ...]:
    if isinstance(engine, Executor):
        if not isinstance(engine, ThreadPoolExecutor):
            check_platform("worker processes", StudyError)
        return run_on_executor(task, _names("pool", workers), engine, ticker)
    if engine == "dask":
        return run_on_dask(task, _names("dask", workers), address, ticker)
    if engine == "ray":
        return run_on_ray(task, _names("ray", workers), address, ticker)
    names = _names(_here(), workers)
    if workers == 1:
        return run_here(task, names[0], ticker)
    check_platform("worker processes", StudyError)
    return run_processes(task, names, ticker)


def _here() -> str:
    """The first part of worker names: the machine and the task of a Slurm job on it, or what NONSTOP_WORKER says, for
    users who run several commands on one machine."""
    parts = (platform.node() or "local", os.environ.get("SLURM_PROCID", ""))
    return os.environ.get("NONSTOP_WORKER") or "-".join(part for part in parts if part)


def _names(prefix: str, workers: int) -> list[str]:
    """The names of the workers: the same in every run, so that figures show a resumed worker as one."""
    return [f"{prefix}-w{index}" for index in range(workers)]


def _check(task: Task) -> None:
    """Raise the errors that every worker would raise, once and before any worker starts."""
    terms = task.terms
    if terms.n_trials is None and terms.deadline is None and not (terms.until is not None and terms.until.ends):
        rule = "" if terms.until is None else f" ({terms.until}: that value may never be reached)"
        raise StudyError(f"give n_trials or timeout: without them the run would never end{rule}")
    objective = objective_of(task.objective)
    if isinstance(objective, Command):
        objective.check(task.spec.space)
