"""Studies in SQLite or PostgreSQL, shared by threads, processes and machines."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, insert, select

import nonstop.storage.ledger as ledger
import nonstop.trials.transitions as transitions
from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError, StudyError
from nonstop.storage.contract import StudyRecord
from nonstop.storage.database import Database, masked, parse
from nonstop.storage.ledger import Ledger
from nonstop.storage.retry import Patience
from nonstop.storage.schema import studies
from nonstop.storage.statement import Runner
from nonstop.storage.text import NOT_SHARED, decode, decode_params, encode, no_study, study_name
from nonstop.trials.messages import Exchange, Pulse, Report, Request
from nonstop.trials.trial import Diagnostics, Trial, TrialState
from nonstop.types import Params

T = TypeVar("T")
_RECORD = (studies.c.id, studies.c.name, studies.c.spec, studies.c.created_at)


class SqlStorage:
    """Follows nonstop.storage.contract.Storage. Travels to other processes as its URL and opens its own connection."""

    def __init__(self, url: str, clock: Clock | None = None, patience: Patience | None = None) -> None:
        self._clock = clock or WallClock()
        self._patience = patience or Patience()
        self._database = Database(parse(url), self._clock, self._patience)
        self._database.prepare()

    def __repr__(self) -> str:
        return f"SqlStorage({masked(self._database.url)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        if self._database.private:
            raise StorageError(NOT_SHARED)
        return type(self), (self._database.url.render_as_string(hide_password=False), self._clock, self._patience)

    def create_study(self, name: str, spec: Mapping[str, object]) -> StudyRecord:
        name, text = study_name(name), encode("the specification of a study", spec, StudyError)
        creation = uuid.uuid4().hex  # tells a retry after a lost answer from a name that was taken before

        def create(connection: Connection) -> StudyRecord:
            self._database.serialize(connection)
            known = select(*_RECORD, studies.c.creation_id).where(studies.c.name == name)
            row = connection.execute(known).one_or_none()
            if row is None:
                values = {"name": name, "creation_id": creation, "spec": text, "created_at": self._clock.now()}
                connection.execute(insert(studies).values(values))
                row = connection.execute(known).one()
            if row.creation_id != creation:
                raise StudyError(f"there is already a study {name!r} here")
            return _record(row)

        return self._database.write(create)

    def load_study(self, name: str) -> StudyRecord:
        query = select(*_RECORD).where(studies.c.name == study_name(name))
        row = self._database.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            raise no_study(name, [study.name for study in self.list_studies()])
        return _record(row)

    def list_studies(self) -> Sequence[StudyRecord]:
        query = select(*_RECORD).order_by(studies.c.id)
        return [_record(row) for row in self._database.read(lambda connection: connection.execute(query).all())]

    def exchange(
        self, study: int, cursor: int, report: Report | None = None, request: Request | None = None
    ) -> Exchange:
        if report is None and request is None:
            return self._database.run(lambda run: _read(run, study, cursor), write=False)
        report = None if report is None else transitions.checked(report)

        def both(here: Ledger) -> Exchange:
            here.read(cursor, None if report is None else report.number, None if request is None else request.id)
            trial = None
            if report is not None:
                trial = self._report(here, report)
            if request is not None:
                trial = self._grant(here, request)
            return here.exchange(trial)

        if report is None or request is None:
            return self._change(study, both)
        answer = self._change(study, both, lasting=False)
        if answer.trial is None or answer.trial.state is not TrialState.PROPOSING:  # no start will follow
            self._change(study, Ledger.flush)
        return answer

    def _report(self, here: Ledger, report: Report) -> Trial:
        trial, now = here.trial(report.number), self._clock.now()
        if not here.log(report, counted=not trial.state.finished, now=now):
            return trial
        transitions.check_started(trial, report.attempt)
        if trial.state.finished:
            return trial
        return here.put(trial, transitions.finish(trial, report, here.version + 1, now))

    def _grant(self, here: Ledger, request: Request) -> Trial | None:
        held = here.granted(request.id)
        if held is not None:
            return held
        now = self._clock.now()
        waiting = here.first_waiting() if here.counts.waiting else None
        if waiting is not None:
            if not transitions.may_claim(here.counts, request.limit):
                return None
            return here.put(waiting, transitions.claim(waiting, request, here.version, now), request_id=request.id)
        if transitions.may_create(here.counts, request.limit):
            return here.add(transitions.ask(here.next_number, request, here.version, now), request_id=request.id)
        return None

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
        texts = {"params": encode("params", params), "diagnostics": encode("diagnostics", diagnostics)}
        params, diagnostics = decode_params(texts["params"]), decode(texts["diagnostics"])

        def start(here: Ledger) -> Exchange:
            here.read(cursor, number)
            trial = here.trial(number)
            if transitions.repeats_start(trial, attempt, params):
                return here.exchange(trial)
            started = transitions.start(trial, params, seed, diagnostics, self._clock.now())
            if transitions.overtaken(trial, params, here.changes, unique):
                return here.exchange(None)
            return here.exchange(here.put(trial, started, **texts))

        return self._change(study, start)

    def insert(self, study: int, params: Params, value: float | None, request_id: str) -> Trial:
        params = decode_params(encode("params", params))

        def add(here: Ledger) -> Trial:
            known = here.inserted(request_id)
            if known is not None:
                return known
            now = self._clock.now()
            trial = transitions.insert(here.next_number, params, value, here.version + 1, now)
            if trial.value is not None:
                here.log(Report(f"insert {request_id}", trial.number, 1, trial.state, trial.value), True, now)
            return here.add(trial, insert_id=request_id)

        return self._change(study, add)

    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]:
        def listen(run: Runner) -> Sequence[Pulse]:
            if not ledger.exists(run, study):
                raise StudyError(f"there is no study with id {study} here")
            if mine:
                ledger.beat(run, study, mine)
            return ledger.pulses(run, study)

        return self._database.run(listen, write=bool(mine))

    def hand_on(self, study: int, number: int, attempt: int, beat: int | None, reason: str, max_attempts: int) -> bool:
        def hand_on(here: Ledger) -> bool:
            trial = here.locked(number)
            if not transitions.holds(trial, attempt, beat):
                return False
            here.put(trial, transitions.hand_on(trial, reason, max_attempts, self._clock.now()), request_id=None)
            return True

        return self._change(study, hand_on)

    def close(self) -> None:
        self._database.close()

    def _change(self, study: int, work: Callable[[Ledger], T], lasting: bool = True) -> T:
        """work on the locked study, with its counters written at the end."""

        def change(run: Runner) -> T:
            here = Ledger(run, study, write=True)
            before = here.sequence
            result = work(here)
            if here.sequence != before:
                here.flush()
            return result

        return self._database.run(change, write=True, lasting=lasting)


def _read(run: Runner, study: int, cursor: int) -> Exchange:
    here = Ledger(run, study, write=False)
    here.read(cursor)
    return here.exchange(None)


def _record(row: Sequence[Any]) -> StudyRecord:
    study, name, spec, created_at, *_ = row
    return StudyRecord(study, name, decode(spec), created_at)
