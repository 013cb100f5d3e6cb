"""A server that falls silent, loses its name or has too few connections; on a real PostgreSQL of our own."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from nonstop.errors import OutOfReachError, StorageError
from nonstop.storage import postgres
from nonstop.storage.database import Database
from nonstop.storage.retry import Patience
from nonstop.storage.sql import SqlStorage
from nonstop.storage.watchdog import Watchdog
from tests.helpers.postgres import Server, fresh, running_server
from tests.helpers.storages import Desk

PATIENCE = Patience(deadline=1.0)
#: Generous: what is tested would otherwise last for ever.
SOON = 30.0


def backend_of(database: Database) -> int:
    found: int = database.run(lambda run: run._connection.execute("SELECT pg_backend_pid()").fetchone()[0], write=False)
    return found


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """Not the one that NONSTOP_TEST_POSTGRES may name: its processes are not ours to stop."""
    with running_server() as server:
        yield server


@pytest.fixture
def desk(own_server: Server) -> Iterator[Desk]:
    storage = SqlStorage(fresh(own_server.url), patience=PATIENCE)
    yield Desk(storage, storage.create_study("demo", {}).id)
    storage.close()


@pytest.mark.parametrize("call", ["read", "ask"])
def test_a_frozen_backend_does_not_hold_us_for_ever(desk: Desk, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    monkeypatch.setattr("nonstop.storage.database._OVERTIME", 0.5)
    storage = desk.storage
    assert isinstance(storage, SqlStorage)
    frozen = backend_of(storage._database)
    os.kill(frozen, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.raises(OutOfReachError, match="tried for 1 s"):
            getattr(desk, call)()
        assert time.monotonic() - began < SOON
        assert desk.ask().number == 0, "the next call has a new connection, and the frozen one held no lock"
    finally:
        os.kill(frozen, signal.SIGCONT)


def test_a_connection_that_is_not_used_is_given_up(desk: Desk) -> None:
    storage = desk.storage
    assert isinstance(storage, SqlStorage)
    first = backend_of(storage._database)
    assert backend_of(storage._database) == first, "in use, it is kept"
    deadline = time.monotonic() + SOON
    while alive(storage, first):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert desk.ask().number == 0


def alive(storage: SqlStorage, backend: int) -> bool:
    plain = storage._database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection:
        found = connection.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [backend]).fetchone()
    return found is not None


def test_a_connection_in_use_is_given_up_when_it_is_old(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a worker that gets none, because all others use theirs all the time, has its turn."""
    storage = desk.storage
    assert isinstance(storage, SqlStorage)
    first = backend_of(storage._database)
    monkeypatch.setattr(postgres, "OLD", 0.0)
    assert backend_of(storage._database) == first
    assert backend_of(storage._database) != first


def error(text: str) -> OperationalError:
    return OperationalError("", {}, psycopg.OperationalError(text))


LOST = 'could not translate host name "db" to address: Name or service not known'


def test_a_name_that_is_lost_may_come_back_and_one_that_never_was_does_not() -> None:
    assert postgres.transient(error(LOST), reached=True)
    assert not postgres.transient(error(LOST), reached=False)
    assert not postgres.transient(error('password authentication failed for user "me"'), reached=True)


def test_a_timeout_while_connecting_passes() -> None:
    late = OperationalError("", {}, psycopg.errors.ConnectionTimeout("connection timeout expired"))
    assert postgres.transient(late, reached=False)


def test_an_unknown_host_is_refused_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(StorageError) as caught:
        SqlStorage("postgresql://me@nowhere.invalid/db")
    assert not isinstance(caught.value, OutOfReachError)
    assert time.monotonic() - began < SOON


def test_a_copy_does_not_connect_before_it_is_used() -> None:
    copy = SqlStorage("postgresql://me@nowhere.invalid/db", patience=Patience(deadline=0.3), reached=True)
    with pytest.raises(OutOfReachError, match=r"nowhere\.invalid"):
        copy.list_studies()
    copy.close()


@pytest.mark.parametrize(
    "text",
    [
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
    ],
)
def test_too_few_connections_are_named(text: str) -> None:
    assert postgres.transient(error(text), reached=False)
    assert "short of connections" in str(postgres.remedy(error(text)))
    assert "max_connections" in str(postgres.remedy(error(text)))


def test_the_watchdog_acts_only_on_what_takes_too_long() -> None:
    watchdog, rung = Watchdog(), threading.Event()
    with watchdog.after(0.05, rung.set):
        assert rung.wait(SOON)
    never = threading.Event()
    with watchdog.after(0.05, never.set):
        pass
    with watchdog.after(0.05, rung.set):  # the thread goes on after an alarm that was dropped
        rung.clear()
        assert rung.wait(SOON)
    assert not never.is_set()


def test_the_watchdog_of_a_forked_process_is_awake() -> None:
    watchdog = Watchdog()
    with watchdog.after(60.0, lambda: None):
        child = os.fork()
        if child == 0:
            rung = threading.Event()
            with watchdog.after(0.05, rung.set):
                os._exit(0 if rung.wait(SOON) else 1)
        _, status = os.waitpid(child, 0)
    assert status == 0
