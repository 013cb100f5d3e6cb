"""How many threads BLAS may use. Workers share machines, so for a proposal one is the default.

One thread also makes proposals reproducible: with two, sums are added up in another order. The limit is one for the
whole process, so threads that propose at the same time share it: the first one sets it, the last one removes it.

Objectives may use more threads, but if each of eight workers starts as many as there are processors, they slow each
other down. So every worker process gets its share of the processors, unless the environment says otherwise.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy  # noqa: F401  (threadpoolctl only finds libraries that are loaded)
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController

_BLAS = ThreadpoolController().select(
    user_api="blas"
)  # searching the loaded libraries takes milliseconds: once is enough
_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shares(workers: int) -> dict[str, str]:
    """Variables with which a process uses its share of the processors, where the environment sets no number."""
    return {name: str(max(1, processors() // workers)) for name in _VARIABLES if name not in os.environ}


@contextmanager
def shared_by(workers: int) -> Iterator[None]:
    """Processes started inside this context use their share of the processors, unless the environment sets a number."""
    ours = shares(workers)
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


class _Shared:
    """The limit that is set at the moment, and how many threads are inside limit_threads()."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.limit: AbstractContextManager[object] | None = None


_shared = _Shared()


@contextmanager
def limit_threads(threads: int | None) -> Iterator[None]:
    """Limit BLAS to so many threads inside the context; None changes nothing. If another thread is inside already, its
    limit holds."""
    if threads is None:
        yield
        return
    with _shared.lock:
        if _shared.inside == 0 and any(library.num_threads != threads for library in _BLAS.lib_controllers):
            _shared.limit = _BLAS.limit(limits=threads)
            _shared.limit.__enter__()
        _shared.inside += 1
    try:
        yield
    finally:
        with _shared.lock:
            _shared.inside -= 1
            if _shared.inside == 0 and _shared.limit is not None:
                _shared.limit.__exit__(None, None, None)
                _shared.limit = None
