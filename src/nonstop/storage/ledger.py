"""One study inside one transaction: its counters, its trials, its log of results. What memory.py does with dicts.

Writers hold the lock on the study's row (PostgreSQL) or on the file (SQLite) from the first statement to the commit.
So sequence numbers are given and become visible in the same order, and counters can be written as plain values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import BindParameter, Select, bindparam, insert, or_, select, update

import nonstop.storage.moves as moves
from nonstop.errors import StudyError, TrialError
from nonstop.storage.contract import Counts, Exchange, Pulse, Report
from nonstop.storage.rows import COLUMNS, changed, to_columns, to_trials
from nonstop.storage.schema import results, studies, trials
from nonstop.storage.statement import Runner
from nonstop.trial import Trial, TrialState

# Parameters start with "the_", because an UPDATE keeps the names of columns for itself.
_STUDY: Final[BindParameter[Any]] = bindparam("the_study")
_ID: Final[BindParameter[Any]] = bindparam("the_id")
_NUMBER: Final[BindParameter[Any]] = bindparam("the_number")

_HEADER: Final = select(studies.c.name, studies.c.sequence, *(studies.c[state.value] for state in TrialState)).where(
    studies.c.id == _STUDY
)
_LOCKED_HEADER: Final = _HEADER.with_for_update()
_FLUSH: Final = update(studies).where(studies.c.id == _STUDY)

_TRIALS: Final = select(*COLUMNS).where(trials.c.study_id == _STUDY)
_CHANGES: Final = _TRIALS.where(trials.c.sequence > bindparam("the_cursor")).order_by(trials.c.sequence)
# FOR UPDATE, because a heartbeat changes its row without the study's lock.
_ONE: Final = _TRIALS.where(trials.c.number == _NUMBER).with_for_update()
_WAITING: Final = _TRIALS.where(trials.c.state == TrialState.WAITING.value).order_by(trials.c.number).limit(1)
_GRANTED: Final = _TRIALS.where(trials.c.request_id == _ID).with_for_update()
_INSERTED: Final = _TRIALS.where(trials.c.insert_id == _ID).with_for_update()
_ADD: Final = insert(trials)
_PUT: Final = update(trials).where(trials.c.study_id == _STUDY, trials.c.number == _NUMBER)
_RESULT: Final = select(results.c.number).where(results.c.study_id == _STUDY, results.c.id == _ID)
_LOG: Final = insert(results)

_OWNED: Final = or_(*(trials.c.state == state.value for state in moves.OWNED))
_BEAT: Final = _PUT.where(trials.c.attempt == bindparam("the_attempt"), _OWNED).values(beat=trials.c.beat + 1)
_PULSES: Final = select(trials.c.number, trials.c.attempt, trials.c.beat, trials.c.owner).where(
    trials.c.study_id == _STUDY, _OWNED
)


def exists(run: Runner, study: int) -> bool:
    return run(_HEADER, {"the_study": study}).fetchone() is not None


class Ledger:
    """Reads with `write=False`; with `write=True`, takes the study's lock first, and `flush` writes its counters."""

    def __init__(self, run: Runner, study: int, write: bool) -> None:
        self._run = run
        self._study = study
        row = self._run(_LOCKED_HEADER if write else _HEADER, {"the_study": study}).fetchone()
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
        found = self._one(_ONE, the_number=number)
        if found is None:
            raise TrialError(f"study {self._name!r} has no trial {number}")
        return found

    def first_waiting(self) -> Trial | None:
        return self._one(_WAITING)

    def granted(self, request_id: str) -> Trial | None:
        return self._one(_GRANTED, the_id=request_id)

    def inserted(self, insert_id: str) -> Trial | None:
        return self._one(_INSERTED, the_id=insert_id)

    def _one(self, query: Select[Any], **parameters: object) -> Trial | None:
        row = self._run(query, {"the_study": self._study, **parameters}).fetchone()
        return None if row is None else to_trials([row])[0]

    def changes(self, cursor: int) -> tuple[Trial, ...]:
        rows = self._run(_CHANGES, {"the_study": self._study, "the_cursor": cursor}).fetchall()
        return tuple(to_trials(rows))

    def exchange(self, changes: tuple[Trial, ...], trial: Trial | None) -> Exchange:
        return Exchange(changes, self.sequence, self.version, self.counts, trial)

    def add(self, trial: Trial, **ids: str) -> Trial:
        """Write a new trial with the next sequence number."""
        trial = self._count(None, trial)
        self._run(_ADD, {"study_id": self._study, **to_columns(trial), **ids})
        return trial

    def put(self, old: Trial, new: Trial, **ids: str | None) -> Trial:
        """Write what changed of a trial, with the next sequence number. Only that: a column that is written, even as it
        was, dirties a page of every index it is in, and each page costs a commit two writes."""
        new = self._count(old.state, new)
        columns = to_columns(new, changed(old, new))
        self._run(_PUT, {"the_study": self._study, "the_number": new.number, **columns, **ids})
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
        self._run(_FLUSH, {"the_study": self._study, "sequence": self.sequence, **counters})

    def has_result(self, report_id: str) -> bool:
        return self._run(_RESULT, {"the_study": self._study, "the_id": report_id}).fetchone() is not None

    def log(self, report: Report, counted: bool, now: float) -> None:
        value = None if report.value is None else repr(report.value)
        row = {"id": report.id, "number": report.number, "attempt": report.attempt, "state": report.state.value}
        row |= {"value": value, "reason": report.reason, "counted": counted, "reported_at": now}
        self._run(_LOG, {"study_id": self._study, **row})


def beat(run: Runner, study: int, mine: Sequence[tuple[int, int]]) -> None:
    """In the order of numbers, so that two beats that meet on PostgreSQL do not block each other for good."""
    for number, attempt in sorted(mine):
        run(_BEAT, {"the_study": study, "the_number": number, "the_attempt": attempt})


def pulses(run: Runner, study: int) -> Sequence[Pulse]:
    rows = run(_PULSES, {"the_study": study}).fetchall()
    found = [Pulse(number, attempt, count, owner or "") for number, attempt, count, owner in rows]
    # Sorted here: asked for the order of numbers, SQLite would rather walk through all trials than sort a few.
    return sorted(found, key=lambda pulse: pulse.number)
