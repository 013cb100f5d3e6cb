"""The ledger of a study in a database.

Writers hold the lock on the study's row (PostgreSQL) or on the file (SQLite) from the first statement to the commit.
So sequence numbers are given and become visible in the same order, and counters can be written as plain values.
Every statement costs time, so one of them reads all that a transaction needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import BindParameter, Select, Update, and_, bindparam, insert, or_, select, text, union_all, update

import nonstop.trials.transitions as transitions
from nonstop.clock import Clock
from nonstop.errors import TrialError
from nonstop.storage.rows import COLUMNS, changed, checksum, some_columns, stored_columns, to_columns, to_trials
from nonstop.storage.schema import results, studies, trials
from nonstop.storage.statement import Runner
from nonstop.storage.text import encode, no_id
from nonstop.trials.messages import Counts, Pulse, Report
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Params

# Parameters start with "the_", because an UPDATE uses the names of columns for the new values.
_STUDY: Final[BindParameter[Any]] = bindparam("the_study")
_ID: Final[BindParameter[Any]] = bindparam("the_id")
_NUMBER: Final[BindParameter[Any]] = bindparam("the_number")

_HEADER: Final = select(studies.c.name, studies.c.sequence, *(studies.c[state.value] for state in TrialState)).where(
    studies.c.id == _STUDY
)
_LOCKED_HEADER: Final = _HEADER.with_for_update()
_FLUSH: Final = update(studies).where(studies.c.id == _STUDY)

_TRIALS: Final = select(*COLUMNS, trials.c.checksum, trials.c.request_id).where(trials.c.study_id == _STUDY)
# Not one SELECT with OR, for which SQLite would scan all trials; without an order, so that it need not sort.
_NEWS: Final = union_all(
    _TRIALS.where(trials.c.sequence > bindparam("the_cursor")),
    _TRIALS.where(trials.c.number == _NUMBER),
    _TRIALS.where(trials.c.request_id == _ID),
)
# FOR UPDATE, because a heartbeat changes its row without the study's lock.
_LOCKED: Final = _TRIALS.where(trials.c.number == _NUMBER).with_for_update()
_WAITING: Final = _TRIALS.where(trials.c.state == TrialState.WAITING.value).order_by(trials.c.number).limit(1)
_WAITING_FIXED: Final = _WAITING.where(trials.c.fixed == bindparam("the_fixed"))
_INSERTED: Final = _TRIALS.where(trials.c.insert_id == _ID).with_for_update()
_RANGE: Final = _TRIALS.where(trials.c.number >= _NUMBER, trials.c.number < bindparam("the_end")).order_by(
    trials.c.number
)
_ADD: Final = insert(trials)
#: Rows that are made and sent together. PostgreSQL ends a transaction that is idle for 5 s, so not all at once.
_PART: Final = 2000
_PUT: Final = update(trials).where(trials.c.study_id == _STUDY, trials.c.number == _NUMBER)
# As text, because SQLAlchemy has another ON CONFLICT for each database.
_LOG: Final = text(
    f"INSERT INTO {results.name} ({', '.join(results.c.keys())}) "
    f"VALUES (:{', :'.join(results.c.keys())}) ON CONFLICT DO NOTHING"
)
# No index serves this, and none is worth its cost: it is asked only when a value comes for a FAILED trial.
_DECIDED: Final = (
    select(results.c.id)
    .where(results.c.study_id == _STUDY, results.c.number == _NUMBER, results.c.counted.is_(True))
    .limit(1)
)

_HELD: Final = or_(*(trials.c.state == state.value for state in transitions.HELD))
_PULSES: Final = select(trials.c.number, trials.c.attempt, trials.c.beat, trials.c.owner, trials.c.lease).where(
    trials.c.study_id == _STUDY, _HELD
)


def exists(run: Runner, study: int) -> bool:
    """Is there a study with this id?"""
    return run(_HEADER, {"the_study": study}).fetchone() is not None


class SqlLedger:
    """Implements nonstop.storage.ledger.Ledger. With `write` it locks the study first; flush() writes the counters."""

    def __init__(self, run: Runner, study: int, clock: Clock, write: bool) -> None:
        self._run = run
        self._clock = clock
        self._study = study
        row = self._run(_LOCKED_HEADER if write else _HEADER, {"the_study": study}).fetchone()
        if row is None:
            raise no_id(study)
        self._name: str = row[0]
        self.sequence: int = row[1]
        self._counts: dict[str, int] = dict(zip(TrialState, row[2:], strict=True))
        self._cursor = self.sequence
        self._trials: dict[int, Trial] = {}  # by number, ordered by sequence number: a changed trial moves to the end
        self._grants: dict[str | None, int] = {}  # request id -> number
        self._rows: dict[int, Sequence[Any]] = {}  # as they were read, by number

    @property
    def counts(self) -> Counts:
        return Counts(*self._counts.values())

    def now(self) -> float:
        return self._clock.now()

    def read(self, cursor: int, number: int | None = None, request_id: str | None = None) -> None:
        named = {"the_study": self._study, "the_cursor": cursor, "the_number": number, "the_id": request_id}
        rows = self._run(_NEWS, named).fetchall()
        self._cursor = cursor
        self._rows = {row[0]: row for row in rows}
        self._trials = {
            trial.number: trial for trial in sorted(to_trials(rows, self._name), key=attrgetter("sequence"))
        }
        self._grants = {row[-1]: row[0] for row in rows}

    @property
    def changes(self) -> tuple[Trial, ...]:
        return tuple(trial for trial in self._trials.values() if trial.sequence > self._cursor)

    def granted(self, request_id: str) -> Trial | None:
        return self._trials[self._grants[request_id]] if request_id in self._grants else None

    def trial(self, number: int) -> Trial:
        if number not in self._trials:
            raise TrialError(f"study {self._name!r} has no trial {number}")
        return self._trials[number]

    def locked(self, number: int) -> Trial:
        found = self._one(_LOCKED, the_number=number)
        self._trials = {} if found is None else {number: found}
        return self.trial(number)

    def first_waiting(self, fixed: Params | None) -> Trial | None:
        return self._one(_WAITING) if fixed is None else self._one(_WAITING_FIXED, the_fixed=encode("fixed", fixed))

    def inserted(self, insert_id: str, count: int) -> Sequence[Trial]:
        first = self._one(_INSERTED, the_id=insert_id)
        if first is None or count == 1:
            return () if first is None else (first,)
        named = {"the_study": self._study, "the_number": first.number, "the_end": first.number + count}
        return to_trials(self._run(_RANGE, named).fetchall(), self._name)

    def _one(self, query: Select[Any], **parameters: object) -> Trial | None:
        row = self._run(query, {"the_study": self._study, **parameters}).fetchone()
        if row is None:
            return None
        self._rows[row[0]] = row
        return to_trials([row], self._name)[0]

    def add(self, trial: Trial, request_id: str) -> Trial:
        trial = self._count(None, trial)
        self._run(_ADD, {**self._row(trial), "request_id": request_id})
        return trial

    def insert(self, trials: Sequence[Trial], insert_id: str) -> Sequence[Trial]:
        first = min(trial.number for trial in trials)
        counted = [self._count(None, trial) for trial in trials]
        self._write_all(counted, f"insert {insert_id}", {first: insert_id})
        return counted

    def restore(self, trials: Sequence[Trial]) -> None:
        """Make these the trials of the study, which has none."""
        self._write_all(trials, "copy", {})
        for trial in trials:
            self._counts[trial.state] += 1
            self.sequence = max(self.sequence, trial.sequence)

    def _write_all(self, trials: Sequence[Trial], id_: str, insert_ids: Mapping[int, str]) -> None:
        """Write new trials, and log the results that they come with; the log's ids are the given one and a number."""
        for start in range(0, len(trials), _PART):
            rows = [self._row(trial) for trial in trials[start : start + _PART]]
            for row in rows:
                row["insert_id"] = insert_ids.get(row["number"])
            self._run.many(_ADD, rows)
            self._run.many(_LOG, [_logged_with(row, id_, self.now()) for row in rows if row["checksum"] is not None])

    def _row(self, trial: Trial) -> dict[str, Any]:
        row = to_columns(trial)
        row["study_id"] = self._study
        row["checksum"] = checksum(row) if trial.state.finished else None
        return row

    def put(self, old: Trial, new: Trial) -> Trial:
        return self._put(old, new, {})

    def grant(self, old: Trial, new: Trial, request_id: str) -> Trial:
        return self._put(old, new, {"request_id": request_id})

    def revoke(self, old: Trial, new: Trial) -> Trial:
        return self._put(old, new, {"request_id": None})

    def _put(self, old: Trial, new: Trial, columns: Mapping[str, str | None]) -> Trial:
        """Write the columns that changed, and no others: writing a column, even its old value, changes a page of every
        index it is in, and each changed page costs a commit two writes."""
        new = self._count(old.state, new)
        written = some_columns(new, changed(old, new))
        if new.state.finished:
            written["checksum"] = checksum({**stored_columns(self._rows[new.number]), **written})
        self._run(_PUT, {"the_study": self._study, "the_number": new.number, **written, **columns})
        return new

    def _count(self, old: TrialState | None, new: Trial) -> Trial:
        self.sequence += 1
        if old is not None:
            self._counts[old] -= 1
        self._counts[new.state] += 1
        new = replace(new, sequence=self.sequence)
        self._trials.pop(new.number, None)
        self._trials[new.number] = new
        return new

    def flush(self) -> None:
        """Write the counters: once, at the end of the transaction."""
        self._run(_FLUSH, {"the_study": self._study, "sequence": self.sequence, **self._counts})

    def log(self, report: Report, counted: bool, now: float) -> bool:
        value = None if report.value is None else repr(report.value)
        row = {"id": report.id, "number": report.number, "attempt": report.attempt, "state": report.state.value}
        row |= {"value": value, "reason": report.reason, "counted": counted, "reported_at": now}
        row |= {"notes": encode("notes", report.notes) if report.notes else None}
        row |= {"outcomes": encode("outcomes", report.outcomes) if report.outcomes else None}
        return bool(self._run(_LOG, {"study_id": self._study, **row}).rowcount)

    def decided(self, number: int) -> bool:
        return self._run(_DECIDED, {"the_study": self._study, "the_number": number}).fetchone() is not None


