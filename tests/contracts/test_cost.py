"""Nothing that happens often may look at all trials: every query of the hot path uses an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import nonstop.storage.sqlite as sqlite
from nonstop.errors import StorageError
from nonstop.storage.sql import SqlStorage
from nonstop.trials.messages import Insert, Request
from nonstop.trials.trial import TrialState
from tests.helpers.storages import Desk
from tests.helpers.trials import a_start


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
    storage.beat(desk.study, [(second.number, 1), (first.number, 1), (5, 2)])
    desk.hand_on(second)
    desk.ask()
    desk.insert({"x": 1.0}, None, "enqueue")


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
        storage.start(study, a_start(given.trial.number, {"x": 0.5}), given.cursor)
    assert [sql.partition(" ")[0] for sql in seen if not sql.startswith("PRAGMA")] == [
        *("BEGIN", "SELECT", "SELECT", "INSERT", "UPDATE", "INSERT", "UPDATE", "COMMIT"),
        *("BEGIN", "SELECT", "SELECT", "UPDATE", "UPDATE", "COMMIT"),
    ]


def test_an_insertion_asks_once_however_long_it_is(sqlite_desk: Desk) -> None:
    """One transaction, and besides the rows themselves a few statements: 100,000 rows take seconds."""
    storage = sqlite_desk.storage
    assert isinstance(storage, SqlStorage)
    rows = [Insert({"x": float(number)}, TrialState.COMPLETED, 1.0) for number in range(3_000)]
    with statements(storage) as seen:
        storage.insert(sqlite_desk.study, rows, "many")
    words = [sql.partition(" ")[0] for sql in seen if not sql.startswith("PRAGMA")]
    assert words.count("INSERT") == 2 * len(rows), "the trials and the log of their results"
    assert [word for word in words if word != "INSERT"] == ["BEGIN", "SELECT", "SELECT", "UPDATE", "COMMIT"]


def test_a_beat_is_one_statement_and_no_transaction(sqlite_desk: Desk) -> None:
    """Between BEGIN and COMMIT a thread may wait for Python's global lock, and all others for it."""
    storage, mine = sqlite_desk.storage, [(sqlite_desk.run().number, 1) for _ in range(3)]
    assert isinstance(storage, SqlStorage)
    with statements(storage) as seen:
        storage.beat(sqlite_desk.study, mine)
    assert [sql.partition(" ")[0] for sql in seen] == ["UPDATE", "BEGIN", "SELECT", "SELECT", "COMMIT"]
    assert seen[1] == "BEGIN", "the pulses are read without a lock on the file"
    assert [pulse.beat for pulse in storage.beat(sqlite_desk.study, [])] == [1, 1, 1]


def synchronous(storage: SqlStorage) -> int:
    """SQLite's word for how commits wait: 2 is full, each of them; 1 is normal, only checkpoints."""
    with storage._database._engine.connect() as connection:
        return int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())


@pytest.mark.parametrize("log_is_safe", [True, False])
def test_every_commit_waits_for_the_disk(log_is_safe: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker's report and request together, too: once the exchange returned, no power cut can undo the result."""
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda _version: log_is_safe)  # nobody checkpoints here
    storage = SqlStorage(f"sqlite:///{tmp_path / 'waits.db'}")
    desk = Desk(storage, storage.create_study("demo", {}).id)
    first = desk.run()
    with statements(storage) as seen:
        given = storage.exchange(desk.study, 0, desk.a_report(first), Request("next", "me", 10))
        assert given.trial is not None
        storage.start(desk.study, a_start(given.trial.number, {"x": 0.5}), given.cursor)
    assert seen.count("COMMIT") == 2
    assert not [sql for sql in seen if "synchronous" in sql.lower()]
    storage.list_studies()  # the connection is in the pool now
    assert synchronous(storage) == 2
    storage.close()


@pytest.mark.parametrize(("log_is_safe", "level"), [(True, 1), (False, 2)])
def test_who_asks_for_it_does_not_wait(
    log_is_safe: bool, level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option of the URL, off by default, and only where a power cut cannot damage the file."""
    monkeypatch.setattr(sqlite, "wal_is_safe", lambda _version: log_is_safe)
    storage = SqlStorage(f"sqlite:///{tmp_path / 'fast.db'}?synchronous=normal")
    assert synchronous(storage) == level
    storage.close()
    with pytest.raises(StorageError, match="synchronous must be 'full' or 'normal', not 'off'"):
        SqlStorage(f"sqlite:///{tmp_path / 'fast.db'}?synchronous=off")


def test_a_result_writes_only_what_it_changes(sqlite_desk: Desk) -> None:
    """Every column that is written dirties the indexes it is in, and params and diagnostics are long."""
    assert isinstance(sqlite_desk.storage, SqlStorage)
    trial = sqlite_desk.run()
    with statements(sqlite_desk.storage) as seen:
        sqlite_desk.report(trial)
    (written,) = [sql.partition(" WHERE ")[0] for sql in seen if sql.startswith("UPDATE nonstop_trials")]
    names = {assignment.partition("=")[0].strip() for assignment in written.partition(" SET ")[2].split(",")}
    assert names == {"state", "value", "place", "finished_at", "sequence", "checksum"}
