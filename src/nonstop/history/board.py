"""A run as it stands, from the changes that its storage reports: counts, incumbent, and what each worker does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from nonstop.history.lanes import spent
from nonstop.trials.best import best_of
from nonstop.trials.messages import Counts, Exchange
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.usage import Usage, overall


@dataclass(slots=True)
class Lane:
    """One worker since the board was set up: its trial, if it has one, and what it did before, in seconds."""

    worker: str
    since: float
    trial: Trial | None = None
    completed: int = 0
    failed: int = 0
    before: Usage = field(default_factory=lambda: Usage(""))
    last: float = 0.0

    def usage(self, now: float) -> Usage:
        """Up to now while it has a trial, else up to the end of its last: without budget, nobody is idle."""
        usage = self.before if self.trial is None else overall([self.before, spent(self.trial, now)])
        total = (self.last if self.trial is None else now) - self.since
        return replace(usage, worker=self.worker, idle=max(0.0, total - usage.total))


class Board:
    """Starts from the trials that are known; apply() brings it up to date at the cost of what changed."""

    def __init__(self, sign: float, trials: Iterable[Trial] = ()) -> None:
        self.cursor = 0
        self.counts = Counts()
        self.incumbent: Trial | None = None
        self.lanes: dict[str, Lane] = {}
        self._sign = sign
        self._take(trials)

    def apply(self, exchange: Exchange) -> None:
        self.cursor = max(self.cursor, exchange.cursor)
        self.counts = exchange.counts
        self._take(exchange.changes)
        for trial in exchange.changes:
            self._assign(trial)

    def utilisation(self, now: float) -> float | None:
        """The share of the workers' time spent evaluating, as far as the times of their trials tell."""
        total = overall(lane.usage(now) for lane in self.lanes.values())
        return total.utilisation if total.total > 0.0 else None

    def _take(self, trials: Iterable[Trial]) -> None:
        for trial in trials:
            self.cursor = max(self.cursor, trial.sequence)
            self.incumbent = best_of([trial], self._sign, self.incumbent)

    def _assign(self, trial: Trial) -> None:
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
                lane.before = overall([lane.before, spent(trial, trial.finished_at)])
                lane.last = trial.finished_at
        elif trial.state is not TrialState.WAITING:
            lane.trial = trial