def _logged_with(row: Mapping[str, Any], id_: str, now: float) -> dict[str, Any]:
    """The log's row of a result that came with its trial."""
    same = ("study_id", "number", "attempt", "state", "value", "reason", "notes", "outcomes")
    log = {name: row[name] for name in same}
    return {**log, "id": f"{id_} {row['number']}", "counted": True, "reported_at": row["finished_at"] or now}


@lru_cache(maxsize=64)
def _beat(count: int) -> Update:
    """One statement for so many trials. The list of numbers is for the index: SQLite would scan the study for an OR."""
    numbers: list[BindParameter[Any]] = [bindparam(f"the_number_{place}") for place in range(count)]
    mine = or_(
        *(and_(trials.c.number == n, trials.c.attempt == bindparam(f"the_attempt_{i}")) for i, n in enumerate(numbers))
    )
    return (
        update(trials)
        .where(trials.c.study_id == _STUDY, trials.c.number.in_(numbers), mine, _HELD)
        .values(beat=trials.c.beat + 1)
    )


def beat(run: Runner, study: int, mine: Sequence[tuple[int, int]]) -> None:
    """Increase heartbeat counters, all in one statement: it needs no transaction around it."""
    parameters: dict[str, object] = {"the_study": study}
    distinct = sorted(set(mine))
    for place, (number, attempt) in enumerate(distinct):
        parameters |= {f"the_number_{place}": number, f"the_attempt_{place}": attempt}
    run(_beat(len(distinct)), parameters)


def pulses(run: Runner, study: int) -> Sequence[Pulse]:
    """The heartbeats of all trials that a worker holds, by number."""
    rows = run(_PULSES, {"the_study": study}).fetchall()
    found = [Pulse(number, attempt, count, worker or "", lease) for number, attempt, count, worker, lease in rows]
    # Sorted here: with ORDER BY number, SQLite would scan all trials instead of sorting a few.
    return sorted(found, key=lambda pulse: pulse.number)
