"""Progress of a run: a live panel in a terminal, plain lines elsewhere.

A thread polls the storage, so workers never wait for the display, and the display is the same for every engine.
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
from nonstop.history.board import Board, WorkerState
from nonstop.study import Study
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import assignments, duration, scalar, share, visible

#: Seconds between two polls of the storage, and between two plain lines.
POLL_INTERVAL, LINE_INTERVAL = 0.25, 1.0


class Display(Protocol):
    """Shows the state of a run."""

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        """Show the board `elapsed` seconds after the start; `last` marks the final call."""


class Monitor(AbstractContextManager["Monitor"]):
    """Polls a study and shows it, from entry to exit. Storage errors are ignored: the run itself reports them."""

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
        """Seconds since this object was created."""
        return self._clock.monotonic() - self._began

    def __enter__(self) -> Monitor:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            self._poll()
            self._over.wait(POLL_INTERVAL)
        self._poll(last=True)

    def _poll(self, last: bool = False) -> None:
        with suppress(StorageError):
            self.board.apply(self._storage.exchange(self._id, self.board.cursor))
        self._display.show(self.board, self.elapsed, self._clock.now(), last)


class NoDisplay:
    """For --quiet."""

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        """Do nothing."""


class Lines:
    """A line for each new incumbent, at most one a second when trials finish, and one at the end."""

    def __init__(self, write: Callable[[str], None], budget: int | None) -> None:
        self._write = write
        self._budget = budget
        self._incumbent: Trial | None = None
        self._finished: int | None = None
        self._last = -LINE_INTERVAL

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        """Write lines for what is new."""
        time = f"[{duration(elapsed):>7}]"
        finished = board.counts.completed + board.counts.failed
        best = board.incumbent
        if best is not None and best != self._incumbent:
            self._incumbent = best
            self._write(f"{time} best {scalar(best.value)} at trial {best.number}: {assignments(best.params)}")
        if finished != self._finished and (last or elapsed - self._last >= LINE_INTERVAL):
            self._finished, self._last = finished, elapsed
            self._write(f"{time} {progress(board, self._budget)}{_evaluating(board, now)}")


class Panel(AbstractContextManager["Panel"]):
    """The live panel: the incumbent, the budget, and a row for each worker."""

    def __init__(self, console: Console, title: str, budget: int | None) -> None:
        self._title = visible(title)
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
        """Redraw the panel, with as many workers as fit into the terminal."""
        height = self._live.console.size.height
        self._live.update(self.render(board, elapsed, now, most=max(1, height - 6)), refresh=True)

    def render(self, board: Board, elapsed: float, now: float, most: int = 100) -> RenderableType:
        """The content of the panel, with at most `most` workers."""
        head = Text.assemble((self._title, "bold"), f"  {duration(elapsed)}", (_evaluating(board, now), "green"))
        bar = Table.grid(padding=(0, 1))
        if self._budget is not None:
            done = min(board.counts.completed, self._budget)
            bar.add_row(ProgressBar(total=self._budget, completed=done, width=30), progress(board, self._budget))
        else:
            bar.add_row(progress(board, None))
        return Group(head, bar, _incumbent_line(board.incumbent), _workers(board, now, most))


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


def _workers(board: Board, now: float, most: int) -> RenderableType:
    table = Table.grid(padding=(0, 2), expand=True)
    for _ in range(4):
        table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)  # in a narrow terminal, params are shortened first
    if not board.workers:
        return Text("workers are starting", style="dim")
    workers = [board.workers[name] for name in sorted(board.workers)]
    for worker in workers[:most]:
        table.add_row(*_worker(worker, now))
    if len(workers) > most:
        table.add_row(Text(f"and {len(workers) - most} more", style="dim"))
    return table


def _worker(worker: WorkerState, now: float) -> tuple[RenderableType, ...]:
    trial, name = worker.trial, Text(visible(worker.name))  # as Text: Rich would read a string as markup
    done = Text(f"{worker.completed} done" + (f", {worker.failed} failed" if worker.failed else ""), style="dim")
    if trial is None:
        return name, Text("idle", style="dim"), "", done, ""
    if trial.state is TrialState.PROPOSING:
        since, doing = trial.asked_at, Text(f"proposing trial {trial.number}", style="yellow")
    else:
        since, doing = trial.started_at, Text(f"evaluating trial {trial.number}", style="cyan")
    age = "" if since is None else duration(max(now - since, 0.0))
    return name, doing, age, done, Text(assignments(trial.params), style="dim")
