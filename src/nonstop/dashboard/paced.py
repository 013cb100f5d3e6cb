"""Costly values that may be a little old. What they cost is bounded: a tenth of one core, and one thread for all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")
#: After a computation, rest so many times as long as it took.
_REST: Final = 9.0


@dataclass(frozen=True, slots=True)
class Made(Generic[T]):
    """A value, the version of the data it was made from, and how long that took."""

    value: T
    version: int
    seconds: float
    at: float


class Paced(Generic[T]):
    """Whoever asks while it is made waits for the same; who asks for a version that is there, or too soon, gets it."""

    def __init__(self, pause: float, thread: Executor) -> None:
        self._pause = pause
        self._thread = thread
        self._made: Made[T] | None = None
        self._lock = asyncio.Lock()

    async def get(self, version: int, make: Callable[[], T]) -> Made[T]:
        async with self._lock:
            made = self._made
            if made is None or (made.version != version and self._rested(made)):
                made = await asyncio.get_running_loop().run_in_executor(self._thread, _timed, version, make)
                self._made = made
            return made

    def _rested(self, made: Made[T]) -> bool:
        return time.monotonic() - made.at >= max(self._pause, _REST * made.seconds)


def _timed(version: int, make: Callable[[], T]) -> Made[T]:
    start = time.monotonic()
    value = make()
    end = time.monotonic()
    return Made(value, version, end - start, end)
