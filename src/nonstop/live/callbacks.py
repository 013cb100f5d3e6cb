"""The user's functions, called in the process and the thread of optimize(): for each result, and regularly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from nonstop.arguments import flag_of
from nonstop.clock import Clock, WallClock
from nonstop.engines.supervision import TICK, Ticker
from nonstop.errors import OutOfReachError, StudyError
from nonstop.storage.contract import Storage
from nonstop.trials.trial import Trial
from nonstop.wording import shown

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who hears of a run."""

    #: Is called with each result.
    on_result: Callable[[Trial], object] | None = None
    #: Is called regularly.
    progress: Callable[[], object] | None = None
    #: Is the progress shown? None: where somebody is likely to look.
    shows: bool | None = None


def listeners_of(
    study: S, on_result: Callable[[S, Trial], object] | None, progress: bool | Callable[[S], object] | None
) -> Listeners:
    """Those that the arguments of optimize() name; StudyError if an argument is no function."""
    if on_result is not None and not callable(on_result):
        raise StudyError(f"on_result must be a function of the study and a trial, not {shown(on_result)}")
    listener = None if on_result is None else partial(on_result, study)
    shows = flag_of(progress)
    if progress is None or shows is not None:
        return Listeners(listener, shows=shows)
    if not callable(progress):
        raise StudyError(f"progress must be True, False or a function of the study, not {shown(progress)}")
    return Listeners(listener, partial(progress, study), shows=False)


class Callbacks:
    """What a run calls back. A function that raises ends the run as Ctrl-C does, and is not called again."""

    def __init__(
        self, storage: Storage, study: int, cursor: int, listeners: Listeners, clock: Clock | None = None
    ) -> None:
        #: Is the progress shown? None: where somebody is likely to look.
        self.shows = listeners.shows
        #: Did study.stop() ask for no further trial?
        self.enough = False
        self._storage = storage
        self._study = study
        self._cursor = cursor
        self._on_result = listeners.on_result
        self._progress = listeners.progress
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
