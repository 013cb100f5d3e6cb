"""Worker loops on a Ray cluster: one long task for each. A task whose worker is lost is submitted anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, cast

from nonstop.brake import braked_by_signals
from nonstop.engines.carry import check_shared
from nonstop.engines.executor import Loops, supervise
from nonstop.engines.team import Spares, Ticker
from nonstop.errors import MissingExtraError, StudyError
from nonstop.usage import Usage
from nonstop.worker import Task, Worker


def run_on_ray(task: Task, names: Sequence[str], address: str | None, ticker: Ticker) -> tuple[Usage, ...]:
    """On the cluster at an address, the one this process is connected to, or one of this machine for the run."""
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("engine='ray'", "ray") from error
    check_shared(task)
    with _connected(ray, address, len(names)):
        loop = ray.remote(max_retries=0)(run_in_task)  # we submit lost ones ourselves, as often as results come in
        handles: list[Any] = []

        def submit(name: str) -> Future[Usage]:
            handles.append(loop.remote(task, name))
            return cast("Future[Usage]", handles[-1].future())

        def stop() -> None:
            for handle in handles:
                ray.cancel(handle)

        lost = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError)
        return supervise(Loops(submit, stop, lost), names, Spares(task, len(names)), ticker)


@contextmanager
def _connected(ray: Any, address: str | None, workers: int) -> Iterator[None]:
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


def run_in_task(task: Task, name: str) -> Usage:
    """In the main thread of a Ray worker, where ray.cancel() arrives as Ctrl-C."""
    with braked_by_signals() as brake:
        return Worker(task, name, brake).run()
