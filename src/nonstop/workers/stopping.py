"""How a worker is asked to stop: by SIGTERM or Ctrl-C in its process, or by the thread that runs it.

A signal never interrupts a transaction or a proposal: those take milliseconds, and the worker checks its StopFlag
after each. A signal does interrupt the objective, which may take hours, by raising StopRequested inside it, and again
if the objective catches that and goes on. Processes that the objective forks have the handlers that were there before.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final, NoReturn

from nonstop.errors import NonstopError

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
#: Seconds until a request is repeated that an objective caught.
REPEAT: Final = 1.0


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
        #: Did a signal interrupt what ran in the latest `with interruptible()`?
        self.interrupted = False
        #: Did the parent of this worker ask for no further trial?
        self.enough: Callable[[], bool] = lambda: False
        self._armed = False
        self._repeating = threading.Lock()

    @property
    def is_set(self) -> bool:
        """Was a stop requested?"""
        return self.requests > 0 or self.enough()

    def set(self) -> None:
        """Request a stop without a signal: it takes effect after the current evaluation."""
        self.requests += 1

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """The signal handler. It runs in the main thread between two bytecodes, so it must not take a lock."""
        self.signal = number
        self.requests += 1
        if self._armed and not is_handling(StopRequested):  # a second signal must not interrupt the cleanup
            if not self.interrupted:
                self.interrupted = True
                with suppress(RuntimeError):  # no thread can start: then the next signal repeats the request
                    _thread.start_new_thread(self._repeat, (number,))
            raise StopRequested

    def _repeat(self, number: int) -> None:
        """Send the signal again and again, for as long as the objective does not end."""
        while True:
            time.sleep(REPEAT)
            with self._repeating:
                if not self._armed:
                    return
                signal.pthread_kill(threading.main_thread().ident or 0, number)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, a signal raises StopRequested at once; a flag that is already set raises it on entry."""
        try:
            self.interrupted = False
            self._armed = True
            if self.is_set:
                raise StopRequested
            yield
        finally:
            self._armed = False
            with self._repeating:  # a signal that is being sent arrives while the handler is still ours
                _reinstall(self)

    def disarm_in_child(self) -> None:
        """In a forked child: it is not to stop."""
        self._armed = False
        self._repeating = threading.Lock()

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


def is_handling(kind: type[BaseException]) -> bool:
    """Is this thread in an `except` or `finally` block that such an exception led to?"""
    error = sys.exception()
    while error is not None and not isinstance(error, kind):
        error = error.__context__
    return error is not None


#: The flags whose handlers are installed, outermost first, each with the handlers that were there before.
_INSTALLED: list[tuple[StopFlag, dict[signal.Signals, Any]]] = []


@contextmanager
def stop_on_signals() -> Iterator[StopFlag]:
    """A flag that SIGTERM and Ctrl-C set if this is the main thread; in other threads only set() sets it."""
    stop = StopFlag()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    _INSTALLED.append((stop, before))
    for number in SIGNALS:
        signal.signal(number, stop.on_signal)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            _restore(number, handler)
        _INSTALLED.remove((stop, before))


def _reinstall(stop: StopFlag) -> None:
    """Handlers that an objective installs are its own until it ends; afterwards the run must be stoppable again."""
    if any(flag is stop for flag, _ in _INSTALLED):
        for number in SIGNALS:
            if signal.getsignal(number) != stop.on_signal:
                signal.signal(number, stop.on_signal)


def _restore(number: int, handler: Any) -> None:
    # None: the handler was not installed from Python, and cannot be restored.
    signal.signal(number, signal.SIG_DFL if handler is None else handler)


class _Masks(threading.local):
    """The signal masks of this thread before each fork that is under way."""

    def __init__(self) -> None:
        self.before: list[set[int]] = []

    def block(self) -> None:
        """A signal that reached the child before its handlers are restored would be lost."""
        self.before.append(signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS if _INSTALLED else ()))

    def restore(self) -> None:
        """As it was before block()."""
        if self.before:
            signal.pthread_sigmask(signal.SIG_SETMASK, self.before.pop())

    def restore_in_child(self) -> None:
        """A process that was forked is no worker: a signal is to end it as if there were none."""
        while _INSTALLED:
            stop, before = _INSTALLED.pop()
            stop.disarm_in_child()
            for number, handler in before.items():
                if signal.getsignal(number) == stop.on_signal:  # else it is the objective's own
                    _restore(number, handler)
        self.restore()


_MASKS = _Masks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _MASKS.block(),
        after_in_parent=lambda: _MASKS.restore(),
        after_in_child=lambda: _MASKS.restore_in_child(),
    )


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Inside, Ctrl-C is blocked; a process started here inherits that, until it calls unblock_signals().

    Only Ctrl-C: SIGTERM ends a process that has only just started without a word, and threads that start while it
    imports its script would keep it blocked, for themselves and for all processes that they start.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock_signals() -> None:
    """Deliver the signals that were blocked."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


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
