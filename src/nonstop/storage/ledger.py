"""One study inside one transaction: its counters, its trials, its log of results. What memory.py does with dicts.

Writers hold the lock on the study's row (PostgreSQL) or on the file (SQLite) from the first statement to the commit.
So sequence numbers are given and become visible in the same order, and counters can be written as plain values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, Select, insert, or_, select, update
from sqlalchemy.sql import bindparam

from nonstop.errors import StudyError, TrialError
from nonstop.storage import moves
from nonstop.storage.contract import Counts, Exchange, Pulse, Report
from nonstop.storage.schema import results, studies, trials
from nonstop.storage.text import decode, decode_params, encode
from nonstop.trial import Trial, TrialState

_STATES: Final = {state.value: state for state in TrialState}
_COUNTERS: Final = tuple(studies.c[state.value] for state in TrialState)
#: In the order of Trial's fields.
_COLUMNS: Final = tuple(trials.c["place" if name == "order" else name] for name in Trial.__slots__)
_Columns: TypeAlias = dict[str, Any]


class Ledger:
    """Reads with `write=False`; with `write=True`, takes the study's lock first, and `flush` writes its counters."""

    def __init__(self, connection: Connection, study: int, write: bool) -> None:
        self._connection = connection
        self._study = study
        self._write = write
        header = select(studies.c.name, studies.c.sequence, *_COUNTERS).where(studies.c.id == study)
        row = connection.execute(header.with_for_update() if write else header).one_or_none()
        if row is None:
            raise StudyError(f"there is no study with id {study} here")
        self._name: str = row[0]
        self.sequence: int = row[1]
        self._counts: dict[TrialState, int] = dict(zip(TrialState, row[2:], strict=True))

    @property
    def version(self) -> int:
        return self._counts[TrialState.COMPLETED]

    @property
    def counts(self) -> Counts:
        return Counts(**{state.value: count for state, count in self._counts.items()})

    @property
    def next_number(self) -> int:
        return sum(self._counts.values())

    def trial(self, number: int) -> Trial:
        found = self._one(self._select().where(trials.c.number == number))
        if found is None:
            raise TrialError(f"study {self._name!r} has no trial {number}")
        return found

    def first_waiting(self) -> Trial | None:
        waiting = trials.c.state == TrialState.WAITING.value
        return self._one(self._select().where(waiting).order_by(trials.c.number).limit(1))

    def granted(self, request_id: str) -> Trial | None:
        return self._one(self._select().where(trials.c.request_id == request_id))

    def inserted(self, insert_id: str) -> Trial | None:
        return self._one(self._select().where(trials.c.insert_id == insert_id))

    def _select(self) -> Select[Any]:
        return select(*_COLUMNS).where(trials.c.study_id == self._study)

    def _one(self, query: Select[Any]) -> Trial | None:
        # FOR UPDATE, because a heartbeat changes its row without the study's lock.
        row = self._connection.execute(query.with_for_update() if self._write else query).one_or_none()
        return None if row is None else to_trial(row)

    def changes(self, cursor: int) -> tuple[Trial, ...]:
        query = self._select().where(trials.c.sequence > cursor).order_by(trials.c.sequence)
        return tuple(to_trial(row) for row in self._connection.execute(query))

    def exchange(self, cursor: int, trial: Trial | None) -> Exchange:
        return Exchange(self.changes(cursor), self.sequence, self.version, self.counts, trial)

    def add(self, trial: Trial, **ids: str) -> Trial:
        """Write a new trial with the next sequence number."""
        trial = self._count(None, trial)
        self._connection.execute(insert(trials).values(study_id=self._study, **to_columns(trial), **ids))
        return trial

    def put(self, old: Trial, new: Trial, **ids: str | None) -> Trial:
        """Write a changed trial with the next sequence number."""
        new = self._count(old.state, new)
        mine = (trials.c.study_id == self._study) & (trials.c.number == new.number)
        self._connection.execute(update(trials).where(mine).values(**to_columns(new), **ids))
        return new

    def _count(self, old: TrialState | None, new: Trial) -> Trial:
        self.sequence += 1
        if old is not None:
            self._counts[old] -= 1
        self._counts[new.state] += 1
        return replace(new, sequence=self.sequence)

    def flush(self) -> None:
        """Write the counters: once, at the end of the transaction."""
        counters = {state.value: count for state, count in self._counts.items()}
        mine = studies.c.id == self._study
        self._connection.execute(update(studies).where(mine).values(sequence=self.sequence, **counters))

    def has_result(self, report_id: str) -> bool:
        query = select(results.c.number).where(results.c.study_id == self._study, results.c.id == report_id)
        return self._connection.execute(query).one_or_none() is not None

    def log(self, report: Report, counted: bool, now: float) -> None:
        value = None if report.value is None else repr(report.value)
        row = {"id": report.id, "number": report.number, "attempt": report.attempt, "state": report.state.value}
        row |= {"value": value, "reason": report.reason, "counted": counted, "reported_at": now}
        self._connection.execute(insert(results).values(study_id=self._study, **row))


_OWNED: Final = or_(*(trials.c.state == state.value for state in moves.OWNED))
_MINE: Final = (
    update(trials)
    .where(trials.c.study_id == bindparam("mine_study"), trials.c.number == bindparam("mine_number"))
    .where(trials.c.attempt == bindparam("mine_attempt"), _OWNED)
    .values(beat=trials.c.beat + 1)
)


def beat(connection: Connection, study: int, mine: Sequence[tuple[int, int]]) -> None:
    """In the order of numbers, so that two beats that meet on PostgreSQL do not block each other for good."""
    rows = [{"mine_study": study, "mine_number": number, "mine_attempt": attempt} for number, attempt in sorted(mine)]
    connection.execute(_MINE, rows)


def pulses(connection: Connection, study: int) -> Sequence[Pulse]:
    query = select(trials.c.number, trials.c.attempt, trials.c.beat, trials.c.owner)
    rows = connection.execute(query.where(trials.c.study_id == study, _OWNED).order_by(trials.c.number))
    return [Pulse(number, attempt, count, owner or "") for number, attempt, count, owner in rows]


def to_trial(row: Sequence[Any]) -> Trial:
    number, state, params, value, version, place, seed, attempt, owner, count, reason, diagnostics = row[:12]
    return Trial(
        number,
        _STATES[state],
        None if params is None else decode_params(params),
        None if value is None else float(value),
        version,
        place,
        seed,
        attempt,
        owner,
        count,
        reason,
        decode(diagnostics),
        *row[12:],
    )


def to_columns(trial: Trial) -> _Columns:
    columns: _Columns = {name: getattr(trial, name) for name in Trial.__slots__}
    columns["place"] = columns.pop("order")
    return columns | {
        "state": trial.state.value,
        "params": None if trial.params is None else encode("params", trial.params),
        "value": None if trial.value is None else repr(trial.value),
        "diagnostics": encode("diagnostics", trial.diagnostics),
    }
