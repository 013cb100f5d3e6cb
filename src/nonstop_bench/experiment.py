"""Run many cases into one file: missing cases are run on all cores or on a cluster, and appended as they finish.

A case that is in the file already is not run again, so the same command resumes a killed experiment, and asking for
more seeds adds only those. A record that does not say which commit made it does not count.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from nonstop.engines.dask import connected as connected_to_dask
from nonstop.engines.ray import connected as connected_to_ray
from nonstop.errors import MissingExtraError
from nonstop_bench import records
from nonstop_bench.case import Case
from nonstop_bench.origin import origin
from nonstop_bench.records import Record
from nonstop_bench.run import run


def missing(cases: Iterable[Case], path: Path) -> list[Case]:
    """The cases, in order, that are neither in the file nor in the compressed file beside it."""
    done = {record.case for record in records.read(*records.parts(path)) if record.commit is not None}
    return [case for case in cases if case not in done]


def perform(
    cases: Sequence[Case], path: Path, *, workers: int | None = None, engine: str = "local", address: str | None = None
) -> Iterator[Record]:
    """Run the missing cases; every record is in the file before it is yielded."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        records.mend(path)
    to_run = missing(cases, path)
    for record in spread(to_run, workers=workers, engine=engine, address=address) if to_run else ():
        records.append(path, record)
        yield record


def spread(cases: Sequence[Case], *, workers: int | None, engine: str, address: str | None) -> Iterator[Record]:
    """Records in the order in which they become ready."""
    if engine == "local":
        return _on_processes(cases, workers or os.cpu_count() or 1)
    if engine == "dask":
        return _on_dask(cases, workers, address)
    if engine == "ray":
        return _on_ray(cases, workers, address)
    raise ValueError(f"engine must be 'local', 'dask' or 'ray', not {engine!r}")


def _on_processes(cases: Sequence[Case], workers: int) -> Iterator[Record]:
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(cases)), mp_context=spawn, initializer=_end_with_parent)
    try:
        for future in as_completed([pool.submit(run, case) for case in cases]):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """Exit when the parent is killed: a process of the pool would otherwise wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    origin()  # of the code that was just loaded

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _on_dask(cases: Sequence[Case], workers: int | None, address: str | None) -> Iterator[Record]:
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError("engine 'dask'", "dask") from error
    with connected_to_dask(distributed, address, workers) as client:
        for future in distributed.as_completed(client.map(run, list(cases), pure=False)):
            yield future.result()


def _on_ray(cases: Sequence[Case], workers: int | None, address: str | None) -> Iterator[Record]:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("engine 'ray'", "ray") from error
    with connected_to_ray(ray, address, workers):
        remote = ray.remote(run)
        waiting = [remote.remote(case) for case in cases]
        while waiting:
            ready, waiting = ray.wait(waiting)
            yield ray.get(ready[0])
