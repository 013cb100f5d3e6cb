"""Leases: heartbeats for the trials that workers hold, and a watch over the trials of all workers.

A trial whose heartbeat counter does not change for a whole lease is handed on. Only the observer's own monotonic clock
counts, so clocks that differ or jump do no harm. An observer that was itself held up (stopped, swapped out, cut off
from the storage) cannot judge the others: it forgets what it saw and starts again. A storage that answers slowly is not
such a case: the watch accepts intervals that stay as long as they were.

A trial with a lease of its own was asked for, and has no heartbeat: it expires that long after it was first seen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError, StudyError
from nonstop.storage.contract import Storage
from nonstop.trials.messages import HandOn, Pulse

BEATS_PER_LEASE = 4


class LeaseWatch:
    """Which pulses have not changed for a lease. The time is an argument, so that tests choose it."""

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._seen: dict[Pulse, float] = {}
        self._last: float | None = None
        self._interval = 0.0  # between the latest two observations

    def expired(self, pulses: Iterable[Pulse], now: float) -> list[Pulse]:
        """Record the pulses that a read which began at `now` saw; those that were the same for a lease or longer."""
        interval = 0.0 if self._last is None else now - self._last
        if interval > max(self._lease / 2, 2 * self._interval):
            self._seen = {pulse: since for pulse, since in self._seen.items() if pulse.lease is not None}
        self._last, self._interval = now, interval
        self._seen = {pulse: self._seen.get(pulse, now) for pulse in pulses}
        return [pulse for pulse, since in self._seen.items() if now - since >= self._lease_of(pulse)]

    def _lease_of(self, pulse: Pulse) -> float:
        return self._lease if pulse.lease is None else pulse.lease


@dataclass(frozen=True, slots=True)
class Lease:
    """When a trial is handed on to another worker, and how often."""

    #: Seconds without a heartbeat after which a trial is handed on.
    seconds: float = 30.0
    #: How many workers may lose a trial before it counts as failed.
    max_attempts: int = 3

    @property
    def interval(self) -> float:
        """Seconds between two heartbeats."""
        return self.seconds / BEATS_PER_LEASE


class Heart:
    """Beats for trials, and hands on the trials of silent workers. Belongs to one thread."""

    def __init__(self, storage: Storage, study: int, lease: Lease, clock: Clock | None = None) -> None:
        self._storage = storage
        self._study = study
        self._lease = lease
        self._clock = clock or WallClock()
        self._watch = LeaseWatch(lease.seconds)

    def beat(self, held: Sequence[tuple[int, int]]) -> None:
        """Beat once for these trials (number, attempt), and hand on those whose lease has expired."""
        began = self._clock.monotonic()
        pulses = self._storage.beat(self._study, held)
        for pulse in self._watch.expired(pulses, began):
            self._storage.hand_on(self._study, expiry(pulse, self._lease))


class Heartbeat:
    """A thread that calls beat() four times in a lease, and close() when it ends; use it in `with`.

    Errors do not end it: if the storage stays unreachable, or the study was deleted, the workers themselves find out.
    """

    def __init__(self, beat: Callable[[], None], lease: Lease, close: Callable[[], None] = lambda: None) -> None:
        self._beat, self._close = beat, close
        self._interval = lease.interval
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="nonstop-heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(1.0)  # not longer: it may be waiting for a storage that does not answer

    def _run(self) -> None:
        while not self._over.wait(self._interval):
            try:
                self._beat()
            except (StorageError, StudyError):
                # The watch notices the time without an observation, and starts again.
                continue
        self._close()


def expiry(pulse: Pulse, lease: Lease) -> HandOn:
    """The message that hands on a trial whose lease, or the one of its own, has expired."""
    who = pulse.worker or "its worker"
    reason = (
        f"no heartbeat from {who} for {lease.seconds:g} s"
        if pulse.lease is None
        else f"{who} did not tell it within the {pulse.lease:g} s of its lease"
    )
    return HandOn(pulse.number, pulse.attempt, reason, lease.max_attempts, pulse.beat)
