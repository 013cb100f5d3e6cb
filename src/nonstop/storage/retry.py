"""Retries with a deadline, for the time in which a database is locked, restarting or in a deadlock."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from nonstop.clock import Clock

T = TypeVar("T")

#: Not the global generator: retries must not change the numbers that a user's seed gives, nor be the same after a fork.
_RANDOM: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to retry. Pauses double up to the longest; jitter keeps processes from retrying at the same time."""

    #: Seconds after which to give up.
    deadline: float = 60.0
    #: Seconds to wait after the first failure, at most.
    first_pause: float = 0.005
    #: Seconds to wait between two tries, at most.
    longest_pause: float = 0.25

    def pause(self, retries: int) -> float:
        """Seconds to wait before the next try, after this many retries."""
        return min(self.longest_pause, self.first_pause * 2.0 ** min(retries, 30)) * _RANDOM.uniform(0.5, 1.0)


def retry(work: Callable[[], T], transient: Callable[[Exception], bool], clock: Clock, patience: Patience) -> T:
    """The result of work(), repeated while it raises a transient error and the deadline has not passed."""
    start = clock.monotonic()
    retries = 0
    while True:
        try:
            return work()
        except Exception as error:
            pause = patience.pause(retries)
            retries += 1
            if not transient(error) or clock.monotonic() + pause - start > patience.deadline:
                raise
        clock.sleep(pause)
