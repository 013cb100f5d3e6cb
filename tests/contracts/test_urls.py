"""Opening a storage by URL, what travels to another process, and what is never shown."""

from __future__ import annotations

import pickle
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from nonstop.errors import MissingExtraError, StorageError
from nonstop.storage import open_storage, postgres
from nonstop.storage.memory import MemoryStorage
from nonstop.storage.retry import Patience
from nonstop.storage.sql import SqlStorage
from tests.helpers.clocks import StampClock
from tests.helpers.storages import Desk


def test_none_is_memory_and_a_storage_is_itself() -> None:
    storage = open_storage(None)
    assert isinstance(storage, MemoryStorage)
    assert open_storage(storage) is storage


def test_memory_needs_no_sqlalchemy() -> None:
    code = "import sys, nonstop.storage as s; s.open_storage(None); print('sqlalchemy' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "False"


@pytest.mark.parametrize("url", ["runs.db", "", "mysql://me:geheim@host/db", "redis://x", "sqlite+aiosqlite:///x.db"])
def test_an_unknown_url_is_refused_with_examples(url: str) -> None:
    with pytest.raises(StorageError, match="sqlite:///FILE") as caught:
        open_storage(url)
    assert "geheim" not in str(caught.value)


def test_a_relative_file_stays_the_same_file_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    storage = open_storage("sqlite:///runs.db")
    storage.create_study("demo", {})
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    copy = pickle.loads(pickle.dumps(storage))
    assert copy.load_study("demo").name == "demo"
    storage.close()
    copy.close()


def test_a_storage_travels_as_its_url(shared_url: str) -> None:
    storage = open_storage(shared_url)
    study = storage.create_study("demo", {})
    copy = pickle.loads(pickle.dumps(storage))
    assert list(copy.list_studies()) == [study]
    copy.close()
    assert list(storage.list_studies()) == [study]
    storage.close()


@pytest.mark.parametrize("url", [None, "sqlite://", "sqlite:///:memory:"])
def test_a_study_in_memory_does_not_travel(url: str | None) -> None:
    storage = open_storage(url)
    with pytest.raises(StorageError, match="another process"):
        pickle.dumps(storage)
    storage.close()


def test_a_read_only_file_can_be_read_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    writer = open_storage(f"sqlite:///{path}")
    desk = Desk(writer, writer.create_study("demo", {}).id)
    desk.report(desk.run())
    reader = open_storage(f"sqlite:///file:{path}?mode=ro&uri=true")
    assert reader.exchange(desk.study, 0) == desk.read()
    assert list(reader.beat(desk.study, [])) == []
    with pytest.raises(StorageError, match="cannot be written"):
        Desk(reader, desk.study).ask()
    reader.close()
    writer.close()


def test_reading_takes_no_write_lock(shared_url: str) -> None:
    reader = SqlStorage(shared_url, patience=Patience(deadline=0.0))
    study = reader.create_study("demo", {}).id
    writer = SqlStorage(shared_url)
    with writer._database._writers.begin() as connection:
        writer._database.serialize(connection)
        connection.exec_driver_sql("UPDATE nonstop_studies SET sequence = sequence + 1")
        assert reader.exchange(study, 0).cursor == 0
        assert list(reader.beat(study, [])) == []
    assert reader.exchange(study, 0).cursor == 1
    reader.close()
    writer.close()


SECRETS = (
    "postgresql://me:geheim@127.0.0.1:1/db",
    "postgres://me@127.0.0.1:1/db?password=geheim",
    "postgresql+psycopg://me:geheim@127.0.0.1:1/db?sslpassword=geheim",
)


@pytest.mark.parametrize("url", SECRETS)
def test_passwords_are_never_shown(url: str) -> None:
    with pytest.raises(StorageError, match=r"127\.0\.0\.1.*is the server running") as caught:
        SqlStorage(url, StampClock(), Patience(deadline=0.1))
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


def test_a_url_that_cannot_be_parsed_is_not_repeated() -> None:
    with pytest.raises(StorageError, match="no storage URL") as caught:
        open_storage("postgresql://me:geheim@host:notaport/db")
    assert "geheim" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_the_representation_is_masked_and_the_pickle_is_not(postgres_url: str) -> None:
    secret = postgres_url.replace("postgres@", "postgres:geheim@")
    storage = open_storage(secret)
    assert "***" in repr(storage)
    assert "geheim" not in repr(storage)
    copy = pickle.loads(pickle.dumps(storage))
    assert copy._database.url.password == "geheim"
    copy.close()
    storage.close()


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ImportError("No module named 'psycopg'")

    monkeypatch.setattr(postgres, "create_engine", missing)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[postgres\]'"):
        open_storage("postgresql://me@host/db")


def test_a_wrong_database_is_refused_at_once(postgres_url: str) -> None:
    clock = StampClock()
    with pytest.raises(StorageError, match=r"does not exist.*database, user"):
        SqlStorage(postgres_url.replace("/postgres?", "/nowhere?"), clock)
    assert clock.slept == []
