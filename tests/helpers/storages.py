"""Short words for tests of storages."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from nonstop.storage.contract import Storage
from nonstop.storage.sqlite import APPLICATION_ID, driver
from nonstop.trials.messages import Exchange, HandOn, Insert, Report, Request
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Params
from tests.helpers.trials import a_start


def with_a_journal(path: Path) -> None:
    """A file that is ours and not in WAL mode: it stays so, whatever SQLite opens it."""
    connection = driver().connect(path)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.close()


def inserted(storage: Storage, study: int, params: Params, value: float | None, request_id: str) -> Trial:
    """Enqueue a trial, or add one with its value."""
    state = TrialState.WAITING if value is None else TrialState.COMPLETED
    (trial,) = storage.insert(study, [Insert(params, state, value)], request_id)
    return trial


_IDS = itertools.count()


@dataclass
class Desk:
    """One study in a storage."""

    storage: Storage
    study: int

    def new_id(self) -> str:
        return f"id-{next(_IDS)}"

    def read(self, cursor: int = 0) -> Exchange:
        return self.storage.exchange(self.study, cursor)

    def trial(self, number: int) -> Trial:
        return {trial.number: trial for trial in self.read().changes}[number]

    def request(self, limit: int | None = None, worker: str = "me") -> Trial | None:
        return self.storage.exchange(self.study, 0, request=Request(self.new_id(), worker, limit)).trial

    def ask(self, limit: int | None = None, worker: str = "me") -> Trial:
        trial = self.request(limit, worker)
        assert trial is not None
        return trial

    def start(self, trial: Trial, params: Params | None = None, cursor: int | None = None) -> Exchange:
        """Start a trial, as one who has read everything unless a cursor says otherwise."""
        cursor = self.read().cursor if cursor is None else cursor
        chosen = {"x": float(trial.number)} if params is None else params
        return self.storage.start(self.study, a_start(trial.number, chosen, 7, attempt=trial.attempt), cursor)

    def run(self, worker: str = "me") -> Trial:
        """A new trial, started."""
        trial = self.start(self.ask(worker=worker)).trial
        assert trial is not None
        return trial

    def report(self, trial: Trial, value: float | None = 1.0, **changes: object) -> Exchange:
        return self.storage.exchange(self.study, 0, self.a_report(trial, value, **changes))

    def a_report(self, trial: Trial, value: float | None = 1.0, **changes: object) -> Report:
        fields = {"id": self.new_id(), "number": trial.number, "attempt": trial.attempt, "value": value}
        return Report(**{"state": TrialState.COMPLETED, **fields, **changes})  # type: ignore[arg-type]

    def insert(self, params: Params, value: float | None, request_id: str) -> Trial:
        """Enqueue a trial, or add one with its value."""
        return inserted(self.storage, self.study, params, value, request_id)

    def hand_on(self, trial: Trial, beat: int | None = None, max_attempts: int = 3) -> bool:
        return self.storage.hand_on(self.study, HandOn(trial.number, trial.attempt, "no heartbeat", max_attempts, beat))
