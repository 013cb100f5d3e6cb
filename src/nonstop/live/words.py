"""The state of a run in words: the same in lines, panels and notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from nonstop.history.board import Board
from nonstop.history.pace import share_of_budget
from nonstop.outcomes.goals import Goals
from nonstop.trials.best import result_text, violated_by
from nonstop.trials.trial import Trial
from nonstop.wording import assignments, share


def progress(board: Board, budget: int | None) -> str:
    """12 of 40 done (30 %), 4 running, 1 failed"""
    return f"{done(board, budget)}, {under_way(board)}"


def done(board: Board, budget: int | None) -> str:
    """12 of 40 done (30 %)"""
    completed = board.counts.completed
    part = share_of_budget(completed, budget)
    return f"{completed} of {budget} done ({part})" if part else f"{completed} done"


def under_way(board: Board) -> str:
    """4 running, 1 failed"""
    counts = board.counts
    parts = [f"{counts.running + counts.proposing} running", f"{counts.failed} failed"]
    return ", ".join(parts + ([f"{counts.waiting} waiting"] if counts.waiting else []))


def evaluating(board: Board, now: float) -> str:
    """96.1 % of the time evaluating; empty if that is not known."""
    part = board.utilisation(now)
    return "" if part is None else f"{share(part)} of the time evaluating"


def speed(board: Board, budget: int | None, now: float) -> list[str]:
    """96.1 % of the time evaluating, 3.2 results a minute, about 12 min left: as far as that is known"""
    said = [evaluating(board, now), *board.pace(budget, now).words()]
    return [words for words in said if words]


def leaders(front: Sequence[Trial], goals: Goals) -> str:
    """best 0.397 at trial 12: x=0.5; of several objectives the latest result of the front, and how many are there"""
    what, value = leader(front, goals)
    at = f" at trial {front[-1].number}: {assignments(front[-1].params)}" if front else ""
    return f"{what} {value}{at}"


def leader(front: Sequence[Trial], goals: Goals) -> tuple[str, str]:
    """("best", "0.397"), ("front of 7 trials, latest", "error=0.1, latency=3.2") or, if nothing satisfies the
    constraints, ("nothing is feasible yet, closest", "error=0.1, memory=9 (violates memory)")"""
    if not front:
        return "best", "no result yet"
    value, violated = result_text(front[-1]), violated_by(front[-1], goals)
    if violated:
        return "nothing is feasible yet, closest", f"{value} (violates {', '.join(violated)})"
    if goals.several:
        return f"front of {len(front)} {'trial' if len(front) == 1 else 'trials'}, latest", value
    return "best", value
