"""The state of a run, from the changes that its storage reports: counts, the best, and what each worker is doing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from nonstop.history.lanes import spent
from nonstop.history.pace import Pace, Recent
from nonstop.outcomes.goals import Goals
from nonstop.trials.best import front_of
from nonstop.trials.messages import Counts, Exchange
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.usage import Usage, overall


@dataclass(slots=True)
class WorkerState:
    """One worker since the board was set up."""

    name: str
    #: When it first asked for a trial.
    since: float
    #: The trial that it is proposing or evaluating, if any.
    trial: Trial | None = None
    completed: int = 0
    failed: int = 0
    #: Seconds spent on its finished trials.
    finished: Usage = field(default_factory=lambda: Usage(""))
    #: When its last trial finished.
    last_finished: float = 0.0

    def usage(self, now: float) -> Usage:
        """Where its time went, up to now if it has a trial, else up to its last result: a worker without budget is not
        idle."""
        usage = self.finished if self.trial is None else overall([self.finished, spent(self.trial, now)])
        total = (self.last_finished if self.trial is None else now) - self.since
        return replace(usage, worker=self.name, idle=max(0.0, total - usage.total))


class Board:
    """Starts from the known trials, which count for the front and the pace only. What apply() costs depends on what
    changed."""

    def __init__(self, goals: Goals, trials: Iterable[Trial] = ()) -> None:
        self.cursor = 0
        self.counts = Counts()
        #: The best trial, or the front of several objectives, in the order of results.
        self.front: list[Trial] = []
        self.workers: dict[str, WorkerState] = {}
        self.goals = goals
        known = sorted(trials, key=lambda trial: trial.sequence)
        self._recent = Recent(known)
        self._update_front(known)
        self._began = self.cursor

    def apply(self, exchange: Exchange) -> None:
        """Bring the board up to date with the answer of the storage."""
        before = self.cursor
        self.cursor = max(self.cursor, exchange.cursor)
        self.counts = exchange.counts
        self._update_front(exchange.changes)
        self._recent.add(exchange.changes)
        for trial in exchange.changes:
            self._assign(trial, before)

    def utilisation(self, now: float) -> float | None:
        """The share of the workers' time spent evaluating, from the timestamps of their trials; None without any."""
        total = overall(worker.usage(now) for worker in self.workers.values())
        return total.utilisation if total.total > 0.0 else None

    def pace(self, budget: int | None, now: float) -> Pace:
        """How far the study is, and how fast it goes."""
        return self._recent.pace(self.counts.completed, budget, now)

    def _update_front(self, trials: Sequence[Trial]) -> None:
        self.cursor = max([self.cursor, *(trial.sequence for trial in trials)])
        self.front = front_of(trials, self.goals, self.front)

    def _assign(self, trial: Trial, before: int) -> None:
        for worker in self.workers.values():  # another worker may have taken it over
            if worker.trial is not None and worker.trial.number == trial.number:
                worker.trial = None
        if not trial.worker or trial.asked_at is None:
            return
        worker = self.workers.setdefault(trial.worker, WorkerState(trial.worker, trial.asked_at))
        if trial.undone is not None and self._began < trial.undone <= before:  # its failure was counted, and its time
            worker.completed += 1
            worker.failed -= 1
        elif trial.state.finished:
            worker.completed += trial.state is TrialState.COMPLETED
            worker.failed += trial.state is TrialState.FAILED
            if trial.started_at is not None and trial.finished_at is not None:
                worker.finished = overall([worker.finished, spent(trial, trial.finished_at)])
                worker.last_finished = trial.finished_at
        elif trial.state is not TrialState.WAITING:
            worker.trial = trial
