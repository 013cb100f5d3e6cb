"""Leases, seen from a worker: its heart beats for the trial it holds, and watches the hearts of all the others.

A trial whose heartbeat stands still for a whole lease is handed on. Only the observer's own monotonic clock counts, so
clocks that differ or jump do no harm. An observer that was itself held up (stopped, swapped out, cut off from the
storage) knows nothing about the others: it forgets what it saw and starts again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError
from nonstop.storage.contract import Storage
from nonstop.trials.messages import Pulse

BEATS_PER_LEASE = 4


class Watch:
    """Which pulses have stood still for a lease. Pure but for its memory: the time is an argument."""

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._seen: dict[Pulse, float] = {}
        self._last: float | None = None

    def expired(self, pulses: Iterable[Pulse], now: float) -> list[Pulse]:
        """Take in what was read at `now`; the pulses that were first seen, as they still are, a lease ago."""
        if self._last is None or now - self._last > self._lease / 2:
            self._seen = {}
        self._last = now
        self._seen = {pulse: self._seen.get(pulse, now) for pulse in pulses}
        return [pulse for pulse, since in self._seen.items() if now - since >= self._lease]


@dataclass(frozen=True, slots=True)
class Lease:
    """How long a heart may stand still, and how many workers may lose a trial before it counts as failed."""

    seconds: float = 30.0
    max_attempts: int = 3


class Heart:
    """A thread that beats for the trial its worker holds; use it as a context. No trouble in it ends the worker: if
    the storage is gone for good, the worker finds out by itself."""

    def __init__(self, storage: Storage, study: int, lease: Lease, clock: Clock | None = None) -> None:
        self._storage = storage
        self._study = study
        self._lease = lease
        self._clock = clock or WallClock()
        self._watch = Watch(lease.seconds)
        self.held: tuple[int, int] | None = None  # (number, attempt)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="nonstop-heart", daemon=True)

    def __enter__(self) -> Heart:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(1.0)  # not longer: it may be inside a storage that does not answer

    def _run(self) -> None:
        while not self._over.wait(self._lease.seconds / BEATS_PER_LEASE):
            try:
                self.beat()
            except StorageError:
                # The watch sees the gap that this leaves, and forgets.
                continue

    def beat(self) -> None:
        """One beat and one look around."""
        held = self.held
        pulses = self._storage.beat(self._study, [] if held is None else [held])
        for pulse in self._watch.expired(pulses, self._clock.monotonic()):
            reason = f"no heartbeat from {pulse.worker or 'its worker'} for {self._lease.seconds:g} s"
            self._storage.hand_on(
                self._study, pulse.number, pulse.attempt, pulse.beat, reason, self._lease.max_attempts
            )
