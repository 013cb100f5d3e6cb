"""Worker loops on a Dask cluster: one long task for each. If Dask loses a worker, it runs the task again elsewhere."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, cast

from nonstop.engines.executor import Loops, supervise
from nonstop.engines.supervision import Replacements, Ticker
from nonstop.engines.transfer import check_shared
from nonstop.errors import MissingExtraError, StudyError
from nonstop.workers.stopping import StopFlag
from nonstop.workers.usage import Usage
from nonstop.workers.worker import Task, Worker


def run_on_dask(task: Task, names: Sequence[str], address: str | None, ticker: Ticker) -> tuple[Usage, ...]:
    """On the scheduler at an address, or on a cluster of this machine that ends with the run."""
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError("engine='dask'", "dask") from error
    check_shared(task)
    with connected(distributed, address, len(names)) as client:
        executor, ends = client.get_executor(pure=False), distributed.Event(f"nonstop-{uuid.uuid4().hex}", client)

        def submit(name: str) -> Future[Usage]:
            return cast("Future[Usage]", executor.submit(run_in_task, task, name, ends.name))

        loops = Loops(submit, ends.set, ends.set, (distributed.KilledWorker,))
        return supervise(loops, names, Replacements(task, len(names)), ticker)


@contextmanager
def connected(distributed: Any, address: str | None, workers: int | None) -> Iterator[Any]:
    """A client of the cluster at an address, or of a local cluster that ends with the context."""
    if address is not None:
        try:
            client = distributed.Client(address)
        except OSError as error:
            raise StudyError(f"no Dask scheduler answers at {address}: {error}") from error
        with client:
            yield client
        return
    cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client


def run_in_task(task: Task, name: str, event: str) -> Usage:
    """One loop in a thread of a Dask worker. No signal reaches it there: an event of the cluster asks it to stop."""
    import distributed

    stop, over = StopFlag(), threading.Event()
    ends = distributed.Event(event, distributed.get_client())

    def listen() -> None:
        while not over.is_set():
            if ends.wait(timeout=1.0):
                stop.set()
                return

    listener = threading.Thread(target=listen, name="nonstop-stop", daemon=True)
    listener.start()
    try:
        return Worker(task, name, stop).run()
    finally:
        over.set()
        listener.join()  # otherwise it could ask a cluster that has closed meanwhile
