"""What all engines share: the limit on replacing lost workers, and the regular call back."""

from __future__ import annotations

from collections.abc import Callable

from nonstop.clock import Clock, WallClock
from nonstop.errors import StudyError
from nonstop.workers.worker import Task

#: Seconds between two checks of the workers, and between two calls of on_tick.
TICK = 0.2
#: Seconds that workers have to give back their trials before the engine ends them.
GRACE = 5.0


class Replacements:
    """Counts the workers lost since the latest result, and raises StudyError at too many.

    Losing a worker now and then is normal on a cluster. Losing many without a single result in between means that the
    objective, or the machine, kills every one.
    """

    def __init__(self, task: Task, workers: int) -> None:
        self._task = task
        self._limit = max(10, 2 * workers)
        self._lost = 0
        self._results = -1

    def count_one(self, name: str, how: str) -> None:
        """Count one more lost worker; StudyError if that is one too many."""
        results = self._task.storage.counts(self._task.study).completed
        if results > self._results:
            self._results, self._lost = results, 0
        self._lost += 1
        if self._lost > self._limit:
            raise StudyError(
                f"{self._lost} workers were lost without a result in between; the last was {name} ({how}). "
                "Does the objective run out of memory, or crash?"
            )


class Ticker:
    """Calls `callback` at most every TICK seconds, however often it is called itself."""

    def __init__(self, callback: Callable[[], None] | None, clock: Clock | None = None) -> None:
        self._callback = callback
        self._clock = clock or WallClock()
        self._next = self._clock.monotonic()

    def __call__(self, last: bool = False) -> None:
        """Call back if TICK seconds have passed since the last time, or if it is the last call."""
        if self._callback is not None and (last or self._clock.monotonic() >= self._next):
            self._callback()
            self._next = self._clock.monotonic() + TICK
