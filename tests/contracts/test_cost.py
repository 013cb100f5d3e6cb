"""Nothing that happens often may look at all trials: every query of the hot path uses an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from nonstop.storage.contract import Request
from nonstop.storage.sql import SqlStorage
from tests.contracts.helpers import Desk


@contextmanager
def statements(storage: SqlStorage) -> Iterator[list[tuple[str, Any]]]:
    """The SQL and parameters of everything the storage executes."""
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        seen.append((statement, parameters[0] if many else parameters))

    event.listen(storage._database._engine, "before_cursor_execute", note)
    yield seen
    event.remove(storage._database._engine, "before_cursor_execute", note)


@pytest.fixture
def sqlite_desk(tmp_path: Path) -> Iterator[Desk]:
    storage = SqlStorage(f"sqlite:///{tmp_path / 'runs.db'}")
    yield Desk(storage, storage.create_study("demo", {}).id)
    storage.close()


def a_day_at_work(desk: Desk) -> None:
    """Every call of the hot path, each way it can go."""
    storage = desk.storage
    first, second = desk.run(), desk.run()
    storage.exchange(desk.study, 3, desk.a_report(first), Request("next", "me", 10))
    storage.beat(desk.study, [(second.number, 1)])
    desk.hand_on(second)
    desk.ask()
    storage.insert(desk.study, {"x": 1.0}, None, "enqueue")


def test_no_query_scans_or_sorts(sqlite_desk: Desk) -> None:
    storage = sqlite_desk.storage
    assert isinstance(storage, SqlStorage)
    with statements(storage) as seen:
        a_day_at_work(sqlite_desk)
    queries = [(sql, parameters) for sql, parameters in seen if sql.startswith(("SELECT", "UPDATE"))]
    assert len(queries) > 20
    for sql, parameters in queries:
        plan = storage._database.read(
            lambda connection, sql=sql, parameters=parameters: [  # type: ignore[misc]
                str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", parameters)
            ]
        )
        assert not any("SCAN" in step or "TEMP B-TREE" in step for step in plan), (sql, plan)
        # (study_id=?) alone is a scan of the whole study in disguise.
        assert not any(step.endswith("(study_id=?)") for step in plan), (sql, plan)


def test_nothing_counts_rows(sqlite_desk: Desk) -> None:
    assert isinstance(sqlite_desk.storage, SqlStorage)
    with statements(sqlite_desk.storage) as seen:
        a_day_at_work(sqlite_desk)
    assert not any("count(" in sql.lower() for sql, _ in seen)


def test_a_new_trial_costs_few_statements(sqlite_desk: Desk) -> None:
    assert isinstance(sqlite_desk.storage, SqlStorage)
    trial = sqlite_desk.run()
    with statements(sqlite_desk.storage) as seen:
        sqlite_desk.storage.exchange(sqlite_desk.study, 2, sqlite_desk.a_report(trial), Request("next", "me", 10))
    assert len(seen) <= 10, [sql for sql, _ in seen]
