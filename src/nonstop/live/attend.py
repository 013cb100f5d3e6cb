"""What optimize() does around a run besides running it: keep its budget, show its progress, log its begin and end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from nonstop.errors import StudyError
from nonstop.history.board import Board
from nonstop.live.callbacks import Callbacks
from nonstop.live.ending import ending, nothing_left
from nonstop.live.log import RUNS, RunLog, is_wanted
from nonstop.live.monitor import Display, Lines, Monitor, NoDisplay
from nonstop.live.notebook import NotebookLine, in_notebook
from nonstop.live.words import leaders
from nonstop.storage.contract import Storage
from nonstop.trials.best import front_of
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.trials.until import Until
from nonstop.wording import visible
from nonstop.workers.worker import Task


@dataclass(frozen=True, slots=True)
class Run:
    """What is run, and how far."""

    storage: Storage
    #: The id of the study.
    study: int
    name: str
    spec: Spec
    #: Its trials when the run begins.
    trials: Sequence[Trial]
    n_trials: int | None
    until: Until | None


@contextmanager
def attended(task: Task, name: str, trials: Sequence[Trial], callbacks: Callbacks) -> Iterator[None]:
    """Around the run of a task of the study of that name, which has these trials."""
    run = Run(task.storage, task.study, name, task.spec, trials, task.terms.n_trials, task.terms.until)
    show = callbacks.shows
    _keep_budget(run)
    nothing = nothing_left(run.name, run.n_trials, run.until, run.spec.goals, run.trials)
    if nothing:
        RUNS.warning("%s", visible(nothing))
    RUNS.info("study %r: a run begins with %d trials%s", run.name, len(run.trials), _limits(run))
    logged = is_wanted()
    with ExitStack() as stack:
        display = NoDisplay() if show is False or nothing else _display(run, show, stack)
        if logged or not isinstance(display, NoDisplay):
            log = RunLog(run.name, run.spec.goals, run.trials)
            board = Board(run.spec.goals, run.trials)
            on_changes = log.apply if logged else _ignore
            stack.enter_context(Monitor(run.storage, run.study, board, display, on_changes=on_changes))
        try:
            yield
        except BaseException as error:
            RUNS.info("study %r: the run ended by %s", run.name, type(error).__name__)
            raise
    if logged:
        _log_end(run, callbacks)


def _keep_budget(run: Run) -> None:
    """The budget of the latest run stays with the study, for people to see how far it is."""
    if run.n_trials is None:
        return
    with suppress(StudyError):  # it was renamed meanwhile
        record = run.storage.load_study(run.name)
        if record.id == run.study and record.budget == run.n_trials:
            return
    run.storage.set_budget(run.study, run.n_trials)


def _limits(run: Run) -> str:
    budget = "" if run.n_trials is None else f", budget {run.n_trials} results"
    return budget if run.until is None else f"{budget}, until {run.until}"


def _ignore(_changes: Sequence[Trial]) -> None:
    """Where nobody reads the log."""


def _log_end(run: Run, callbacks: Callbacks) -> None:
    exchange = run.storage.exchange(run.study, 0)
    why = ending(run.n_trials, run.until, run.spec.goals, exchange.changes, callbacks.enough)
    counts, front = exchange.counts, front_of(exchange.changes, run.spec.goals)
    done = f"{counts.completed} completed, {counts.failed} failed, {leaders(front, run.spec.goals)}"
    RUNS.info("study %r: the run ended, as %s: %s", run.name, why, done)


def _display(run: Run, asked: bool | None, stack: ExitStack) -> Display:
    """A line that is redrawn in a terminal or a notebook; elsewhere nothing, or plain lines if they were asked for."""
    if not asked and _is_automatic():
        return NoDisplay()
    if in_notebook():
        return NotebookLine(run.name, run.n_trials)
    if sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console

        from nonstop.live.panel import Line

        return stack.enter_context(Line(Console(stderr=True), run.n_trials))
    return Lines(_write, run.n_trials) if asked else NoDisplay()


def _is_automatic() -> bool:
    """Does a machine run this, and nobody look?"""
    return bool(os.environ.get("CI") or os.environ.get("PYTEST_CURRENT_TEST"))


def _write(line: str) -> None:
    print(visible(line), file=sys.stderr, flush=True)
