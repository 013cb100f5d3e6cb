"""What to do if something takes too long: one thread for the whole process, which looks twice a second.

It costs a transaction two operations on a list. A timer for each would cost it a thread.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

#: Seconds between two looks: an action may come so much later than asked.
TICK: Final = 0.5


class Alarm:
    """An action at a time, unless it is cancelled before."""

    __slots__ = ("_action", "_lock", "at")

    def __init__(self, at: float, action: Callable[[], None]) -> None:
        self.at = at
        self._action: Callable[[], None] | None = action
        self._lock = threading.Lock()

    def ring(self) -> None:
        """Act."""
        with self._lock:
            action, self._action = self._action, None
            if action is not None:
                action()

    def cancel(self) -> None:
        """From now on the action does not begin; one that is under way ends first."""
        with self._lock:
            self._action = None


class Watchdog:
    """Alarms, and the thread that rings them: it starts with the first alarm, and sleeps while there is none."""

    def __init__(self) -> None:
        self._start_anew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._start_anew)  # a fork copies the alarms, but not the thread

    def _start_anew(self) -> None:
        self._lock = threading.Lock()
        self._alarms: list[Alarm] = []
        self._some = threading.Event()
        self._thread: threading.Thread | None = None

    def set(self, seconds: float, action: Callable[[], None]) -> Alarm:
        """Call action() in the watchdog's thread in so many seconds, unless the alarm is dropped."""
        alarm = Alarm(time.monotonic() + seconds, action)
        with self._lock:
            self._alarms.append(alarm)
            self._some.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="nonstop-watchdog", daemon=True)
                self._thread.start()
        return alarm

    def drop(self, alarm: Alarm) -> None:
        """Cancel an alarm; one that rings already ends first."""
        with self._lock:
            if alarm in self._alarms:
                self._alarms.remove(alarm)
        alarm.cancel()

    @contextmanager
    def after(self, seconds: float, action: Callable[[], None]) -> Iterator[None]:
        """If what is inside takes longer than so many seconds, call action() in the watchdog's thread."""
        alarm = self.set(seconds, action)
        try:
            yield
        finally:
            self.drop(alarm)

    def _run(self) -> None:
        while True:
            self._some.wait()
            time.sleep(TICK)
            for alarm in self._due():
                alarm.ring()

    def _due(self) -> list[Alarm]:
        with self._lock:
            now = time.monotonic()
            due = [alarm for alarm in self._alarms if alarm.at <= now]
            self._alarms = [alarm for alarm in self._alarms if alarm.at > now]
            if not self._alarms:
                self._some.clear()
        return due


#: The one of this process.
WATCHDOG: Final = Watchdog()
