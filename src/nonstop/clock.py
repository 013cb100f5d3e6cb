"""Time as an argument: code that waits or measures takes a Clock, so that tests and simulators choose the time."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What tells the time, and waits."""

    def now(self) -> float:
        """Seconds since the epoch; may jump."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start, for durations: never runs backwards."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class WallClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds since an arbitrary start."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
