"""The board, and its display in the terminal, from made-up changes."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from nonstop.dashboard.status import StudyStatus
from nonstop.history.board import Board
from nonstop.live.monitor import Lines
from nonstop.live.panel import Panel
from nonstop.trials.messages import Counts, Exchange
from nonstop.trials.trial import Trial, TrialState
from tests.helpers.goals import MAXIMIZE, MINIMIZE

NONE = Trial(0, TrialState.PROPOSING, worker="anna", asked_at=100.0, sequence=1)
RUNNING = replace(NONE, state=TrialState.RUNNING, params={"x": 0.5}, started_at=101.0, sequence=2)
DONE = replace(RUNNING, state=TrialState.COMPLETED, value=3.0, order=1, finished_at=104.0, sequence=3)


def told(board: Board, *trials: Trial, counts: Counts | None = None) -> Board:
    cursor = max(trial.sequence for trial in trials)
    board.apply(Exchange(trials, cursor, version=0, counts=counts or Counts()))
    return board


def rendered(board: Board, now: float, most: int = 100, budget: int | None = 4) -> str:
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(Panel(console, "demo", budget).render(board, 12.0, now, most))
    return console.export_text()


def test_a_worker_from_asking_to_its_result() -> None:
    board = told(Board(MINIMIZE), NONE)
    assert board.workers["anna"].trial == NONE
    assert told(board, RUNNING).utilisation(now=105.0) == 4.0 / 5.0
    told(board, DONE)
    assert board.workers["anna"].trial is None
    assert (board.workers["anna"].completed, board.front, board.cursor) == (1, [DONE], 3)
    assert board.utilisation(now=1000.0) == 3.0 / 4.0, "a finished worker does not become idle"


def test_the_incumbent_follows_the_direction() -> None:
    trials = [replace(DONE, number=n, value=value, sequence=n + 3) for n, value in enumerate([3.0, 1.0, 2.0, 1.0])]
    (smallest,), (largest,) = (told(Board(goals), *trials).front for goals in (MINIMIZE, MAXIMIZE))
    assert (smallest.number, largest.number) == (1, 0), "the earliest of equals"


def test_a_trial_that_was_taken_over_belongs_to_one_worker() -> None:
    board = told(Board(MINIMIZE), RUNNING)
    told(board, replace(RUNNING, state=TrialState.WAITING, worker=None, attempt=2, sequence=3))
    assert board.workers["anna"].trial is None
    told(board, replace(RUNNING, worker="berta", attempt=2, asked_at=110.0, started_at=110.0, sequence=4))
    assert [worker.trial is not None for worker in board.workers.values()] == [False, True]


def test_a_trial_that_was_revived_is_no_failure_any_more() -> None:
    failed = replace(DONE, state=TrialState.FAILED, value=None, order=None, reason="no heartbeat")
    revived = replace(DONE, reason=failed.reason, undone=failed.sequence, finished_at=110.0, sequence=4)
    for board in (told(told(Board(MINIMIZE), failed), revived), told(Board(MINIMIZE), revived)):
        assert (board.workers["anna"].completed, board.workers["anna"].failed) == (1, 0)
    status = StudyStatus(MINIMIZE)
    status.apply(Exchange((failed,), 3, version=0, counts=Counts(failed=1)))
    assert status.as_json()["failures"] == [{"reason": "no heartbeat", "count": 1}]
    status.apply(Exchange((revived,), 4, version=1, counts=Counts(completed=1)))
    assert status.as_json()["failures"] == []


def test_what_was_there_before_counts_for_the_incumbent_only() -> None:
    board = Board(MINIMIZE, [DONE])
    assert (board.front, board.workers, board.cursor) == ([DONE], {}, 3)
    assert board.utilisation(now=5.0) is None


def test_the_panel() -> None:
    board = told(Board(MINIMIZE), DONE, counts=Counts(completed=1, running=1, failed=2, waiting=1))
    told(board, replace(RUNNING, number=1, sequence=4), counts=board.counts)
    told(board, replace(NONE, number=2, worker="berta", sequence=5), counts=board.counts)
    told(
        board,
        replace(DONE, number=3, worker="carla", state=TrialState.FAILED, value=None, sequence=6),
        counts=board.counts,
    )
    shown = rendered(board, now=106.0).splitlines()
    assert shown[0].startswith("demo  12 s, ")
    assert shown[1].endswith(" 1 of 4 done (25 %), 1 running, 2 failed, 1 waiting")
    assert shown[2] == "best 3 at trial 0: x=0.5"
    assert shown[3].split() == ["anna", "evaluating", "trial", "1", "5.0", "s", "1", "done", "x=0.5"]
    assert shown[4].split() == ["berta", "proposing", "trial", "2", "6.0", "s", "0", "done"]
    assert shown[5].split() == ["carla", "idle", "0", "done,", "1", "failed"]
    assert rendered(board, now=106.0, most=2).splitlines()[-1].rstrip() == "and 1 more"


def test_the_panel_before_anything_happened_and_without_a_budget() -> None:
    shown = rendered(Board(MINIMIZE), now=0.0, budget=None)
    assert "0 done, 0 running, 0 failed" in shown
    assert "no result yet" in shown
    assert "workers are starting" in shown


def test_lines_are_few() -> None:
    said: list[str] = []
    lines, board = Lines(said.append, budget=50), Board(MINIMIZE)
    for n in range(40):  # ten results a second, every twentieth of them better
        value = -float(n // 20)
        told(board, replace(DONE, number=n, value=value, sequence=n + 1), counts=Counts(completed=n + 1))
        lines.show(board, elapsed=n / 10, now=110.0)
    incumbents = [line for line in said if "best" in line]
    assert incumbents == ["[  0.0 s] best -0 at trial 0: x=0.5", "[  2.0 s] best -1 at trial 20: x=0.5"]
    assert [line.split("]")[0] for line in said if "done" in line] == ["[  0.0 s", "[  1.0 s", "[  2.0 s", "[  3.0 s"]
    lines.show(board, elapsed=3.95, now=110.0, last=True)
    assert "40 of 50 done" in said[-1], "there is always a line at the end"
