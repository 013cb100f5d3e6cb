"""Studies in the memory of one process, for `storage=None`; the SQL storage is tested against it."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from typing import NoReturn

import nonstop.storage.transactions as transactions
import nonstop.trials.transitions as transitions
from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError, StudyError, TrialError
from nonstop.storage.contract import StudyRecord
from nonstop.storage.text import (
    NOT_SHARED,
    clean_inserts,
    clean_params,
    clean_request,
    decode,
    encode,
    new_study_name,
    no_id,
    no_study,
)
from nonstop.trials.copying import check_whole
from nonstop.trials.messages import Counts, Exchange, HandOn, Insert, Pulse, Report, Request, Start
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Params


class MemoryLedger:
    """Implements nonstop.storage.ledger.Ledger, and keeps the study between transactions as well."""

    def __init__(self, record: StudyRecord, clock: Clock) -> None:
        self.record = record
        self.sequence = 0
        self.trials: dict[int, Trial] = {}  # ordered by sequence number: a changed trial moves to the end
        self.states: dict[TrialState, set[int]] = {state: set() for state in TrialState}
        self._clock = clock
        self._cursor = 0
        self._reports: dict[str, Report] = {}
        self._decided: set[int] = set()
        self._granted: dict[str, int] = {}  # request id -> number
        self._request_ids: dict[int, str] = {}  # number -> request id
        self._inserted: dict[str, int] = {}

    @property
    def counts(self) -> Counts:
        return Counts(**{state.value: len(numbers) for state, numbers in self.states.items()})

    @property
    def changes(self) -> tuple[Trial, ...]:
        newest_first = takewhile(lambda trial: trial.sequence > self._cursor, reversed(self.trials.values()))
        return tuple(newest_first)[::-1]

    def now(self) -> float:
        return self._clock.now()

    def read(self, cursor: int, number: int | None = None, request_id: str | None = None) -> None:  # noqa: ARG002
        self._cursor = cursor

    def trial(self, number: int) -> Trial:
        if number not in self.trials:
            raise TrialError(f"study {self.record.name!r} has no trial {number}")
        return self.trials[number]

    locked = trial

    def granted(self, request_id: str) -> Trial | None:
        return self._found(self._granted.get(request_id))

    def first_waiting(self, fixed: Params | None) -> Trial | None:
        waiting = self.states[TrialState.WAITING]
        if fixed is not None:
            waiting = {number for number in waiting if self.trials[number].fixed == fixed}
        return self._found(min(waiting, default=None))

    def inserted(self, insert_id: str, count: int) -> Sequence[Trial]:
        first = self._inserted.get(insert_id)
        return () if first is None else [self.trials[number] for number in range(first, first + count)]

    def _found(self, number: int | None) -> Trial | None:
        return None if number is None else self.trials[number]

    def add(self, trial: Trial, request_id: str) -> Trial:
        self._granted[request_id], self._request_ids[trial.number] = trial.number, request_id
        return self._write(trial)

    def insert(self, trials: Sequence[Trial], insert_id: str) -> Sequence[Trial]:
        self._inserted[insert_id] = min(trial.number for trial in trials)
        self._decided.update(trial.number for trial in trials if trial.state.finished)
        return [self._write(trial) for trial in trials]

    def restore(self, trials: Sequence[Trial]) -> None:
        """Make these the trials of the study, which has none."""
        for trial in sorted(trials, key=lambda trial: trial.sequence):
            self.trials[trial.number] = _copied(trial)
            self.states[trial.state].add(trial.number)
            self.sequence = trial.sequence
        self._decided.update(trial.number for trial in trials if trial.state.finished)

    def put(self, old: Trial, new: Trial) -> Trial:
        self.states[old.state].remove(old.number)
        del self.trials[old.number]
        return self._write(new)

    def grant(self, old: Trial, new: Trial, request_id: str) -> Trial:
        self._granted[request_id], self._request_ids[new.number] = new.number, request_id
        return self.put(old, new)

    def revoke(self, old: Trial, new: Trial) -> Trial:
        del self._granted[self._request_ids.pop(new.number)]
        return self.put(old, new)

    def _write(self, trial: Trial) -> Trial:
        self.sequence += 1
        self.states[trial.state].add(trial.number)
        self.trials[trial.number] = trial = replace(trial, sequence=self.sequence)
        return trial

    def log(self, report: Report, counted: bool, now: float) -> bool:  # noqa: ARG002
        new = self._reports.setdefault(report.id, report) is report
        if new and counted:
            self._decided.add(report.number)
        return new

    def decided(self, number: int) -> bool:
        return number in self._decided


class MemoryStorage:
    """Implements nonstop.storage.contract.Storage; lasts as long as its process."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or WallClock()
        self._lock = threading.Lock()
        self._studies: dict[int, MemoryLedger] = {}
        self._newest = 0  # the id of the study that was created last
        self._closed = False
        self._process = os.getpid()

    def __repr__(self) -> str:
        return "MemoryStorage()"

    def __reduce__(self) -> NoReturn:
        raise StorageError(NOT_SHARED)

    def create_study(self, name: str, spec: Mapping[str, object]) -> StudyRecord:
        name, text = new_study_name(name), encode("the specification of a study", spec, StudyError)
        with self._locked():
            return _copied_record(self._created(name, text).record)

    def _created(self, name: str, spec: str) -> MemoryLedger:
        self._check_free(name)
        self._newest += 1  # also if the newest study was deleted: no id is used twice
        ledger = MemoryLedger(StudyRecord(self._newest, name, decode(spec), self._clock.now()), self._clock)
        self._studies[self._newest] = ledger
        return ledger

    def _check_free(self, name: str, study: int | None = None) -> None:
        if any(known.record.name == name and known.record.id != study for known in self._studies.values()):
            raise StudyError(f"there is already a study {name!r} here")

    def rename_study(self, study: int, name: str) -> None:
        name = new_study_name(name)
        with self._locked():
            ledger = self._study(study)
            self._check_free(name, study)
            ledger.record = replace(ledger.record, name=name)

    def delete_study(self, study: int) -> None:
        with self._locked():
            self._study(study)
            del self._studies[study]

    def restore_study(self, name: str, original: StudyRecord, trials: Sequence[Trial]) -> StudyRecord:
        name, text = new_study_name(name), encode("the specification of a study", original.spec, StudyError)
        check_whole(trials)
        with self._locked():
            ledger = self._created(name, text)
            ledger.record = replace(ledger.record, budget=original.budget)
            ledger.restore(trials)
            return _copied_record(ledger.record)

    def load_study(self, name: str) -> StudyRecord:
        with self._locked():
            for study in self._studies.values():
                if study.record.name == name:
                    return _copied_record(study.record)
            raise no_study(name, [study.record.name for study in self._studies.values()])

    def list_studies(self) -> Sequence[StudyRecord]:
        with self._locked():
            return [_copied_record(study.record) for study in self._studies.values()]

    def exchange(
        self, study: int, cursor: int, report: Report | None = None, request: Request | None = None
    ) -> Exchange:
        asked = None if request is None else clean_request(request)
        with self._locked():
            return _copied_answer(transactions.exchange(self._study(study), cursor, report, asked))

    def start(self, study: int, start: Start, cursor: int) -> Exchange:
        encode("diagnostics", start.diagnostics.to_json())  # raises if JSON cannot hold them, as the SQL storage does
        clean = replace(start, params=clean_params(start.params))
        with self._locked():
            return _copied_answer(transactions.start(self._study(study), clean, cursor))

    def insert(self, study: int, inserts: Sequence[Insert], request_id: str) -> Sequence[Trial]:
        clean = clean_inserts(inserts)
        with self._locked():
            return [_copied(trial) for trial in transactions.insert(self._study(study), clean, request_id)]

    def set_budget(self, study: int, budget: int | None) -> None:
        with self._locked():
            ledger = self._study(study)
            ledger.record = replace(ledger.record, budget=budget)

    def counts(self, study: int) -> Counts:
        with self._locked():
            return self._study(study).counts

    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]:
        with self._locked():
            ledger = self._study(study)
            for number, attempt in set(mine):
                trial = ledger.trials.get(number)
                if trial is not None and transitions.is_held(trial, attempt):
                    ledger.trials[number] = replace(trial, beat=trial.beat + 1)
            held = sorted(number for state in transitions.HELD for number in ledger.states[state])
            return [transitions.pulse(ledger.trials[number]) for number in held]

    def hand_on(self, study: int, hand_on: HandOn) -> bool:
        with self._locked():
            return transactions.hand_on(self._study(study), hand_on)

    def close(self) -> None:
        self._closed = True

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock; StorageError if closed, or in a forked process, whose copy no one else would ever see."""
        if os.getpid() != self._process:
            raise StorageError(NOT_SHARED)
        with self._lock:
            if self._closed:
                raise StorageError("this storage was closed")
            yield

    def _study(self, study: int) -> MemoryLedger:
        if study not in self._studies:
            raise no_id(study)
        return self._studies[study]


def _copied(trial: Trial) -> Trial:
    """A copy whose params, notes and outcomes the caller may change without changing the stored ones."""
    return replace(
        trial,
        params=None if trial.params is None else dict(trial.params),
        notes=copy.deepcopy(trial.notes) if trial.notes else {},
        outcomes=dict(trial.outcomes),
        fixed=None if trial.fixed is None else dict(trial.fixed),
    )


def _copied_answer(answer: Exchange) -> Exchange:
    trial = None if answer.trial is None else _copied(answer.trial)
    return replace(answer, changes=tuple(_copied(change) for change in answer.changes), trial=trial)


def _copied_record(record: StudyRecord) -> StudyRecord:
    return replace(record, spec=copy.deepcopy(record.spec))
