"""Time as an argument: what waits or measures takes a Clock, so that tests and simulators choose the time."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch, for people: may jump."""

    def monotonic(self) -> float:
        """Seconds since some start, for durations: never runs backwards."""

    def sleep(self, seconds: float) -> None: ...


class WallClock:
    """The machine's own time."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
