"""Which engine runs the workers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from nonstop.arguments import text, text_of, whole
from nonstop.engines.dask import run_on_dask
from nonstop.engines.executor import run_on_executor, slots
from nonstop.engines.local import run_here, run_processes
from nonstop.engines.names import prefix_here, worker_names
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
    _check(task, workers if isinstance(workers, Executor) else engine)
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
    with during or nullcontext(), worker_names(_identity(task), _prefix(engine), workers) as names:
        task = replace(task, surroundings=replace(task.surroundings, workers=names))
        return by_worker(_run(task, names, engine, address, ticker or Ticker(silent)))


def _run(
    task: Task, names: Sequence[str], engine: str | Executor | None, address: str | None, ticker: Ticker
) -> tuple[Usage, ...]:
    if isinstance(engine, Executor):
        if not isinstance(engine, ThreadPoolExecutor):
            check_platform("worker processes", StudyError)
        return run_on_executor(task, names, engine, ticker)
    if engine == "dask":
        return run_on_dask(task, names, address, ticker)
    if engine == "ray":
        return run_on_ray(task, names, address, ticker)
    if len(names) == 1:
        return run_here(task, names[0], ticker)
    check_platform("worker processes", StudyError)
    return run_processes(task, names, ticker)


def _prefix(engine: str | Executor | None) -> str:
    """The first part of the workers' names."""
    return prefix_here() if engine is None else "pool" if isinstance(engine, Executor) else str(engine)


def _identity(task: Task) -> str:
    """What identifies the study on this machine, also one in the memory of this process."""
    return task.creation or f"{os.getpid()} {id(task.storage)} {task.study}"


def _check(task: Task, engine: str | Executor | None) -> None:
    """Raise the errors that every worker would raise, once and before any worker starts."""
    terms = task.terms
    if terms.n_trials is None and terms.deadline is None and not (terms.until is not None and terms.until.ends):
        rule = "" if terms.until is None else f" ({terms.until}: that value may never be reached)"
        raise StudyError(f"give n_trials or timeout: without them the run would never end{rule}")
    objective = objective_of(task.objective)
    if isinstance(objective, Command):
        objective.check(task.spec.space)
    elif task.surroundings.environments and _has_threads(engine):
        raise StudyError(
            "threads share one environment: for environments (or gpus) of their own, run a Python function on worker "
            "processes (workers=2 or more, without an executor), or use a command"
        )


def _has_threads(engine: str | Executor | None) -> bool:
    """Do the workers of an engine share a process? Those on Dask are threads of its workers."""
    return isinstance(engine, ThreadPoolExecutor) or engine == "dask"
