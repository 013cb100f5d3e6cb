"""Trials -> plain records. Pure functions: plots, reports and the command line show what they return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from nonstop.trial import Trial
from nonstop.usage import Usage

Interval: TypeAlias = tuple[float, float]


def utilisation(trials: Iterable[Trial]) -> list[Usage]:
    """Where the time of every worker went, by name, from the timestamps of its finished trials.

    A worker's time runs from its first ask to its last result, without the times in which no trial of the study was
    under way (the study was stopped and resumed). The clock is the storage's, which reads it inside its transactions:
    waiting for the lock with a result in hand counts as busy here. study.optimize() returns what workers measured.
    """
    finished = [trial for trial in trials if trial.owner and trial.asked_at and trial.started_at and trial.finished_at]
    active = _union([(trial.asked_at or 0.0, trial.finished_at or 0.0) for trial in finished])
    lanes: dict[str, list[Trial]] = {}
    for trial in finished:
        lanes.setdefault(trial.owner or "", []).append(trial)
    return [_lane(owner, lane, active) for owner, lane in sorted(lanes.items())]


def _lane(owner: str, trials: Sequence[Trial], active: Sequence[Interval]) -> Usage:
    busy = suggesting = storing = 0.0
    for trial in trials:
        asked, started, finished = trial.asked_at or 0.0, trial.started_at or 0.0, trial.finished_at or 0.0
        seconds = trial.diagnostics.get("seconds", 0.0)
        before = max(0.0, started - asked)
        proposing = min(before, seconds) if isinstance(seconds, int | float) else 0.0
        busy += max(0.0, finished - started)
        suggesting += proposing
        storing += before - proposing
    start, end = min(trial.asked_at or 0.0 for trial in trials), max(trial.finished_at or 0.0 for trial in trials)
    span = sum(max(0.0, min(end, b) - max(start, a)) for a, b in active)
    return Usage(owner, busy, suggesting, storing, max(0.0, span - busy - suggesting - storing))


def _union(intervals: Sequence[Interval]) -> list[Interval]:
    """Intervals that do not overlap, in order, and cover the same."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
