"""A run as it stands, from the changes that its storage reports: counts, incumbent, and what each worker does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nonstop.trials.messages import Counts, Exchange
from nonstop.trials.trial import Trial, TrialState


@dataclass(slots=True)
class Lane:
    """One worker since the board was set up; times in seconds."""

    worker: str
    since: float
    trial: Trial | None = None
    completed: int = 0
    failed: int = 0
    busy: float = 0.0
    last: float = 0.0

    def time_until(self, now: float) -> float:
        """To now while it has a trial, else to the end of its last: when the budget is used up, nobody is idle."""
        return max((self.last if self.trial is None else now) - self.since, 0.0)

    def busy_until(self, now: float) -> float:
        running = self.trial if self.trial is not None and self.trial.state is TrialState.RUNNING else None
        under_way = 0.0 if running is None or running.started_at is None else now - running.started_at
        return self.busy + max(under_way, 0.0)


class Board:
    """Starts from the trials that are known; apply() brings it up to date at the cost of what changed."""

    def __init__(self, sign: float, trials: Iterable[Trial] = ()) -> None:
        self.cursor = 0
        self.counts = Counts()
        self.incumbent: Trial | None = None
        self.lanes: dict[str, Lane] = {}
        self._sign = sign
        for trial in trials:
            self.cursor = max(self.cursor, trial.sequence)
            self._compare(trial)

    def apply(self, exchange: Exchange) -> None:
        self.cursor = max(self.cursor, exchange.cursor)
        self.counts = exchange.counts
        for trial in exchange.changes:
            self._compare(trial)
            self._place(trial)

    def utilisation(self, now: float) -> float | None:
        """The share of the workers' time spent evaluating, as far as the times of their trials tell."""
        total = sum(lane.time_until(now) for lane in self.lanes.values())
        busy = sum(lane.busy_until(now) for lane in self.lanes.values())
        return min(busy / total, 1.0) if total > 0.0 else None

    def _compare(self, trial: Trial) -> None:
        if trial.state is not TrialState.COMPLETED or trial.value is None:
            return
        best = self.incumbent
        if best is None or best.value is None or self._sign * trial.value > self._sign * best.value:
            self.incumbent = trial

    def _place(self, trial: Trial) -> None:
        for lane in self.lanes.values():  # also when another worker took it over
            if lane.trial is not None and lane.trial.number == trial.number:
                lane.trial = None
        if not trial.worker or trial.asked_at is None:
            return
        lane = self.lanes.setdefault(trial.worker, Lane(trial.worker, trial.asked_at))
        if trial.state.finished:
            lane.completed += trial.state is TrialState.COMPLETED
            lane.failed += trial.state is TrialState.FAILED
            if trial.started_at is not None and trial.finished_at is not None:
                lane.busy += max(trial.finished_at - trial.started_at, 0.0)
                lane.last = trial.finished_at
        elif trial.state is not TrialState.WAITING:
            lane.trial = trial
