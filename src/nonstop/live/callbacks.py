"""The user's functions, called in the process and the thread of optimize(): for each result, and regularly."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nonstop.clock import Clock, WallClock
from nonstop.engines.supervision import TICK, Ticker
from nonstop.errors import OutOfReachError
from nonstop.storage.contract import Storage
from nonstop.trials.trial import Trial


class Callbacks:
    """What a run calls back. A function that raises ends the run as Ctrl-C does, and is not called again."""

    def __init__(
        self,
        storage: Storage,
        study: int,
        cursor: int,
        on_result: Callable[[Trial], object] | None = None,
        progress: Callable[[], object] | None = None,
        clock: Clock | None = None,
    ) -> None:
        #: Did study.stop() ask for no further trial?
        self.enough = False
        self._storage = storage
        self._study = study
        self._cursor = cursor
        self._on_result = on_result
        self._progress = progress
        self._clock = clock or WallClock()
        self._due = self._clock.monotonic()
        self._raised = False

    def ticker(self) -> Ticker:
        """Calls back as often as is needed: for results whenever there may be one, else every TICK seconds."""
        return Ticker(self._tick, TICK if self._on_result is None else 0.0)

    def _tick(self, last: bool) -> bool:
        if self._raised:
            return True
        self._raised = True  # until all have returned
        self._tell_results()
        if self._progress is not None and (last or self._clock.monotonic() >= self._due):
            self._progress()
            self._due = self._clock.monotonic() + TICK
        self._raised = False
        return self.enough

    def _tell_results(self) -> None:
        if self._on_result is None:
            return
        try:
            answer = self._storage.exchange(self._study, self._cursor)
        except OutOfReachError:  # they come with a later look
            return
        self._cursor = answer.cursor
        for trial in _results(answer.changes):
            self._on_result(trial)


def _results(changes: Iterable[Trial]) -> Iterable[Trial]:
    """In the order in which they came: changes are."""
    return (trial for trial in changes if trial.state.finished)
