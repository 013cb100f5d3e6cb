"""What every engine shares: workers that are lost are replaced, as long as results come in between."""

from __future__ import annotations

from collections.abc import Callable

from nonstop.clock import Clock, WallClock
from nonstop.errors import StudyError
from nonstop.workers.worker import Task

#: Seconds between two looks at the workers, and two calls of on_tick.
TICK = 0.2
#: Seconds that workers have to hand back their trials before the engine goes on without them.
GRACE = 5.0


class Spares:
    """How many more workers may be lost. Losing workers is normal on a cluster and goes on for days; losing them
    without a single result in between means that the objective, or the machine, kills every one."""

    def __init__(self, task: Task, workers: int) -> None:
        self._task = task
        self._limit = max(10, 2 * workers)
        self._used = 0
        self._results = -1

    def take(self, name: str, how: str) -> None:
        """Allow one replacement, or raise StudyError."""
        results = self._task.storage.counts(self._task.study).completed
        if results > self._results:
            self._results, self._used = results, 0
        self._used += 1
        if self._used > self._limit:
            raise StudyError(
                f"{self._used} workers were lost without a result in between; the last was {name} ({how}). "
                "Does the objective run out of memory, or crash?"
            )


class Ticker:
    """Calls back at most every TICK seconds, however often it is called itself."""

    def __init__(self, callback: Callable[[], None] | None, clock: Clock | None = None) -> None:
        self._callback = callback
        self._clock = clock or WallClock()
        self._next = self._clock.monotonic()

    def __call__(self, last: bool = False) -> None:
        if self._callback is not None and (last or self._clock.monotonic() >= self._next):
            self._callback()
            self._next = self._clock.monotonic() + TICK
