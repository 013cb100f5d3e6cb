"""How many threads BLAS may use. Workers share machines, so one is the default."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache

import numpy  # noqa: F401  (threadpoolctl only finds libraries that are loaded)
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # a look at every loaded library: about a millisecond, so once


def limit_threads(threads: int | None) -> AbstractContextManager[object]:
    """Limit BLAS to so many threads inside the context; None leaves it alone."""
    return nullcontext() if threads is None else _controller().limit(limits=threads, user_api="blas")
