"""Retries of passing errors, up to a deadline."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from nonstop.errors import StorageError, StudyError
from nonstop.storage import open_storage, postgres
from nonstop.storage.retry import Patience, retry
from nonstop.storage.sql import SqlStorage
from nonstop.storage.sqlite import driver
from tests.helpers.clocks import StampClock
from tests.helpers.storages import Desk


class TroubleError(Exception):
    pass


def test_trouble_that_passes_is_not_seen() -> None:
    clock, failures = StampClock(), [TroubleError()] * 5

    def work() -> str:
        if failures:
            raise failures.pop()
        return "done"

    assert retry(work, lambda _: True, clock, Patience()) == "done"
    assert len(clock.slept) == 5


def test_trouble_that_stays_ends_at_the_deadline() -> None:
    clock = StampClock()

    def work() -> None:
        raise TroubleError

    with pytest.raises(TroubleError):
        retry(work, lambda _: True, clock, Patience(deadline=60.0))
    assert 58 < sum(clock.slept) <= 60
    assert max(clock.slept) <= 1.0
    assert len(set(clock.slept)) == len(clock.slept)


def test_what_is_no_passing_trouble_is_not_repeated() -> None:
    clock = StampClock()

    def work() -> None:
        raise TroubleError

    with pytest.raises(TroubleError):
        retry(work, lambda _: False, clock, Patience())
    assert clock.slept == []


def test_a_locked_file_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonstop.storage.sqlite.BUSY_TIMEOUT", 0.05)
    path = tmp_path / "runs.db"
    storage = open_storage(f"sqlite:///{path}")
    desk = Desk(storage, storage.create_study("demo", {}).id)
    blocker = driver().connect(path, isolation_level=None, check_same_thread=False)
    blocker.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.4, blocker.execute, ["ROLLBACK"]).start()
    start = time.monotonic()
    assert desk.ask().number == 0
    assert time.monotonic() - start > 0.3
    blocker.close()
    storage.close()


def test_a_file_that_stays_locked_is_an_error_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonstop.storage.sqlite.BUSY_TIMEOUT", 0.01)
    path = tmp_path / "runs.db"
    storage = SqlStorage(f"sqlite:///{path}", StampClock(), Patience(deadline=3))
    desk = Desk(storage, storage.create_study("demo", {}).id)
    blocker = driver().connect(path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StorageError, match=r"locked \(tried for 3 s\); another process holds"):
        desk.ask()
    blocker.close()
    assert desk.ask().number == 0
    storage.close()


def test_a_lost_answer_does_not_take_the_name_from_its_creator(
    shared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = SqlStorage(shared_url)
    write = storage._database.write

    def twice(work):  # type: ignore[no-untyped-def]
        write(work)
        return write(work)

    monkeypatch.setattr(storage._database, "write", twice)
    assert storage.create_study("demo", {}).name == "demo"
    with pytest.raises(StudyError):
        storage.create_study("demo", {})
    storage.close()


def test_a_server_that_ends_our_session_is_reached_again(postgres_url: str) -> None:
    storage, other = SqlStorage(postgres_url), SqlStorage(postgres_url)
    study = storage.create_study(f"study {time.time_ns()}", {}).id
    mine = storage._database.read(lambda connection: connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())
    other._database.write(lambda connection: connection.exec_driver_sql(f"SELECT pg_terminate_backend({mine})").all())
    assert Desk(storage, study).ask().number == 0
    storage.close()
    other.close()


def test_a_worker_stopped_inside_a_transaction_does_not_hold_the_study_for_good(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_SETTINGS", {"idle_in_transaction_session_timeout": "300ms"})
    stopped, other = SqlStorage(postgres_url), SqlStorage(postgres_url)
    study = stopped.create_study(f"study {time.time_ns()}", {}).id
    connection = stopped._database._writers.connect()
    connection.begin()
    connection.exec_driver_sql(f"SELECT 1 FROM nonstop_studies WHERE id = {study} FOR UPDATE")
    assert Desk(other, study).ask().number == 0
    connection.invalidate()
    connection.close()
    assert Desk(stopped, study).ask().number == 1
    stopped.close()
    other.close()
