"""Worker loops on a Ray cluster: one long task for each. A task whose worker is lost is submitted again."""

from __future__ import annotations

import signal
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from nonstop.engines.executor import Loops, supervise
from nonstop.engines.supervision import Replacements, Ticker
from nonstop.engines.transfer import check_shared
from nonstop.errors import MissingExtraError, StudyError
from nonstop.workers.environment import environment_set
from nonstop.workers.stopping import interrupt_when, stop_on_signals
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Worker

#: Ends the name of the flag that asks loops to finish what they evaluate.
_ENOUGH = b"-enough"


def run_on_ray(task: Task, names: Sequence[str], address: str | None, ticker: Ticker) -> tuple[Usage, ...]:
    """On the cluster this process is connected to, the one at an address, or a local one that ends with the run."""
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("engine='ray'", "ray") from error
    check_shared(task)
    with connected(ray, address, len(names)):
        loop = ray.remote(max_retries=0)(run_in_task)  # supervise() submits lost ones again
        flag = f"nonstop-{uuid.uuid4().hex}".encode()

        def submit(name: str) -> Future[Usage]:
            return cast("Future[Usage]", loop.remote(task, name, flag).future())

        def stop() -> None:
            _flags()._internal_kv_put(flag, b"stop")

        def finish() -> None:
            _flags()._internal_kv_put(flag + _ENOUGH, b"finish")

        lost = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError)
        return supervise(Loops(submit, stop, finish, lost), names, Replacements(task, len(names)), ticker)


@contextmanager
def connected(ray: Any, address: str | None, workers: int | None) -> Iterator[None]:
    """Connected to a cluster: as before, or at an address, or to a local one that ends with the context."""
    if ray.is_initialized():
        yield
        return
    try:
        if address is None:
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        else:
            ray.init(address=address, log_to_driver=False)
    except ConnectionError as error:
        raise StudyError(f"no Ray cluster answers at {address}: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


def run_in_task(task: Task, name: str, flag: bytes) -> Usage:
    """One loop in the main thread of a Ray worker. ray.cancel() does not interrupt an objective that sleeps or computes
    outside of Python, so the process looks for a flag in the cluster's key-value store, and interrupts itself."""
    flags = _flags()
    before = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # Ray blocks Ctrl-C in its workers
    try:
        asked = interrupt_when(lambda: bool(flags._internal_kv_exists(flag)), every=1.0)
        with stop_on_signals() as stop, asked, environment_set(task.own_environment(name)):
            stop.enough = lambda: bool(flags._internal_kv_exists(flag + _ENOUGH))
            usage = Worker(task, name, stop).run()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    stop.forward_signal()
    return usage


def _flags() -> Any:
    return import_module("ray.experimental.internal_kv")
