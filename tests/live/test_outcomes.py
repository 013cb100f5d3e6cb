"""Fronts and constraints in what a run shows: lines, panel, notebook, log."""

from __future__ import annotations

import io
import logging
from dataclasses import replace

import pytest
from rich.console import Console

import nonstop
from nonstop.history.board import Board
from nonstop.live.monitor import Lines
from nonstop.live.notebook import NotebookLine
from nonstop.live.panel import Line, Panel
from nonstop.live.words import leaders
from nonstop.outcomes.goals import Goals
from nonstop.trials.messages import Counts, Exchange
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Direction
from tests.helpers.goals import MINIMIZE

TWO = Goals.of("minimize", {"error": "minimize", "latency": "minimize"}, {"memory": "<= 8"})
ONE = Goals.of("minimize", {"error": "minimize"}, {"memory": "<= 8", "heat": "<= 60"})


def a_board(goals: Goals, *rows: tuple[float, ...]) -> Board:
    board = Board(goals)
    trials = []
    for number, row in enumerate(rows):
        told = dict(zip(goals.names, row, strict=True))
        trial = Trial(number, TrialState.COMPLETED, {"x": 0.5}, goals.value_of(told), order=number + 1)
        trials.append(replace(trial, outcomes=told if goals.named else {}, sequence=number + 1))
    board.apply(Exchange(tuple(trials), len(trials), len(trials), Counts(completed=len(trials))))
    return board


INFEASIBLE = a_board(TWO, (0.1, 3.0, 9.0))
FRONT = a_board(TWO, (0.5, 1.0, 7.0), (0.4, 2.0, 7.0), (0.6, 3.0, 7.0))
VIOLATED = a_board(ONE, (0.3, 9.0, 70.0))
FEASIBLE = a_board(ONE, (0.3, 9.0, 70.0), (0.5, 8.0, 60.0))

WORDS = [
    (Board(TWO), "best no result yet"),
    (
        INFEASIBLE,
        "nothing is feasible yet, closest error=0.1, latency=3, memory=9 (violates memory) at trial 0: x=0.5",
    ),
    (FRONT, "front of 2 trials, latest error=0.4, latency=2, memory=7 at trial 1: x=0.5"),
    (a_board(TWO, (0.5, 1.0, 7.0)), "front of 1 trial, latest error=0.5, latency=1, memory=7 at trial 0: x=0.5"),
    (
        VIOLATED,
        "nothing is feasible yet, closest error=0.3, memory=9, heat=70 (violates memory, heat) at trial 0: x=0.5",
    ),
    (FEASIBLE, "best error=0.5, memory=8, heat=60 at trial 1: x=0.5"),
    (a_board(MINIMIZE, (0.25,)), "best 0.25 at trial 0: x=0.5"),
]


@pytest.mark.parametrize(("board", "said"), WORDS)
def test_what_is_best_in_words(board: Board, said: str) -> None:
    assert leaders(board.front, board.goals) == said


@pytest.mark.parametrize(("board", "said"), WORDS[1:])
def test_every_display_says_it(board: Board, said: str) -> None:
    written: list[str] = []
    Lines(written.append, 10).show(board, 1.0, 1.0)
    assert written[0].endswith(f"] {said}")
    assert NotebookLine("demo", 10).text(board, 1.0, 1.0).endswith(f"; {said}")
    assert said in NotebookLine("demo", 10).render(board, 1.0, 1.0)
    panel, line = _drawn(Panel(_console(), "demo", 10).render(board, 1.0, 1.0)), ""
    assert said in panel
    line = _drawn(Line(_console(), 10).render(board, 1.0, 1.0))
    assert said.partition(" at trial")[0] in line


def _console() -> Console:
    return Console(file=io.StringIO(), width=200, force_terminal=False)


def _drawn(what: object) -> str:
    console = _console()
    console.print(what)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_log_tells_of_every_trial_that_joins_the_front(caplog: pytest.LogCaptureFixture) -> None:
    goals: dict[str, Direction] = {"error": "minimize", "latency": "minimize"}
    study = nonstop.create_study(
        name="demo", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}), objectives=goals, initial=100
    )
    rows = iter([(0.5, 1.0), (0.4, 2.0), (0.6, 3.0), (0.1, 0.5)])
    with caplog.at_level(logging.DEBUG, "nonstop"):
        study.optimize(lambda _params: dict(zip(goals, next(rows), strict=True)), n_trials=4)
    said = [record.message for record in caplog.records if record.name == "nonstop.study"]
    joined = [line for line in said if "front of" in line and "ended" not in line]
    assert [line.partition(" at ")[0] for line in joined] == [
        "study 'demo': front of 1 trial, latest error=0.5, latency=1",
        "study 'demo': front of 2 trials, latest error=0.4, latency=2",
        "study 'demo': front of 1 trial, latest error=0.1, latency=0.5",
    ]
    assert "4 completed, 0 failed, front of 1 trial, latest error=0.1, latency=0.5 at trial 3" in said[-1]
