"""A worker that does everything a storage is for, in a hurry, and keeps a diary of what it was told."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from nonstop.errors import TrialError
from nonstop.storage.contract import Storage
from nonstop.storage.sql import SqlStorage
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.messages import Exchange, HandOn, Insert, Pulse, Report, Request, Start
from nonstop.trials.trial import Trial, TrialState
from tests.faults.diary import Diary

MAX_ATTEMPTS = 20


@dataclass
class View:
    """What a reader that follows the log knows. It must be whole at every moment."""

    cursor: int = 0
    trials: dict[int, Trial] = field(default_factory=dict)
    orders: set[int] = field(default_factory=set)

    def read(self, answer: Exchange, diary: Diary) -> None:
        for trial in answer.changes:
            self.trials[trial.number] = trial
            if trial.order is not None:
                self.orders.add(trial.order)
        if answer.cursor < self.cursor:
            diary.write("violation", f"cursor went back from {self.cursor} to {answer.cursor}")
        if self.orders != set(range(1, answer.version + 1)):
            missing = set(range(1, answer.version + 1)) ^ self.orders
            diary.write("violation", f"a reader at version {answer.version} missed results {sorted(missing)[:5]}")
            self.orders = set(range(1, answer.version + 1))
        if len(self.trials) != answer.counts.unfinished + answer.counts.completed + answer.counts.failed:
            diary.write("violation", f"a reader knows {len(self.trials)} trials, the counters say {answer.counts}")
        self.cursor = answer.cursor


@dataclass
class Observer:
    """Hands on the trials whose heartbeat stands still on this process's own clock."""

    lease: float
    seen: dict[int, tuple[int, int, float]] = field(default_factory=dict)

    def stalled(self, pulses: list[Pulse]) -> list[Pulse]:
        now, before = time.monotonic(), self.seen
        self.seen = {}
        for pulse in pulses:
            attempt, beat, since = before.get(pulse.number, (0, 0, now))
            same = (attempt, beat) == (pulse.attempt, pulse.beat)
            self.seen[pulse.number] = (pulse.attempt, pulse.beat, since if same else now)
        return [pulse for pulse in pulses if now - self.seen[pulse.number][2] > self.lease]


class Worker:
    """A short lease brings live trials close to being handed on: compare-and-set must save them."""

    def __init__(self, storage: Storage, study: int, worker: str, folder: Path, lease: float = 0.5) -> None:
        self.storage, self.study, self.worker, self.folder = storage, study, worker, folder
        self.random = random.Random(worker)
        self.view, self.observer, self.diary = View(), Observer(lease), Diary(folder / f"{worker}.diary")

    def live(self) -> None:
        report: Report | None = None
        turn = 0
        parent = os.getppid()
        while not (self.folder / "stop").exists() and os.getppid() == parent:
            turn += 1
            trial = self.exchange(report, Request(f"{self.worker} {turn}", self.worker))
            report = None
            assert trial is not None
            if trial.state is TrialState.PROPOSING and not self.start(trial):
                continue
            self.evaluate(trial)
            report = self.result(trial, turn)
            if self.random.random() < 0.05:
                (inserted,) = self.storage.insert(self.study, [Insert({"x": -1.0})], f"{self.worker} {turn}")
                self.diary.write("insert", inserted.number, f"{self.worker} {turn}")

    def exchange(self, report: Report | None, request: Request | None) -> Trial | None:
        cursor = self.view.cursor
        answer = self.storage.exchange(self.study, cursor, report, request)
        if self.random.random() < 0.1:  # the answer is lost: ask again
            answer = self.storage.exchange(self.study, cursor, report, request)
        if report is not None:
            facts = report.id, report.number, report.attempt, report.state, report.value, dict(report.outcomes)
            self.diary.write("result", *facts)
        if request is not None and answer.trial is not None:
            self.diary.write("grant", answer.trial.number, answer.trial.attempt, request.id)
        self.view.read(answer, self.diary)
        return answer.trial

    def start(self, trial: Trial) -> bool:
        """Propose until no one overtakes; False if the lease went to another meanwhile."""
        for _ in range(1_000):
            point = {"x": self.random.random()}
            try:
                start = Start(trial.number, trial.attempt, point, 1, Diagnostics("random"))
                answer = self.storage.start(self.study, start, self.view.cursor)
            except TrialError:
                return False
            self.view.read(answer, self.diary)
            if answer.trial is not None:
                self.diary.write("start", trial.number, trial.attempt, point["x"])
                return True
        raise AssertionError("overtaken a thousand times")

    def evaluate(self, trial: Trial) -> None:
        for _ in range(self.random.randint(1, 3)):
            time.sleep(self.random.uniform(0.0, 0.05))
            pulses = list(self.storage.beat(self.study, [(trial.number, trial.attempt)]))
            for pulse in pulses:
                if (pulse.number, pulse.attempt) == (trial.number, trial.attempt):
                    self.diary.write("beat", pulse.number, pulse.attempt, pulse.beat)
            for pulse in self.observer.stalled(pulses):
                self.hand_on(pulse)

    def hand_on(self, pulse: Pulse) -> None:
        time.sleep(self.random.uniform(0.0, 0.05))  # its heartbeat may go on meanwhile
        reason = f"silent at beat {pulse.beat}"
        silent = HandOn(pulse.number, pulse.attempt, reason, MAX_ATTEMPTS, pulse.beat)
        if self.storage.hand_on(self.study, silent):
            self.diary.write("handed on", pulse.number, pulse.attempt, pulse.beat)

    def result(self, trial: Trial, turn: int) -> Report:
        state = TrialState.FAILED if self.random.random() < 0.1 else TrialState.COMPLETED
        value = self.random.gauss() if state is TrialState.COMPLETED else None
        identity = f"{self.worker} {turn}", trial.number, trial.attempt
        if value is None:
            return Report(*identity, state, reason="unlucky")
        outcomes = {"error": value, "größe": self.random.random()}
        several = self.random.random() < 0.5
        return Report(*identity, state, None if several else value, outcomes=outcomes)


def drain(url: str, study: int, folder: Path) -> None:
    """When everyone is gone: hand on what the dead held, and finish what waits. Nothing may stay behind."""
    worker = Worker(SqlStorage(url), study, f"drain {os.getpid()}", folder)
    for pulse in worker.storage.beat(study, []):
        worker.hand_on(pulse)
    for turn in range(10_000):
        counts = worker.storage.exchange(study, worker.view.cursor).counts
        limit = counts.completed + counts.unfinished
        trial = worker.exchange(None, Request(f"{worker.worker} {turn}", worker.worker, limit))
        if trial is None:
            break
        if trial.state is TrialState.RUNNING or worker.start(trial):
            worker.exchange(worker.result(trial, turn), None)
    worker.storage.close()
