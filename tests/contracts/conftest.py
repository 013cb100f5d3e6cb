"""Every backend, for the one contract suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nonstop.clock import Clock
from nonstop.storage.contract import Storage
from nonstop.storage.memory import MemoryStorage
from nonstop.storage.sql import SqlStorage
from tests.helpers.clocks import StampClock
from tests.helpers.postgres import fresh
from tests.helpers.postgres import postgres_url as postgres_url
from tests.helpers.storages import Desk, with_a_journal

#: SQLite in WAL mode, which the SQLite of pysqlite3 does safely, and with a rollback journal, as most Pythons have it.
SHARED = ("sqlite", "sqlite-journal", "postgresql")
BACKENDS = ("memory", "sqlite-memory", *SHARED)


@pytest.fixture
def clock() -> StampClock:
    return StampClock()


@pytest.fixture
def url_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    def make(backend: str) -> str:
        if backend == "postgresql":
            return fresh(request.getfixturevalue("postgres_url"))
        if backend == "sqlite-memory":
            return "sqlite://"
        if backend == "sqlite-journal":
            with_a_journal(tmp_path / "runs.db")
        return f"sqlite:///{tmp_path / 'runs.db'}"

    return make


@pytest.fixture(params=BACKENDS)
def storage(request: pytest.FixtureRequest, url_of: Callable[[str], str], clock: Clock) -> Iterator[Storage]:
    """A storage of each kind, empty."""
    backend: str = request.param
    storage: Storage = MemoryStorage(clock) if backend == "memory" else SqlStorage(url_of(backend), clock)
    yield storage
    storage.close()


@pytest.fixture
def desk(storage: Storage) -> Desk:
    """A storage of each kind with one study, and short words for what one does there."""
    return Desk(storage, storage.create_study("demo", {"direction": "minimize"}).id)


@pytest.fixture(params=SHARED)
def shared_url(request: pytest.FixtureRequest, url_of: Callable[[str], str]) -> str:
    """The URL of an empty storage that processes can share, of each kind."""
    return url_of(request.param)
