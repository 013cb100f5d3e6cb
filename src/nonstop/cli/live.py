"""A run while it runs: a live panel in a terminal, plain lines elsewhere. A thread looks at the storage; nobody waits.

The panel is the board's only reader, so what is shown comes from the storage and is true for every engine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError
from nonstop.history.board import Board, Lane
from nonstop.study import Study
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import assignments, duration, scalar, share

#: Seconds between two looks at the storage, and between two plain lines.
LOOK, LINE = 0.25, 1.0


class Display(Protocol):
    """Shows a board as often as it is asked to; with `last`, for the last time."""

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None: ...


class Watch(AbstractContextManager["Watch"]):
    """Looks at a study and shows it, from entry to exit. Trouble with the storage is left to the run itself."""

    def __init__(self, study: Study, display: Display, clock: Clock | None = None) -> None:
        self.board = Board(study.spec.sign, study.trials)
        self._storage = study.storage
        self._id = study.id
        self._display = display
        self._clock = clock or WallClock()
        self._began = self._clock.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="nonstop-live", daemon=True)

    @property
    def elapsed(self) -> float:
        return self._clock.monotonic() - self._began

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            self._look()
            self._over.wait(LOOK)
        self._look(last=True)

    def _look(self, last: bool = False) -> None:
        with suppress(StorageError):
            self.board.apply(self._storage.exchange(self._id, self.board.cursor))
        self._display.show(self.board, self.elapsed, self._clock.now(), last)


class Silence:
    """--quiet."""

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        pass


class Lines:
    """A line for each new incumbent; besides, one when something was finished, at most one a second, and the end."""

    def __init__(self, write: Callable[[str], None], budget: int | None) -> None:
        self._write = write
        self._budget = budget
        self._incumbent: Trial | None = None
        self._finished: int | None = None
        self._last = -LINE

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        time = f"[{duration(elapsed):>7}]"
        finished = board.counts.completed + board.counts.failed
        best = board.incumbent
        if best is not None and best != self._incumbent:
            self._incumbent = best
            self._write(f"{time} best {scalar(best.value)} at trial {best.number}: {assignments(best.params)}")
        if finished != self._finished and (last or elapsed - self._last >= LINE):
            self._finished, self._last = finished, elapsed
            self._write(f"{time} {progress(board, self._budget)}{_evaluating(board, now)}")


class Panel(AbstractContextManager["Panel"]):
    """The live panel: one lane for each worker, the incumbent, the budget."""

    def __init__(self, console: Console, title: str, budget: int | None) -> None:
        self._title = title
        self._budget = budget
        self._live = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )

    def __enter__(self) -> Panel:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:  # noqa: ARG002
        height = self._live.console.size.height
        self._live.update(self.render(board, elapsed, now, lanes=max(1, height - 6)), refresh=True)

    def render(self, board: Board, elapsed: float, now: float, lanes: int = 100) -> RenderableType:
        head = Text.assemble((self._title, "bold"), f"  {duration(elapsed)}", (_evaluating(board, now), "green"))
        bar = Table.grid(padding=(0, 1))
        if self._budget is not None:
            done = min(board.counts.completed, self._budget)
            bar.add_row(ProgressBar(total=self._budget, completed=done, width=30), progress(board, self._budget))
        else:
            bar.add_row(progress(board, None))
        return Group(head, bar, _incumbent_line(board.incumbent), _lanes(board, now, lanes))


def progress(board: Board, budget: int | None) -> str:
    """12 of 40 done, 4 running, 1 failed"""
    counts = board.counts
    done = f"{counts.completed} of {budget} done" if budget is not None else f"{counts.completed} done"
    parts = [done, f"{counts.running + counts.proposing} running", f"{counts.failed} failed"]
    return ", ".join(parts + ([f"{counts.waiting} waiting"] if counts.waiting else []))


def _evaluating(board: Board, now: float) -> str:
    part = board.utilisation(now)
    return "" if part is None else f", {share(part)} of the time evaluating"


def _incumbent_line(best: Trial | None) -> Text:
    if best is None:
        return Text("no result yet", style="dim")
    what = f" at trial {best.number}: {assignments(best.params)}"
    return Text.assemble("best ", (scalar(best.value), "bold green"), what, overflow="ellipsis", no_wrap=True)


def _lanes(board: Board, now: float, most: int) -> RenderableType:
    table = Table.grid(padding=(0, 2), expand=True)
    for _ in range(4):
        table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)  # the params give way first
    if not board.lanes:
        return Text("workers are starting", style="dim")
    lanes = [board.lanes[name] for name in sorted(board.lanes)]
    for lane in lanes[:most]:
        table.add_row(*_lane(lane, now))
    if len(lanes) > most:
        table.add_row(Text(f"and {len(lanes) - most} more", style="dim"))
    return table


def _lane(lane: Lane, now: float) -> tuple[RenderableType, ...]:
    trial = lane.trial
    done = Text(f"{lane.completed} done" + (f", {lane.failed} failed" if lane.failed else ""), style="dim")
    if trial is None:
        return lane.worker, Text("idle", style="dim"), "", done, ""
    if trial.state is TrialState.PROPOSING:
        since, doing = trial.asked_at, Text(f"proposing trial {trial.number}", style="yellow")
    else:
        since, doing = trial.started_at, Text(f"evaluating trial {trial.number}", style="cyan")
    age = "" if since is None else duration(max(now - since, 0.0))
    return lane.worker, doing, age, done, Text(assignments(trial.params), style="dim")
