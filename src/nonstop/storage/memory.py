"""Studies in the memory of one process: what `storage=None` means, and the model the SQL storage is tested against."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NoReturn

import nonstop.trials.transitions as transitions
from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError, StudyError, TrialError
from nonstop.storage.contract import StudyRecord
from nonstop.storage.text import NOT_SHARED, decode, decode_params, encode, no_study, study_name
from nonstop.trials.messages import Counts, Exchange, Pulse, Report, Request
from nonstop.trials.trial import Diagnostics, Trial, TrialState
from nonstop.types import Params


@dataclass(slots=True)
class _Study:
    """One study. `trials` is ordered by sequence number: a changed trial moves to the end."""

    record: StudyRecord
    trials: dict[int, Trial] = field(default_factory=dict)
    states: dict[TrialState, set[int]] = field(default_factory=lambda: {state: set() for state in TrialState})
    sequence: int = 0
    results: dict[str, Report] = field(default_factory=dict)
    granted: dict[str, int] = field(default_factory=dict)  # request id -> number, while the grant holds
    grants: dict[int, str] = field(default_factory=dict)  # number -> its latest request id
    inserted: dict[str, int] = field(default_factory=dict)

    @property
    def version(self) -> int:
        return len(self.states[TrialState.COMPLETED])

    @property
    def counts(self) -> Counts:
        return Counts(**{state.value: len(numbers) for state, numbers in self.states.items()})

    def trial(self, number: int) -> Trial:
        if number not in self.trials:
            raise TrialError(f"study {self.record.name!r} has no trial {number}")
        return self.trials[number]

    def put(self, trial: Trial) -> Trial:
        """Write the trial with the next sequence number."""
        self.sequence += 1
        old = self.trials.pop(trial.number, None)
        if old is not None:
            self.states[old.state].remove(trial.number)
        self.trials[trial.number] = trial = replace(trial, sequence=self.sequence)
        self.states[trial.state].add(trial.number)
        return trial

    def exchange(self, cursor: int, trial: Trial | None) -> Exchange:
        news = takewhile(lambda change: change.sequence > cursor, reversed(self.trials.values()))
        changes = tuple(_own(change) for change in news)[::-1]
        return Exchange(changes, self.sequence, self.version, self.counts, None if trial is None else _own(trial))


class MemoryStorage:
    """Follows nonstop.storage.contract.Storage; durable only as long as its process."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or WallClock()
        self._lock = threading.Lock()
        self._studies: dict[int, _Study] = {}
        self._closed = False
        self._process = os.getpid()

    def __repr__(self) -> str:
        return "MemoryStorage()"

    def __reduce__(self) -> NoReturn:
        raise StorageError(NOT_SHARED)

    def create_study(self, name: str, spec: Mapping[str, object]) -> StudyRecord:
        name, text = study_name(name), encode("the specification of a study", spec, StudyError)
        with self._held():
            if any(study.record.name == name for study in self._studies.values()):
                raise StudyError(f"there is already a study {name!r} here")
            record = StudyRecord(len(self._studies) + 1, name, decode(text), self._clock.now())
            self._studies[record.id] = _Study(record)
            return _own_record(record)

    def load_study(self, name: str) -> StudyRecord:
        with self._held():
            for study in self._studies.values():
                if study.record.name == name:
                    return _own_record(study.record)
            raise no_study(name, [study.record.name for study in self._studies.values()])

    def list_studies(self) -> Sequence[StudyRecord]:
        with self._held():
            return [_own_record(study.record) for study in self._studies.values()]

    def exchange(
        self, study: int, cursor: int, report: Report | None = None, request: Request | None = None
    ) -> Exchange:
        with self._held():
            here = self._study(study)
            trial = None
            if report is not None:
                trial = self._report(here, transitions.checked(report))
            if request is not None:
                trial = self._grant(here, request)
            return here.exchange(cursor, trial)

    def _report(self, here: _Study, report: Report) -> Trial:
        trial = here.trial(report.number)
        if report.id in here.results:
            return trial
        transitions.check_started(trial, report.attempt)
        here.results[report.id] = report
        if trial.state.finished:
            return trial
        return here.put(transitions.finish(trial, report, here.version + 1, self._clock.now()))

    def _grant(self, here: _Study, request: Request) -> Trial | None:
        if request.id in here.granted:
            return here.trials[here.granted[request.id]]
        now = self._clock.now()
        waiting = here.states[TrialState.WAITING]
        if waiting:
            if not transitions.may_claim(here.counts, request.limit):
                return None
            trial = here.put(transitions.claim(here.trials[min(waiting)], request, here.version, now))
        elif transitions.may_create(here.counts, request.limit):
            trial = here.put(transitions.ask(len(here.trials), request, here.version, now))
        else:
            return None
        here.granted[request.id] = trial.number
        here.grants[trial.number] = request.id
        return trial

    def start(
        self,
        study: int,
        number: int,
        attempt: int,
        params: Params,
        seed: int,
        diagnostics: Diagnostics,
        cursor: int,
        unique: bool = True,
    ) -> Exchange:
        params = decode_params(encode("params", params))
        diagnostics = decode(encode("diagnostics", diagnostics))
        with self._held():
            here = self._study(study)
            trial = here.trial(number)
            if transitions.repeats_start(trial, attempt, params):
                return here.exchange(cursor, trial)
            started = transitions.start(trial, params, seed, diagnostics, self._clock.now())
            news = here.exchange(cursor, None)
            if transitions.overtaken(trial, params, news.changes, unique):
                return news
            return here.exchange(cursor, here.put(started))

    def insert(self, study: int, params: Params, value: float | None, request_id: str) -> Trial:
        params = decode_params(encode("params", params))
        with self._held():
            here = self._study(study)
            if request_id not in here.inserted:
                trial = transitions.insert(len(here.trials), params, value, here.version + 1, self._clock.now())
                here.inserted[request_id] = here.put(trial).number
            return _own(here.trials[here.inserted[request_id]])

    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]:
        with self._held():
            here = self._study(study)
            for number, attempt in mine:
                trial = here.trials.get(number)
                if trial is not None and transitions.holds(trial, attempt, None):
                    here.trials[number] = replace(trial, beat=trial.beat + 1)
            owned = sorted(number for state in transitions.OWNED for number in here.states[state])
            return [transitions.pulse(here.trials[number]) for number in owned]

    def hand_on(self, study: int, number: int, attempt: int, beat: int | None, reason: str, max_attempts: int) -> bool:
        with self._held():
            here = self._study(study)
            trial = here.trial(number)
            if not transitions.holds(trial, attempt, beat):
                return False
            here.put(transitions.hand_on(trial, reason, max_attempts, self._clock.now()))
            del here.granted[here.grants.pop(number)]
            return True

    def close(self) -> None:
        self._closed = True

    @contextmanager
    def _held(self) -> Iterator[None]:
        """The lock, for who may use this storage. A forked process has a copy that no one else would ever see."""
        if os.getpid() != self._process:
            raise StorageError(NOT_SHARED)
        with self._lock:
            if self._closed:
                raise StorageError("this storage was closed")
            yield

    def _study(self, study: int) -> _Study:
        if study not in self._studies:
            raise StudyError(f"there is no study with id {study} here")
        return self._studies[study]


def _own(trial: Trial) -> Trial:
    """A copy whose mappings the caller may change without changing ours."""
    return replace(trial, params=copy.deepcopy(trial.params), diagnostics=copy.deepcopy(trial.diagnostics))


def _own_record(record: StudyRecord) -> StudyRecord:
    return replace(record, spec=copy.deepcopy(record.spec))
