"""Expensive values that may be slightly out of date, computed in one thread and for at most a tenth of the time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")
#: After a computation, wait this many times as long as it took.
_PAUSE_FACTOR: Final = 9.0


@dataclass(frozen=True, slots=True)
class Computed(Generic[T]):
    """A value and how it was computed."""

    value: T
    #: The version of the data that it was computed from.
    version: int
    #: How long the computation took.
    seconds: float
    #: When it ended, on the monotonic clock.
    at: float


class Throttled(Generic[T]):
    """One value that is recomputed when its data have changed, but not before a pause is over."""

    def __init__(self, pause: float, thread: Executor) -> None:
        self._pause = pause
        self._thread = thread
        self._last: Computed[T] | None = None
        self._lock = asyncio.Lock()

    async def get(self, version: int, compute: Callable[[], T]) -> Computed[T]:
        """The value for this version of the data, or the last one if that was computed too recently.

        Callers that arrive during a computation wait for its result."""
        async with self._lock:
            last = self._last
            if last is None or (last.version != version and self._pause_is_over(last)):
                last = await asyncio.get_running_loop().run_in_executor(self._thread, _timed, version, compute)
                self._last = last
            return last

    def _pause_is_over(self, last: Computed[T]) -> bool:
        return time.monotonic() - last.at >= max(self._pause, _PAUSE_FACTOR * last.seconds)


def _timed(version: int, compute: Callable[[], T]) -> Computed[T]:
    start = time.monotonic()
    value = compute()
    end = time.monotonic()
    return Computed(value, version, end - start, end)
