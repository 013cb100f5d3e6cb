"""How many threads BLAS may use. Workers share machines, so for a proposal one is the default.

It is also what makes proposals reproducible: with two threads, sums are added up in another order. The limit belongs to
the whole process, so threads that propose at the same time share it: the first one sets it, the last one lifts it.

Objectives may use more, but eight workers that each start as many threads as there are processors are in each other's
way. So every worker process gets its share of the processors, unless the environment says otherwise.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy  # noqa: F401  (threadpoolctl only finds libraries that are loaded)
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController

_BLAS = ThreadpoolController().select(user_api="blas")  # a look at every loaded library: milliseconds, so once
_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def shared_by(workers: int) -> Iterator[None]:
    """A process that is started inside is told to use its share of the processors, where nobody told it before."""
    ours = {name: str(max(1, processors() // workers)) for name in _VARIABLES if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


class _Shared:
    """The limit that is set at the moment, and how many are inside."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.limit: AbstractContextManager[object] | None = None


_shared = _Shared()


@contextmanager
def limit_threads(threads: int | None) -> Iterator[None]:
    """Limit BLAS to so many threads inside the context; None leaves it alone. Whoever is inside already decides."""
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
