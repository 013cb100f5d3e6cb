"""How many threads BLAS may use. Workers share machines, so one is the default.

It is also what makes proposals reproducible: with two threads, sums are added up in another order. The limit belongs to
the whole process, so threads that propose at the same time share it: the first one sets it, the last one lifts it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache

import numpy  # noqa: F401  (threadpoolctl only finds libraries that are loaded)
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _blas() -> ThreadpoolController:
    """The libraries to limit. That is a look at everything that is loaded: about a millisecond, so once."""
    return ThreadpoolController().select(user_api="blas")


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
        if _shared.inside == 0 and any(library.num_threads != threads for library in _blas().lib_controllers):
            _shared.limit = _blas().limit(limits=threads)
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
