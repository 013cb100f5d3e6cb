"""How a worker is asked to stop: by SIGTERM or Ctrl-C in its process, or by the thread that runs it.

A signal never interrupts a transaction or a proposal: those take milliseconds, and the worker checks its StopFlag
after each. A signal does interrupt the objective, which may take hours, by raising StopRequested inside it.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

from nonstop.errors import NonstopError

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def check_platform(what: str, error: type[NonstopError]) -> None:
    """Signal masks, process groups and the like: what Windows has not, and what stopping processes safely needs."""
    if sys.platform == "win32":
        raise error(f"{what} need Linux or macOS; on Windows use workers=1 with a Python objective, or WSL")


class StopRequested(BaseException):
    """The process is asked to end. Not an Exception, so that an objective's `except Exception` does not catch it."""


class StopFlag:
    """Once set, it stays set; `signal` is the latest signal that set it, if any, and `requests` counts how often."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.requests = 0
        self._armed = False

    @property
    def is_set(self) -> bool:
        """Was a stop requested?"""
        return self.requests > 0

    def set(self) -> None:
        """Request a stop without a signal: it takes effect after the current evaluation."""
        self.requests += 1

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """The signal handler. It runs in the main thread between two bytecodes, so it must not take a lock."""
        self.signal = number
        self.requests += 1
        if self._armed:
            self._armed = False  # a second signal must not interrupt the cleanup
            raise StopRequested

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, a signal raises StopRequested at once; a flag that is already set raises it on entry."""
        try:
            self._armed = True
            if self.is_set:
                raise StopRequested
            yield
        finally:
            self._armed = False

    def interrupt_from_now_on(self) -> None:
        """For another thread: from now on, a signal raises StopRequested in the main thread, whatever it waits for."""
        self._armed = True
        if self.signal is not None:  # it came before
            signal.pthread_kill(threading.main_thread().ident or 0, self.signal)

    def disarm(self) -> None:
        """The end of what interrupt_from_now_on() began."""
        self._armed = False

    def forward_signal(self) -> None:
        """Raise SIGTERM again, for the original handler: in a process that others started, it is not only meant for the
        worker loop."""
        if self.signal == signal.SIGTERM:
            signal.raise_signal(signal.SIGTERM)

    def end_process(self) -> NoReturn:
        """After the cleanup, end as without our handler: Ctrl-C as KeyboardInterrupt, SIGTERM with exit code 143."""
        if self.signal == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + (self.signal or signal.SIGTERM))


@contextmanager
def stop_on_signals() -> Iterator[StopFlag]:
    """A flag that SIGTERM and Ctrl-C set if this is the main thread; in other threads only set() sets it."""
    stop = StopFlag()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, stop.on_signal) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            # None: the handler was not installed from Python, and cannot be restored.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Inside, signals are blocked; a process started here inherits that, until it calls unblock_signals()."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock_signals() -> None:
    """Deliver the signals that were blocked."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


@contextmanager
def interrupt_when(asked: Callable[[], bool], every: float = 0.5) -> Iterator[None]:
    """Inside, this process sends itself SIGINT, the signal of Ctrl-C, once asked() is true; never after the end."""
    over, lock = threading.Event(), threading.Lock()

    def watch() -> None:
        while not over.wait(every):
            with lock:
                if asked() and not over.is_set():
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                    return

    threading.Thread(target=watch, name="nonstop-stop", daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()
