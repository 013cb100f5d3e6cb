"""Studies in SQLite or PostgreSQL, shared by threads, processes and machines."""

from __future__ import annotations

import errno
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, insert, select, update

import nonstop.storage.sqlledger as sqlledger
import nonstop.storage.transactions as transactions
from nonstop.clock import Clock, WallClock
from nonstop.errors import StorageError, StudyError
from nonstop.storage.contract import StudyRecord
from nonstop.storage.database import Database, masked, parse, sqlite_path
from nonstop.storage.retry import Patience
from nonstop.storage.schema import results, studies, trials
from nonstop.storage.sqlledger import SqlLedger
from nonstop.storage.statement import Runner
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
    study_name,
)
from nonstop.trials.copying import check_whole
from nonstop.trials.messages import Counts, Exchange, HandOn, Insert, Pulse, Report, Request, Start
from nonstop.trials.trial import Trial
from nonstop.wording import shown as shown_value

T = TypeVar("T")
_RECORD = (studies.c.id, studies.c.name, studies.c.spec, studies.c.created_at, studies.c.creation_id, studies.c.budget)


class SqlStorage:
    """Implements nonstop.storage.contract.Storage. Pickled as its URL: each process opens its own connection.

    A copy in another process (`reached`) does not connect before it is used: then its worker can say what is wrong.
    """

    def __init__(
        self, url: str, clock: Clock | None = None, patience: Patience | None = None, reached: bool = False
    ) -> None:
        self._clock = clock or WallClock()
        self._patience = patience or Patience()
        self._database = Database(parse(url), self._clock, self._patience, reached)
        if not reached:
            self._database.prepare()

    def __repr__(self) -> str:
        return f"SqlStorage({masked(self._database.url)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        if self._database.private:
            raise StorageError(NOT_SHARED)
        url = self._database.url.render_as_string(hide_password=False)
        return type(self), (url, self._clock, self._patience, True)

    def create_study(self, name: str, spec: Mapping[str, object]) -> StudyRecord:
        return self._created(name, spec, None, ())

    def restore_study(self, name: str, original: StudyRecord, trials: Sequence[Trial]) -> StudyRecord:
        check_whole(trials)
        return self._created(name, original.spec, original.budget, trials)

    def _created(
        self, name: str, spec: Mapping[str, object], budget: int | None, copied: Sequence[Trial]
    ) -> StudyRecord:
        name, text = new_study_name(name), encode("the specification of a study", spec, StudyError)
        creation = uuid.uuid4().hex  # tells a retry after a lost answer from a name that is taken

        def create(connection: Connection) -> StudyRecord:
            self._database.serialize(connection)
            known = select(*_RECORD).where(studies.c.name == name)
            row = connection.execute(known).one_or_none()
            if row is None:
                values = {"name": name, "creation_id": creation, "spec": text, "created_at": self._clock.now()}
                connection.execute(insert(studies).values({**values, "budget": budget}))
                row = connection.execute(known).one()
                self._restore(connection, row.id, copied)
            if row.creation_id != creation:
                raise StudyError(f"there is already a study {name!r} here")
            return _record(row)

        return self._database.write(create)

    def _restore(self, connection: Connection, study: int, copied: Sequence[Trial]) -> None:
        if copied:
            run = Runner(connection.connection.driver_connection, connection.dialect)
            ledger = SqlLedger(run, study, self._clock, write=True)
            ledger.restore(copied)
            ledger.flush()

    def rename_study(self, study: int, name: str) -> None:
        name = new_study_name(name)

        def rename(connection: Connection) -> None:
            self._database.serialize(connection)
            if connection.execute(select(studies.c.id).where(studies.c.name == name, studies.c.id != study)).first():
                raise StudyError(f"there is already a study {name!r} here")
            if not connection.execute(update(studies).where(studies.c.id == study).values(name=name)).rowcount:
                raise no_id(study)

        self._database.write(rename)

    def delete_study(self, study: int) -> None:
        seen: list[bool] = []  # was it there at an earlier try, whose answer was lost?

        def remove(connection: Connection) -> None:
            row = connection.execute(select(studies.c.id).where(studies.c.id == study).with_for_update()).first()
            if row is None and not seen:
                raise no_id(study)
            seen.append(True)
            connection.execute(delete(results).where(results.c.study_id == study))
            connection.execute(delete(trials).where(trials.c.study_id == study))
            connection.execute(delete(studies).where(studies.c.id == study))

        self._database.write(remove)

    def load_study(self, name: str) -> StudyRecord:
        query = select(*_RECORD).where(studies.c.name == study_name(name))
        row = self._database.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            raise no_study(name, [study.name for study in self.list_studies()])
        record = _record(row)
        if record.trouble:
            raise StudyError(f"the study {name!r} cannot be loaded: {record.trouble}")
        return record

    def list_studies(self) -> Sequence[StudyRecord]:
        query = select(*_RECORD).order_by(studies.c.id)
        return [_record(row) for row in self._database.read(lambda connection: connection.execute(query).all())]

    def exchange(
        self, study: int, cursor: int, report: Report | None = None, request: Request | None = None
    ) -> Exchange:
        if report is None and request is None:
            return self._read(study, lambda ledger: transactions.exchange(ledger, cursor, None, None))
        asked = None if request is None else clean_request(request)
        return self._change(study, lambda ledger: transactions.exchange(ledger, cursor, report, asked))

    def start(self, study: int, start: Start, cursor: int) -> Exchange:
        clean = replace(start, params=clean_params(start.params))
        return self._change(study, lambda ledger: transactions.start(ledger, clean, cursor))

    def insert(self, study: int, inserts: Sequence[Insert], request_id: str) -> Sequence[Trial]:
        clean = clean_inserts(inserts)
        return self._change(study, lambda ledger: transactions.insert(ledger, clean, request_id))

    def set_budget(self, study: int, budget: int | None) -> None:
        change = update(studies).where(studies.c.id == study).values(budget=budget)

        def write(connection: Connection) -> None:
            if not connection.execute(change).rowcount:
                raise no_id(study)

        self._database.write(write)

    def counts(self, study: int) -> Counts:
        return self._read(study, lambda ledger: ledger.counts)

    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]:
        def read(run: Runner) -> Sequence[Pulse]:
            if not sqlledger.exists(run, study):
                raise no_id(study)
            return sqlledger.pulses(run, study)

        if mine:
            self._database.run_alone(lambda run: sqlledger.beat(run, study, mine))
        return self._database.run(read, write=False)

    def hand_on(self, study: int, hand_on: HandOn) -> bool:
        return self._change(study, lambda ledger: transactions.hand_on(ledger, hand_on))

    def close(self) -> None:
        self._database.close()

    def _read(self, study: int, work: Callable[[SqlLedger], T]) -> T:
        """Run work on one consistent snapshot, without a lock."""
        return self._database.run(lambda run: work(SqlLedger(run, study, self._clock, write=False)), write=False)

    def _change(self, study: int, work: Callable[[SqlLedger], T]) -> T:
        """Run work on the locked study, and write its counters if anything changed."""

        def change(run: Runner) -> T:
            ledger = SqlLedger(run, study, self._clock, write=True)
            before = ledger.sequence
            result = work(ledger)
            if ledger.sequence != before:
                ledger.flush()
            return result

        return self._database.run(change, write=True)


def _record(row: Sequence[Any]) -> StudyRecord:
    study, name, spec, created_at, creation, budget = row
    try:
        return StudyRecord(study, name, decode(spec), created_at, creation, budget)
    except (ValueError, TypeError, RecursionError) as error:
        trouble = f"its specification is damaged ({error}): restore it from a backup"
        return StudyRecord(study, name, {}, created_at, creation, budget, trouble)


def open_url(url: str, patience: Patience | None) -> SqlStorage:
    """The storage behind a URL; see nonstop.storage.schemes.Backend."""
    return SqlStorage(url, patience=patience)


def missing(url: str) -> str | None:
    """Says that the file of an SQLite URL does not exist, if so; what a server lacks, it says when it is opened."""
    path = sqlite_path(parse(url))
    try:
        return None if path is None or path.exists() else f"there is no file {path}"
    except OSError as error:  # of a folder that we may not enter, opening the file says so
        return None if error.errno == errno.EACCES else f"{error.strerror}: {shown_value(str(path))}"


def shown(url: str) -> str:
    """The URL without passwords."""
    return masked(parse(url))
