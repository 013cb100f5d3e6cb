"""How a worker is asked to end: SIGTERM or Ctrl-C in its process, or a pull from the thread that runs it.

A signal never interrupts a transaction or a proposal: those take milliseconds, and end with a look at the brake. It
interrupts what may take hours, the objective, by raising Stop there.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Stop(BaseException):
    """The process is asked to end. No Exception, so that an objective's `except Exception` lets it pass."""


class Brake:
    """Once pulled, it stays pulled; `signal` says by which signal, if it was one."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.pulls = 0
        self._armed = False

    @property
    def pulled(self) -> bool:
        return self.pulls > 0

    def pull(self) -> None:
        self.pulls += 1

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """The handler. It runs in the main thread between two bytecodes, so it must take no lock."""
        self.signal = number
        self.pulls += 1
        if self._armed:
            self._armed = False  # a second signal must not interrupt the cleaning up
            raise Stop

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, a signal raises Stop at once; a brake that is already pulled raises it on entry."""
        try:
            self._armed = True
            if self.pulled:
                raise Stop
            yield
        finally:
            self._armed = False

    def end_process(self) -> NoReturn:
        """After cleaning up, end as the signal asked for: Ctrl-C as KeyboardInterrupt, SIGTERM as the usual exit."""
        if self.signal == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + (self.signal or signal.SIGTERM))


@contextmanager
def braked_by_signals() -> Iterator[Brake]:
    """A brake that SIGTERM and Ctrl-C pull, in a main thread; elsewhere one that only pull() pulls."""
    brake = Brake()
    if threading.current_thread() is not threading.main_thread():
        yield brake
        return
    before = {number: signal.signal(number, brake.on_signal) for number in SIGNALS}
    try:
        yield brake
    finally:
        for number, handler in before.items():
            # None: the handler was not installed from Python, and cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def stop_when_orphaned() -> None:
    """Send this process a SIGTERM when the one that started it is gone: a run must not outlive its owner."""
    parent = os.getppid()

    def watch() -> None:
        pause = threading.Event()
        while os.getppid() == parent:
            pause.wait(1.0)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="nonstop-orphan", daemon=True).start()
