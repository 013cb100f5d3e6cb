"""Storages with one protection taken out. The audit must notice: a suite that cannot fail proves nothing."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, select, update

from nonstop.storage import schema, sql, sqlledger
from nonstop.storage.schema import studies
from nonstop.trials import transitions
from nonstop.trials.trial import Trial


def without_unique_numbers() -> None:
    """No UNIQUE, and counters read before the transaction instead of under its lock."""
    bare = MetaData()
    for table in schema.metadata.sorted_tables:
        keep = table.name != "nonstop_trials"
        columns = [Column(c.name, c.type, primary_key=keep and c.primary_key) for c in table.columns]
        Table(table.name, bare, *columns)
    schema.metadata.create_all = bare.create_all  # type: ignore[method-assign]
    original = sql.SqlStorage._change

    def change(self: Any, study: int, work: Callable[[Any], Any]) -> Any:
        stale = self._database.run(lambda run: sqlledger.SqlLedger(run, study, self._clock, write=False), write=False)
        time.sleep(random.uniform(0, 0.01))

        def on_stale_counters(here: sqlledger.SqlLedger) -> Any:
            here._counts = dict(stale._counts)
            return work(here)

        return original(self, study, on_stale_counters)

    sql.SqlStorage._change = change  # type: ignore[method-assign]


def without_compare_and_set() -> None:
    """A lease is taken without looking whether attempt and beat still hold."""

    def is_held(trial: Trial, attempt: int, beat: int | None = None) -> bool:  # noqa: ARG001
        return trial.state in transitions.HELD

    transitions.is_held = is_held


def without_sequence_in_transaction() -> None:
    """Sequence numbers are taken in a transaction of their own, before the one that makes the change."""
    original = sql.SqlStorage._change

    def reserve(connection: Connection, study: int) -> int:
        mine = studies.c.id == study
        connection.execute(update(studies).where(mine).values(sequence=studies.c.sequence + 2))
        taken: int = connection.execute(select(studies.c.sequence).where(mine)).scalar_one()
        return taken - 2

    def change(self: Any, study: int, work: Callable[[Any], Any]) -> Any:
        reserved = self._database.write(lambda connection: reserve(connection, study))
        time.sleep(random.uniform(0, 0.01))

        def with_reserved(here: sqlledger.SqlLedger) -> Any:
            newest, here.sequence = here.sequence, reserved
            answer = work(here)
            here.sequence = newest
            here.flush()
            return answer

        return original(self, study, with_reserved)

    sql.SqlStorage._change = change  # type: ignore[method-assign]


MUTANTS: dict[str, Callable[[], None]] = {
    "unique": without_unique_numbers,
    "compare-and-set": without_compare_and_set,
    "sequence": without_sequence_in_transaction,
}
