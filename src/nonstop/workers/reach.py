"""How a worker calls its storage: while it is out of reach, the worker waits for it for as long as the run may last.

A result that is being handed in is kept in a file meanwhile (nonstop.workers.unsent), and only then may a signal
interrupt the wait: nothing that was evaluated is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from nonstop.clock import Clock
from nonstop.errors import OutOfReachError, StorageError
from nonstop.storage.watchdog import WATCHDOG
from nonstop.trials.messages import Report
from nonstop.types import Params
from nonstop.workers.stopping import StopFlag, StopRequested
from nonstop.workers.unsent import LOG, Unsent, described

T = TypeVar("T")
#: Seconds after which a result is kept in a file, and after which the user is told.
KEEP_AFTER: Final = 1.0
SAY_AFTER: Final = 10.0
#: Seconds between the end of one call, which retries by itself, and the next.
_PAUSE: Final = 0.25


class Reach:
    """Calls the storage for one worker."""

    def __init__(self, worker: str, unsent: Unsent, stop: StopFlag, clock: Clock, is_late: Callable[[], bool]) -> None:
        self._worker = worker
        self._unsent = unsent
        self._stop = stop
        self._clock = clock
        self._is_late = is_late
        self._said = False
        #: What is being handed in, with its params.
        self.report: tuple[Report, Params] | None = None
        #: The file in which it is kept, if it is.
        self.kept: Path | None = None
        #: Did the latest call end without an answer?
        self.lost = False

    def __call__(self, call: Callable[[], T]) -> T:
        """The answer of the storage, however long that takes; OutOfReachError only once the run is over."""
        self.lost = False
        try:
            with WATCHDOG.after(KEEP_AFTER, self._wait), WATCHDOG.after(SAY_AFTER, self._say):
                answer = self._repeated(call)
        except (StorageError, StopRequested):
            self.lost = True
            raise
        finally:
            self._stop.disarm()
        self._answered()
        return answer

    def _repeated(self, call: Callable[[], T]) -> T:
        while True:
            try:
                return call()
            except OutOfReachError:
                if self._is_late():
                    raise
            self._clock.sleep(_PAUSE)

    def keep(self) -> Path | None:
        """Keep what is being handed in: the file, or None if there is nothing, or if that is impossible."""
        if self.report is not None and self.kept is None:
            self.kept = self._unsent.keep(*self.report)
        return self.kept

    def _wait(self) -> None:
        """In the watchdog's thread: from now on the wait may be interrupted, but not at the cost of a result."""
        if self.report is None or self.keep() is not None:
            self._stop.interrupt_from_now_on()

    def _say(self) -> None:
        self._said = True
        where = "" if self.report is None else f"; {described(self.report[0])} is kept in {self.kept}"
        LOG.warning("%s: the storage does not answer, waiting for it%s", self._worker, where)

    def _answered(self) -> None:
        if self.kept is not None and self.report is not None:
            self._unsent.forget(self.report[0])
        self.report = self.kept = None
        if self._said:
            self._said = False
            LOG.warning("%s: the storage answers again", self._worker)
