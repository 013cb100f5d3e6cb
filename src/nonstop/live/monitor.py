"""Follow a run: poll its storage in a thread, and show what is new.

Workers never wait for the display, and the display is the same for every engine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError, StudyError
from nonstop.history.board import Board
from nonstop.live.words import leaders, progress, speed
from nonstop.storage.contract import Storage
from nonstop.trials.trial import Trial
from nonstop.wording import duration

#: Seconds between two polls of the storage, and between two plain lines.
POLL_INTERVAL, LINE_INTERVAL = 0.25, 1.0
#: Seconds that the end of a run waits for the last look at its storage.
PATIENCE = 5.0


class Display(Protocol):
    """Shows the state of a run."""

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        """Show the board `elapsed` seconds after the start; `last` marks the final call."""


class Monitor(AbstractContextManager["Monitor"]):
    """Polls a study from entry to exit, and shows it. Storage errors are ignored: the run itself reports them.

    `on_changes` is called with every change once, in order.
    """

    def __init__(
        self,
        storage: Storage,
        study: int,
        board: Board,
        display: Display,
        clock: Clock | None = None,
        on_changes: Callable[[Sequence[Trial]], None] = lambda _changes: None,
        patience: float = PATIENCE,
    ) -> None:
        self.board = board
        self._storage = storage
        self._study = study
        self._display = display
        self._on_changes = on_changes
        self._clock = clock or WallClock()
        self._began = self._clock.monotonic()
        self._over = threading.Event()
        self._patience = patience
        self._left = False
        self._thread = threading.Thread(target=self._run, name="nonstop-live", daemon=True)

    @property
    def elapsed(self) -> float:
        """Seconds since this object was created."""
        return self._clock.monotonic() - self._began

    def __enter__(self) -> Monitor:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(self._patience)
        self._left = True  # the thread waits for a storage that does not answer: it may, but not the user

    def _run(self) -> None:
        while not self._over.is_set():
            self._poll()
            self._over.wait(POLL_INTERVAL)
        self._poll(last=True)

    def _poll(self, last: bool = False) -> None:
        with suppress(StorageError, StudyError):  # StudyError: it was deleted
            answer = self._storage.exchange(self._study, self.board.cursor)
            self.board.apply(answer)
            if not self._left:
                self._on_changes(answer.changes)
        if self._left:
            return
        self._display.show(self.board, self.elapsed, self._clock.now(), last)


class NoDisplay:
    """Shows nothing."""

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        """Do nothing."""


class Lines:
    """A line for each new best result, at most one a second when trials finish, and one at the end."""

    def __init__(self, write: Callable[[str], None], budget: int | None) -> None:
        self._write = write
        self._budget = budget
        self._front: list[Trial] = []
        self._finished: int | None = None
        self._last = -LINE_INTERVAL

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        """Write lines for what is new."""
        time = f"[{duration(elapsed):>7}]"
        finished = board.counts.completed + board.counts.failed
        if board.front and board.front[-1:] != self._front[-1:]:
            self._front = board.front
            self._write(f"{time} {leaders(board.front, board.goals)}")
        if finished != self._finished and (last or elapsed - self._last >= LINE_INTERVAL):
            self._finished, self._last = finished, elapsed
            self._write(f"{time} {', '.join([progress(board, self._budget), *speed(board, self._budget, now)])}")
