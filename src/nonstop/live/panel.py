"""The live displays of a terminal, drawn by Rich: a panel with a row for each worker, and a single line."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from nonstop.history.board import Board, WorkerState
from nonstop.live.words import done, leader, leaders, progress, speed, under_way
from nonstop.trials.trial import TrialState
from nonstop.wording import assignments, duration, visible


class Panel(AbstractContextManager["Panel"]):
    """The live panel: the best result or the front, the budget, and a row for each worker."""

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
        said = "".join(f", {words}" for words in reversed(speed(board, self._budget, now)))  # the time left first
        head = Text.assemble((self._title, "bold"), f"  {duration(elapsed)}", (said, "green"), overflow="ellipsis")
        head.no_wrap = True
        bar = Table.grid(padding=(0, 1))
        if self._budget is not None:
            bar.add_row(_bar(board, self._budget, 30), progress(board, self._budget))
        else:
            bar.add_row(progress(board, None))
        return Group(head, bar, _best_line(board), _workers(board, now, most))


class Line(AbstractContextManager["Line"]):
    """One line, for a program that prints other things, too: the bar, how long it takes, and the best value first. It
    stays when the run is over."""

    def __init__(self, console: Console, budget: int | None) -> None:
        self._budget = budget
        # What is printed goes above the line, but where stdout is a file, it stays in the file.
        above = sys.stdout.isatty()
        self._live = Live(console=console, auto_refresh=False, redirect_stdout=above, vertical_overflow="crop")

    def __enter__(self) -> Line:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, board: Board, elapsed: float, now: float, last: bool = False) -> None:
        """Redraw the line."""
        self._live.update(self.render(board, elapsed, now, last), refresh=True)

    def render(self, board: Board, elapsed: float, now: float, last: bool = False) -> RenderableType:
        """The bar and its text; in a narrow terminal, the end of the text is left out."""
        grid = Table.grid(padding=(0, 1))
        left = board.pace(self._budget, now).time_left
        first = [done(board, self._budget), f"in {duration(elapsed)}" if last else left]
        rest = [under_way(board), *(words for words in speed(board, self._budget, now) if words != left)]
        text = Text(", ".join(words for words in first if words))
        if board.front:
            what, value = leader(board.front, board.goals)
            text.append(f", {what} ").append(value, "bold green")
        text.append(f", {', '.join(rest)}")
        text.no_wrap, text.overflow = True, "ellipsis"
        if self._budget is None:
            grid.add_row(text)
        else:
            grid.add_row(_bar(board, self._budget, 20), text)
        return grid


def _bar(board: Board, budget: int, width: int) -> ProgressBar:
    part = min(board.counts.completed, budget) if budget else 1
    return ProgressBar(total=max(budget, 1), completed=part, width=width)


def _best_line(board: Board) -> Text:
    if not board.front:
        return Text("no result yet", style="dim")
    what, value = leader(board.front, board.goals)
    rest = leaders(board.front, board.goals).removeprefix(f"{what} {value}")
    return Text.assemble(f"{what} ", (value, "bold green"), rest, overflow="ellipsis", no_wrap=True)


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
