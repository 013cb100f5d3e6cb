"""Patience with a bound: try again while a database is locked, restarting or in a deadlock, then say so."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from nonstop.clock import Clock

T = TypeVar("T")

#: Not the global generator: retries must not change what a user's seed gives; and not inherited by a fork.
_RANDOM: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try, and how the pauses grow; jitter keeps processes that failed together from meeting again."""

    deadline: float = 60.0
    first_pause: float = 0.005
    longest_pause: float = 0.25

    def pause(self, tries: int) -> float:
        """Seconds to wait after this many failures."""
        return min(self.longest_pause, self.first_pause * 2.0 ** min(tries, 30)) * _RANDOM.uniform(0.5, 1.0)


def patiently(work: Callable[[], T], transient: Callable[[Exception], bool], clock: Clock, patience: Patience) -> T:
    """The result of work(), repeated while it raises a transient error and the deadline has not passed."""
    start = clock.monotonic()
    tries = 0
    while True:
        try:
            return work()
        except Exception as error:
            pause = patience.pause(tries)
            tries += 1
            if not transient(error) or clock.monotonic() + pause - start > patience.deadline:
                raise
        clock.sleep(pause)
