"""Where the time of every worker went: its sums, and the timeline."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from nonstop.history.progress import began
from nonstop.trials.spec import Spec
from nonstop.trials.times import evaluated_until
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.usage import Usage, overall

Interval: TypeAlias = tuple[float, float]
#: What a worker does. completed, failed and running are evaluations, by their outcome so far.
Kind: TypeAlias = Literal["completed", "failed", "running", "proposing", "storing", "idle"]


@dataclass(frozen=True, slots=True)
class Segment:
    """What a worker did in one interval."""

    kind: Kind
    #: Seconds since the study began.
    start: float
    #: Seconds since the study began.
    end: float
    #: None if the worker was idle.
    trial: Trial | None = None

    @property
    def taken_over(self) -> bool:
        """Whether this is a further attempt at a trial whose earlier worker lost its lease."""
        return self.trial is not None and self.trial.attempt > 1


@dataclass(frozen=True, slots=True)
class Lane:
    """One worker. Trials that were asked for without a worker's name are placed on as few lanes as possible."""

    worker: str
    segments: tuple[Segment, ...]
    #: None for a lane without a worker's name, and before the first finished trial.
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """The lanes of all workers."""

    #: In order of name.
    lanes: tuple[Lane, ...]
    #: Trials whose lease expired at least once; the time of the earlier attempts is not recorded.
    lost: tuple[Trial, ...]
    #: When the study began, as a timestamp; None before the first trial.
    began: float | None
    #: Seconds from there to the end of the timeline.
    end: float


def timeline(spec: Spec, trials: Sequence[Trial], now: float | None = None) -> Timeline:  # noqa: ARG001
    """The timeline. Running trials end `now`, or else at the last timestamp of the study."""
    start = began(trials) or 0.0
    times = [time for trial in trials for time in (trial.asked_at, trial.started_at, trial.finished_at) if time]
    end = max([*times, *([] if now is None else [now])], default=start)
    usages = {usage.worker: usage for usage in utilisation(trials)}
    by_lane = _by_lane(trials, end)
    active = union((trial.asked_at or start, _end(trial, end)) for lane in by_lane.values() for trial in lane)
    lanes = [
        Lane(worker, tuple(_segments(lane, start, end, active)), usages.get(worker))
        for worker, lane in sorted(by_lane.items())
    ]
    return Timeline(tuple(lanes), tuple(t for t in trials if t.attempt > 1), began(trials), end - start)


def _by_lane(trials: Iterable[Trial], end: float) -> dict[str, list[Trial]]:
    """The trials of each worker, in order; those without a worker's name on as few lanes as possible."""
    lanes: dict[str, list[Trial]] = {}
    free: list[float] = []  # until when each unnamed lane is in use
    for trial in sorted(trials, key=lambda trial: (trial.asked_at or 0.0, trial.number)):
        # A trial that waits for its next attempt has no worker.
        if trial.asked_at is None or trial.state is TrialState.WAITING:
            continue
        name = trial.worker
        if not name:
            index = next((i for i, until in enumerate(free) if until <= trial.asked_at), len(free))
            free[index : index + 1] = [_end(trial, end)]
            name = f"unnamed {index + 1}"
        lanes.setdefault(name, []).append(trial)
    return lanes


def _segments(lane: Sequence[Trial], start: float, end: float, active: Sequence[Interval]) -> Iterable[Segment]:
    """The segments of a lane from its first ask to its last end; the only gaps are pauses of the whole study."""
    free = lane[0].asked_at or start
    for trial in lane:
        asked, stop = trial.asked_at or start, _end(trial, end)
        for a, b in within(active, free, asked):
            yield Segment("idle", a - start, b - start)
        begun = min(stop if trial.started_at is None else trial.started_at, stop)
        proposed = min(begun, asked + _proposing(trial, begun - asked))
        evaluated = max(begun, evaluated_until(trial, stop))
        parts: list[tuple[Kind, float, float]] = [
            ("proposing", asked, proposed), ("storing", proposed, begun),
            (_kind(trial), begun, evaluated), ("storing", evaluated, stop),
        ]  # fmt: skip
        for kind, a, b in parts:
            if b > a:
                yield Segment(kind, a - start, b - start, trial)
        free = max(free, stop)


def _kind(trial: Trial) -> Kind:
    finished: dict[TrialState, Kind] = {TrialState.COMPLETED: "completed", TrialState.FAILED: "failed"}
    return finished.get(trial.state, "running")


def _end(trial: Trial, end: float) -> float:
    return end if trial.finished_at is None else max(trial.finished_at, trial.asked_at or 0.0)


def _proposing(trial: Trial, before: float) -> float:
    """How much of the time before the evaluation was spent proposing; all of it if evaluation has not started."""
    if trial.started_at is None:
        return max(0.0, before)
    seconds = 0.0 if trial.diagnostics is None else trial.diagnostics.seconds
    return min(max(0.0, before), seconds)


def utilisation(trials: Iterable[Trial]) -> list[Usage]:
    """Where the time of every worker went, by name, from the timestamps of its finished trials.

    A worker's time runs from its first ask to its last result, without the times in which no trial of the study was
    under way (the study was stopped and resumed). What optimize() returns is measured by the workers, and agrees with
    this but for two times that no trial has: before its first ask, and after its last result, when a worker has nothing
    to do because the rest of the budget is under way elsewhere. Trials of older versions have no measured duration:
    there, waiting for the storage to take a result counts as evaluating.
    """
    finished = [trial for trial in trials if trial.worker and trial.asked_at and trial.started_at and trial.finished_at]
    active = union([(trial.asked_at or 0.0, trial.finished_at or 0.0) for trial in finished])
    lanes: dict[str, list[Trial]] = {}
    for trial in finished:
        lanes.setdefault(trial.worker or "", []).append(trial)
    return [_usage(worker, lane, active) for worker, lane in sorted(lanes.items())]


def _usage(worker: str, trials: Sequence[Trial], active: Sequence[Interval]) -> Usage:
    usage = overall((spent(trial, trial.finished_at or 0.0) for trial in trials), worker)
    start, end = min(trial.asked_at or 0.0 for trial in trials), max(trial.finished_at or 0.0 for trial in trials)
    span = sum(max(0.0, min(end, b) - max(start, a)) for a, b in active)
    return replace(usage, idle=max(0.0, span - usage.total))


def spent(trial: Trial, until: float) -> Usage:
    """The seconds that a worker spent on a trial from asking for it until `until`: when its result was stored, or
    now."""
    asked = until if trial.asked_at is None else trial.asked_at
    started = until if trial.started_at is None else trial.started_at
    before = max(0.0, started - asked)
    proposing = _proposing(trial, before)
    evaluating = max(0.0, evaluated_until(trial, until) - started)
    after = max(0.0, until - started - evaluating)
    return Usage(trial.worker or "", evaluating, proposing, before - proposing + after)


def within(intervals: Sequence[Interval], start: float, end: float) -> Iterable[Interval]:
    """The parts of sorted intervals between start and end."""
    for a, b in intervals[bisect_right(intervals, start, key=lambda interval: interval[1]) :]:
        if max(a, start) >= end:
            break
        yield max(a, start), min(b, end)


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Sorted intervals without overlaps that cover the same times."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
