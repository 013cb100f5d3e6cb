"""Where the time of every worker went: the sums, and the timeline that shows them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from nonstop.history.progress import began
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.usage import Usage, overall

Interval: TypeAlias = tuple[float, float]
#: What a worker does: evaluates (with success, without, or still), computes a proposal, talks to the storage, nothing.
Kind: TypeAlias = Literal["completed", "failed", "running", "proposing", "storing", "idle"]


@dataclass(frozen=True, slots=True)
class Segment:
    """What a worker did from `start` to `end`, in seconds since the study began; idle time belongs to no trial."""

    kind: Kind
    start: float
    end: float
    trial: Trial | None = None

    @property
    def handed_on(self) -> bool:
        """Is this an attempt at a trial that another worker had lost?"""
        return self.trial is not None and self.trial.attempt > 1


@dataclass(frozen=True, slots=True)
class Lane:
    """One worker. Those who asked without a name share lanes: one trial at a time on each. Their time has no usage."""

    worker: str
    segments: tuple[Segment, ...]
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """All lanes, by name. `lost` are trials whose lease ran out at least once: the time before is not recorded."""

    lanes: tuple[Lane, ...]
    lost: tuple[Trial, ...]
    began: float | None
    end: float


def timeline(spec: Spec, trials: Sequence[Trial], now: float | None = None) -> Timeline:  # noqa: ARG001
    """What is running ends `now`, or else at the last thing that is known of the study."""
    start = began(trials) or 0.0
    times = [time for trial in trials for time in (trial.asked_at, trial.started_at, trial.finished_at) if time]
    end = max([*times, *([] if now is None else [now])], default=start)
    usages = {usage.worker: usage for usage in utilisation(trials)}
    by_lane = _by_lane(trials, end)
    active = _union((trial.asked_at or start, _end(trial, end)) for lane in by_lane.values() for trial in lane)
    lanes = [
        Lane(worker, tuple(_segments(lane, start, end, active)), usages.get(worker))
        for worker, lane in sorted(by_lane.items())
    ]
    return Timeline(tuple(lanes), tuple(t for t in trials if t.attempt > 1), began(trials), end - start)


def _by_lane(trials: Iterable[Trial], end: float) -> dict[str, list[Trial]]:
    """The trials of each worker, in order; those of the unnamed on as few lanes as they need."""
    lanes: dict[str, list[Trial]] = {}
    free: list[float] = []  # when each lane of the unnamed was last in use
    for trial in sorted(trials, key=lambda trial: (trial.asked_at or 0.0, trial.number)):
        # A trial that waits for its next attempt has no worker, and nobody is at work on it.
        if trial.asked_at is None or trial.state is TrialState.WAITING:
            continue
        name = trial.worker
        if not name:
            place = next((i for i, until in enumerate(free) if until <= trial.asked_at), len(free))
            free[place : place + 1] = [_end(trial, end)]
            name = f"unnamed {place + 1}"
        lanes.setdefault(name, []).append(trial)
    return lanes


def _segments(lane: Sequence[Trial], start: float, end: float, active: Sequence[Interval]) -> Iterable[Segment]:
    """The lane from its first ask to its last end, without gaps but for the times when the whole study stood still."""
    free = lane[0].asked_at or start
    for trial in lane:
        asked, stop = trial.asked_at or start, _end(trial, end)
        for a, b in _within(active, free, asked):
            yield Segment("idle", a - start, b - start)
        begun = min(stop if trial.started_at is None else trial.started_at, stop)
        proposed = min(begun, asked + _proposing(trial, begun - asked))
        parts: list[tuple[Kind, float, float]] = [
            ("proposing", asked, proposed), ("storing", proposed, begun), (_kind(trial), begun, stop),
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
    """How much of the time before the evaluation went into the proposal; all of it while it is not there yet."""
    if trial.started_at is None:
        return max(0.0, before)
    seconds = 0.0 if trial.diagnostics is None else trial.diagnostics.seconds
    return min(max(0.0, before), seconds)


def utilisation(trials: Iterable[Trial]) -> list[Usage]:
    """Where the time of every worker went, by name, from the timestamps of its finished trials.

    A worker's time runs from its first ask to its last result, without the times in which no trial of the study was
    under way (the study was stopped and resumed). The clock is the storage's, which reads it inside its transactions:
    waiting for the lock with a result in hand counts as evaluating here. optimize() returns what workers measured.
    """
    finished = [trial for trial in trials if trial.worker and trial.asked_at and trial.started_at and trial.finished_at]
    active = _union([(trial.asked_at or 0.0, trial.finished_at or 0.0) for trial in finished])
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
    """What its worker spent on a trial, from being granted it to the end of its evaluation or to `until`."""
    asked = until if trial.asked_at is None else trial.asked_at
    started = until if trial.started_at is None else trial.started_at
    before = max(0.0, started - asked)
    proposing = _proposing(trial, before)
    return Usage(trial.worker or "", max(0.0, until - started), proposing, before - proposing)


def _within(intervals: Sequence[Interval], start: float, end: float) -> Iterable[Interval]:
    """What intervals in order cover between start and end."""
    for a, b in intervals[bisect_right(intervals, start, key=lambda interval: interval[1]) :]:
        if max(a, start) >= end:
            break
        yield max(a, start), min(b, end)


def _union(intervals: Iterable[Interval]) -> list[Interval]:
    """Intervals that do not overlap, in order, and cover the same."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
