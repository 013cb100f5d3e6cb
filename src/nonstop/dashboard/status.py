"""The status of a study for the top of its page and for the list; an update costs in proportion to what changed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from nonstop.history.board import Board
from nonstop.outcomes.goals import Goals
from nonstop.trials.messages import Exchange
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import cause_of

_MOST_REASONS: Final = 8
#: Trials of a front that the page marks.
_MOST_FRONT: Final = 2000


class StudyStatus:
    """Counts, best trial, failures and rate of a study. Not thread-safe."""

    def __init__(self, goals: Goals) -> None:
        self._board = Board(goals)
        self._reasons: Counter[str] = Counter()
        self._began: float | None = None
        self._at = 0.0  # when the latest change was read

    @property
    def cursor(self) -> int:
        """Changes up to here have been applied."""
        return self._board.cursor

    def apply(self, exchange: Exchange) -> None:
        """Add the changes that the storage reports."""
        before = self._board.cursor
        self._board.apply(exchange)
        for trial in exchange.changes:
            self._add(trial, before)
        if exchange.changes:  # only then, so that nothing is sent to pages while nothing happens
            self._at = time.time()

    def _add(self, trial: Trial, before: int) -> None:
        if trial.asked_at is not None:
            self._began = trial.asked_at if self._began is None else min(self._began, trial.asked_at)
        if trial.state is TrialState.FAILED:
            self._reasons[_line(trial.reason)] += 1
        if trial.undone is not None and trial.undone <= before:  # then its failure was counted
            self._reasons[_line(trial.reason)] -= 1

    def as_json(self, budget: int | None = None) -> dict[str, Any]:
        """What the pages show; `budget` is that of the latest run."""
        counts = self._board.counts
        pace = self._board.pace(budget, self._at)
        return {
            "state": state_of(asdict(counts)),
            "counts": asdict(counts),
            "best": _best(self._board.front, self._board.goals),
            "failures": [{"reason": r, "count": n} for r, n in self._reasons.most_common(_MOST_REASONS) if n],
            "began": self._began,
            "last": pace.last,
            "budget": budget,
            "per_second": pace.per_second,
            # When the budget is complete, if all goes on like this: the page counts down until then.
            "ready": None if pace.left is None else self._at + pace.left,
        }


def _line(reason: str | None) -> str:
    return " ".join(cause_of(reason).split())[:200]


def state_of(counts: Mapping[str, int]) -> str:
    """running, waiting (trials wait for a worker), idle (every trial is finished) or empty"""
    if counts["running"] or counts["proposing"]:
        return "running"
    if counts["waiting"]:
        return "waiting"
    return "idle" if counts["completed"] or counts["failed"] else "empty"


def _best(front: Sequence[Trial], goals: Goals) -> dict[str, Any] | None:
    """The best trial, or the latest of the front, with the range of each objective on it and the numbers of its
    trials."""
    if not front:
        return None
    trial = front[-1]
    feasible = goals.violation(trial.outcomes) == 0.0
    more: dict[str, Any] = {} if feasible else {"feasible": False}
    if goals.several and feasible:
        ends = {name: [one.outcomes[name] for one in front] for name in goals.objectives}
        more["ranges"] = {name: [min(values), max(values)] for name, values in ends.items()}
        more["front"] = [one.number for one in front[:_MOST_FRONT]]
    return {
        **more,
        "of": len(front),
        "outcomes": dict(trial.outcomes),
        "number": trial.number,
        "value": trial.value,
        "params": dict(trial.params or {}),
        "finished": trial.finished_at,
    }
