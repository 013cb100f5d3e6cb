"""The state of a run in words: the same in lines, panels and notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from nonstop.history.board import Board
from nonstop.history.pace import share_of_budget
from nonstop.trials.best import result_text
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


def leaders(front: Sequence[Trial]) -> str:
    """0.397 at trial 12: x=0.5; of several the latest, and how many there are"""
    if not front:
        return "no result yet"
    best = front[-1]
    others = f", one of {len(front)} on the front" if len(front) > 1 else ""
    return f"{result_text(best)} at trial {best.number}{others}: {assignments(best.params)}"
