"""Clocks for tests: each follows nonstop.clock.Clock."""

from __future__ import annotations

import itertools
import random


class TickingClock:
    """Every look at it takes a second, so that nothing a worker does is free."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.monotonic()

    def monotonic(self) -> float:
        self.time += 1.0
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


class HandClock:
    """Time passes only while someone sleeps."""

    def __init__(self) -> None:
        self.time = 1_000.0
        self.naps: list[float] = []

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.time += seconds


class StampClock:
    """A second passes whenever someone looks; sleeping takes no time."""

    def __init__(self) -> None:
        self._time = itertools.count(1_000)
        self.slept: list[float] = []

    def now(self) -> float:
        return float(next(self._time))

    def monotonic(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class JumpingClock:
    """A clock whose wall time is set at random, as by a broken time server."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def now(self) -> float:
        return self._random.uniform(-1e9, 4e9)

    def monotonic(self) -> float:
        return 0.0

    def sleep(self, seconds: float) -> None:
        raise AssertionError(f"nothing to wait for, and yet {seconds} s")
