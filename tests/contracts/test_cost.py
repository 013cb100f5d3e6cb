"""Nothing that happens often may look at all trials: every query of the hot path uses an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import nonstop.storage.sqlite as sqlite
from nonstop.errors import TrialError
from nonstop.storage.sql import SqlStorage
from nonstop.trials.messages import Report, Request
from nonstop.trials.trial import TrialState
from tests.helpers.storages import Desk


@contextmanager
def statements(storage: SqlStorage) -> Iterator[list[str]]:
    """The SQL of everything the storage executes, with the values in it."""
    seen: list[str] = []
    storage.list_studies()  # the connection is in the pool now, where we find the driver's
    pooled = storage._database._engine.raw_connection()
    driver: Any = pooled.driver_connection
    driver.set_trace_callback(seen.append)
    pooled.close()
    yield seen
    driver.set_trace_callback(None)


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
    queries = [sql for sql in seen if sql.startswith(("SELECT", "UPDATE"))]
    assert len(queries) > 20
    for sql in queries:
        plan = storage._database.read(
            lambda connection, sql=sql: [  # type: ignore[misc]
                str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}")
            ]
        )
        assert not any("SCAN" in step or "TEMP B-TREE" in step for step in plan), (sql, plan)
        # (study_id=?) alone is a scan of the whole study in disguise.
        assert not any(step.endswith("(study_id=?)") for step in plan), (sql, plan)


def test_nothing_counts_rows(sqlite_desk: Desk) -> None:
    assert isinstance(sqlite_desk.storage, SqlStorage)
    with statements(sqlite_desk.storage) as seen:
        a_day_at_work(sqlite_desk)
    assert seen
    assert not any("count(" in sql.lower() for sql in seen)


def test_a_new_trial_costs_few_statements(sqlite_desk: Desk) -> None:
    storage, study = sqlite_desk.storage, sqlite_desk.study
    assert isinstance(storage, SqlStorage)
    report = sqlite_desk.a_report(sqlite_desk.run())
    with statements(storage) as seen:
        given = storage.exchange(study, 2, report, Request("next", "me", 10))
        assert given.trial is not None
        storage.start(study, given.trial.number, 1, {"x": 0.5}, 0, {}, given.cursor)
    assert [sql.partition(" ")[0] for sql in seen if not sql.startswith("PRAGMA")] == [
        *("BEGIN", "SELECT", "SELECT", "INSERT", "UPDATE", "INSERT", "UPDATE", "COMMIT"),
        *("BEGIN", "SELECT", "SELECT", "UPDATE", "UPDATE", "COMMIT"),
    ]


def waits(seen: list[str]) -> list[bool]:
    """Which of the commits wait for the disk."""
    full, commits = True, []
    for sql in seen:
        if sql.startswith("PRAGMA synchronous="):
            full = sql.endswith("FULL")
        elif sql == "COMMIT":
            commits.append(full)
    assert full, "the connection was left in a hurry"
    return commits


@pytest.mark.parametrize("log_is_safe", [True, False])
def test_a_report_waits_for_the_disk_with_the_start_that_follows(
    log_is_safe: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a write-ahead log only; and where no start follows, the report waits by itself."""
    if log_is_safe and not sqlite.wal_is_safe(sqlite.driver().sqlite_version_info):
        monkeypatch.setattr(sqlite, "wal_is_safe", lambda _version: True)  # nobody checkpoints here
    elif not log_is_safe:
        monkeypatch.setattr(sqlite, "wal_is_safe", lambda _version: False)
    storage = SqlStorage(f"sqlite:///{tmp_path / 'waits.db'}")
    desk = Desk(storage, storage.create_study("demo", {}).id)
    first, second = desk.run(), desk.run()
    with statements(storage) as seen:
        given = storage.exchange(desk.study, 0, desk.a_report(first), Request("next", "me", 10))
        assert given.trial is not None
        storage.start(desk.study, given.trial.number, 1, {"x": 0.5}, 0, {}, given.cursor)
        granted = waits(seen)
        seen.clear()
        assert storage.exchange(desk.study, 0, desk.a_report(second), Request("last", "me", 1)).trial is None
        refused = waits(seen)
        seen.clear()
        storage.exchange(desk.study, 0, desk.a_report(given.trial))
        alone = waits(seen)
        seen.clear()
        with pytest.raises(TrialError):
            storage.exchange(desk.study, 0, Report("r", 99, 1, TrialState.COMPLETED, 1.0), Request("more", "me", 10))
        assert waits(seen) == []
    storage.close()
    assert granted == [not log_is_safe, True]
    assert refused == [not log_is_safe, True]
    assert alone == [True]


def test_a_trial_that_waits_needs_no_start_and_so_the_report_does_not_wait_for_one(sqlite_desk: Desk) -> None:
    storage, study = sqlite_desk.storage, sqlite_desk.study
    assert isinstance(storage, SqlStorage)
    report = sqlite_desk.a_report(sqlite_desk.run())
    storage.insert(study, {"x": 1.0}, None, "enqueued")
    with statements(storage) as seen:
        given = storage.exchange(study, 0, report, Request("next", "me", 10)).trial
    assert given is not None
    assert given.state is TrialState.RUNNING
    assert waits(seen)[-1]


def test_a_result_writes_only_what_it_changes(sqlite_desk: Desk) -> None:
    """Every column that is written dirties the indexes it is in, and params and diagnostics are long."""
    assert isinstance(sqlite_desk.storage, SqlStorage)
    trial = sqlite_desk.run()
    with statements(sqlite_desk.storage) as seen:
        sqlite_desk.report(trial)
    (written,) = [sql.partition(" WHERE ")[0] for sql in seen if sql.startswith("UPDATE nonstop_trials")]
    names = {assignment.partition("=")[0].strip() for assignment in written.partition(" SET ")[2].split(",")}
    assert names == {"state", "value", "place", "finished_at", "sequence"}
