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
    """Calls `callback` at most every `every` seconds, however often it is called itself.

    The callback is told whether it is the last call, and says whether there have been enough trials: then none is to
    start any more."""

    def __init__(self, callback: Callable[[bool], bool], every: float = TICK, clock: Clock | None = None) -> None:
        #: Is the callback to hear of every result before the next trial starts?
        self.each_result = every == 0.0
        self._callback = callback
        self._every = every
        self._clock = clock or WallClock()
        self._next = self._clock.monotonic()
        self._enough = False

    def __call__(self, last: bool = False) -> bool:
        """Call back if the time has come, or if it is the last call; have there been enough trials?"""
        if last or self._clock.monotonic() >= self._next:
            self._enough |= self._callback(last)
            self._next = self._clock.monotonic() + self._every
        return self._enough


def silent(_last: bool) -> bool:
    """The callback of a run that nobody listens to."""
    return False
