"""The schema: made once, by whoever comes first; and what is refused, with a remedy."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, text

import nonstop
from nonstop.errors import StorageError
from nonstop.storage import open_storage, schema, sqlite
from nonstop.storage.sql import SqlStorage
from nonstop.storage.sqlite import driver
from nonstop.trials.messages import Request
from tests.helpers.clocks import StampClock
from tests.helpers.storages import Desk


def execute(url: str, *statements: str) -> None:
    storage = SqlStorage(url)
    storage._database.write(lambda connection: [connection.exec_driver_sql(statement) for statement in statements])
    storage.close()


def test_a_newer_schema_is_refused(shared_url: str) -> None:
    execute(shared_url, f"INSERT INTO nonstop_schema VALUES ({schema.VERSION + 1}, 0)")
    with pytest.raises(StorageError, match=f"version {schema.VERSION + 1}.*pip install -U nonstop"):
        open_storage(shared_url)


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE nonstop_results",
        "DROP TABLE nonstop_schema",
        "ALTER TABLE nonstop_schema RENAME version TO number",
    ],
)
def test_a_foreign_schema_is_refused(shared_url: str, damage: str) -> None:
    execute(shared_url, damage)
    with pytest.raises(StorageError, match="use another database"):
        open_storage(shared_url)


def test_an_empty_schema_table_is_refused(shared_url: str) -> None:
    execute(shared_url, "DELETE FROM nonstop_schema")
    with pytest.raises(StorageError, match="restore it from a backup"):
        open_storage(shared_url)


def test_an_older_schema_is_migrated_once_and_keeps_its_data(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = open_storage(shared_url)
    desk = Desk(storage, storage.create_study("demo", {}).id)
    desk.report(desk.run())
    before = desk.read()
    storage.close()

    later_version = schema.VERSION + 1

    def to_later(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE nonstop_studies ADD COLUMN colour TEXT DEFAULT 'red'"))
        connection.execute(text("CREATE TABLE nonstop_extra (number INTEGER)"))

    later = MetaData()
    for table in [*schema.metadata.sorted_tables, Table("nonstop_extra", MetaData(), Column("number", Integer))]:
        table.to_metadata(later)
    monkeypatch.setattr(schema, "metadata", later)
    monkeypatch.setattr(schema, "VERSION", later_version)
    monkeypatch.setattr(schema, "MIGRATIONS", {later_version: to_later})
    for _ in range(2):
        storage = open_storage(shared_url)
        assert storage.exchange(desk.study, 0) == before
        storage.close()
    execute(shared_url, "UPDATE nonstop_studies SET colour = 'blue'")
    monkeypatch.undo()
    with pytest.raises(StorageError, match=f"version {later_version}"):
        open_storage(shared_url)


def back_to_version_1(url: str) -> None:
    added = [("trials", name) for name in ("lease", "undone", "checksum", "seconds", "notes", "fixed", "outcomes")]
    added += [("studies", "budget"), ("results", "notes"), ("results", "outcomes")]
    execute(
        url,
        *(f"ALTER TABLE nonstop_{table} DROP COLUMN {name}" for table, name in added),
        "DELETE FROM nonstop_schema",
        "INSERT INTO nonstop_schema VALUES (1, 0)",
    )


def test_version_1_becomes_the_present_one_and_its_trials_have_the_lease_of_their_observers(shared_url: str) -> None:
    storage = open_storage(shared_url)
    desk = Desk(storage, storage.create_study("demo", {}).id)
    desk.report(desk.run())
    running, before = desk.run(), desk.read()
    storage.close()
    back_to_version_1(shared_url)
    storage = open_storage(shared_url)
    assert storage.exchange(desk.study, 0) == before
    assert [pulse.lease for pulse in storage.beat(desk.study, [])] == [None]
    Desk(storage, desk.study).report(running)
    asked = storage.exchange(desk.study, 0, request=Request("mine", "me", lease=5.0)).trial
    assert asked is not None
    assert asked.lease == 5.0
    storage.close()


def test_a_file_of_the_first_release_opens_and_goes_on(tmp_path: Path) -> None:
    """versions/1.sql is the dump of a file that nonstop 0.1.0 made."""
    path = tmp_path / "runs.db"
    with sqlite3.connect(path) as connection:
        connection.executescript((Path(__file__).parent / "versions" / "1.sql").read_text())
    connection.close()
    study = nonstop.load_study(f"sqlite:///{path}", "old")
    assert [trial.state for trial in study.trials] == ["completed"] * 4 + ["failed", "running", "waiting"]
    assert [trial.lease for trial in study.trials] == [None] * 7
    assert study.best_trial.number == 2
    study.tell(5, 0.5)
    asked = study.ask(lease=9.0)
    assert (asked.params, asked.lease) == ({"x": 0.25, "kind": "b"}, 9.0)
    study.optimize(lambda params: float(params["x"] == 1.0), n_trials=7)
    versions = [row[0] for row in driver().connect(path).execute("SELECT version FROM nonstop_schema")]
    assert versions == [1, 2, 3]


def test_a_file_of_version_2_opens_and_goes_on(tmp_path: Path) -> None:
    """versions/2.sql is the dump of a file of the commit d20d093. Its checksums still hold."""
    path = tmp_path / "runs.db"
    with sqlite3.connect(path) as connection:
        connection.executescript((Path(__file__).parent / "versions" / "2.sql").read_text())
    connection.close()
    study = nonstop.load_study(f"sqlite:///{path}", "old")
    assert [trial.state for trial in study.trials] == ["completed"] * 4 + ["failed", "running", "waiting", "running"]
    assert study.trials[0].notes == {"epoch": [1, 2]}
    assert all(trial.outcomes == {} for trial in study.trials)
    assert study.best_trial.number == 1
    for number in (5, 7):  # asked for, and so held until they are told
        study.tell(number, 0.5)
    study.optimize(lambda params: float(params["x"]), n_trials=8)
    study.storage.close()
    connection = driver().connect(path)
    connection.execute("UPDATE nonstop_trials SET outcomes = '{\"a\": 1.0}' WHERE number = 0")
    connection.commit()
    connection.close()
    with pytest.raises(StorageError, match="checksum"):
        nonstop.load_study(f"sqlite:///{path}", "old")


def test_a_migration_that_fails_changes_nothing(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    execute(shared_url)

    def broken(connection: Connection) -> None:
        connection.execute(text("DROP TABLE nonstop_results"))
        connection.execute(text("SELECT * FROM nothing"))

    later_version = schema.VERSION + 1
    monkeypatch.setattr(schema, "VERSION", later_version)
    monkeypatch.setattr(schema, "MIGRATIONS", {later_version: broken})
    with pytest.raises(StorageError, match="nothing"):
        open_storage(shared_url)
    monkeypatch.undo()
    open_storage(shared_url).close()


def test_another_programs_sqlite_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "optuna.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE studies (id)")
    connection.close()
    with pytest.raises(StorageError, match=r"another program with tables studies: give nonstop a file of its own"):
        open_storage(f"sqlite:///{path}")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("studies",)]
    connection.close()


def test_our_sqlite_file_says_that_it_is_ours(tmp_path: Path) -> None:
    open_storage(f"sqlite:///{tmp_path / 'runs.db'}").close()
    assert (tmp_path / "runs.db").read_bytes()[68:72] == b"nons"


@pytest.mark.parametrize(("content", "remedy"), [(b"lr,depth\n1,2\n" * 99, "not an SQLite file")])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes, remedy: str) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=remedy):
        open_storage(f"sqlite:///{path}")
    assert path.read_bytes() == content


def test_a_missing_folder_is_refused_at_once(tmp_path: Path) -> None:
    clock = StampClock()
    with pytest.raises(StorageError, match="does its folder exist"):
        SqlStorage(f"sqlite:///{tmp_path}/nowhere/runs.db", clock)
    assert clock.slept == []


MOUNTS = """22 27 0:21 / /proc rw - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:40 / /home rw shared:1 - nfs4 server:/home rw
31 30 0:41 / /home/me/local\\040disk rw - xfs /dev/vdb rw
32 27 0:42 / /data rw - fuse.sshfs me@host: rw
33 27 0:43 / /scratch rw - lustre mds:/scratch rw
"""


@pytest.mark.parametrize("folder", ["/home/me", "/home", "/data/a/b", "/scratch/me"])
def test_a_network_file_system_is_refused(folder: str) -> None:
    with pytest.raises(StorageError, match=r"network file system.*use a local disk, or PostgreSQL"):
        sqlite.check_local(Path(folder), MOUNTS)


@pytest.mark.parametrize("folder", ["/", "/tmp", "/home/me/local disk/x", "/homes", "/dataset"])
def test_a_local_file_system_is_not(folder: str) -> None:
    sqlite.check_local(Path(folder), MOUNTS)


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 45, 0), False),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 0), False),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 52, 0), True),
        ((4, 0, 0), True),
    ],
)
def test_write_ahead_logs_only_where_they_lose_nothing(version: tuple[int, ...], safe: bool) -> None:
    assert sqlite.wal_is_safe(version) is safe


def test_both_journals_are_really_tested(url_of: Callable[[str], str]) -> None:
    """With pysqlite3, or a new Python, the suite runs on a file in WAL mode; and on one that has a rollback journal."""
    modes = []
    for backend in ("sqlite", "sqlite-journal"):
        url = url_of(backend)
        storage = SqlStorage(url)
        modes.append(storage._database.read(lambda c: c.exec_driver_sql("PRAGMA journal_mode").scalar_one()))
        storage.close()
        Path(url.removeprefix("sqlite:///")).unlink()
    assert modes == ["wal", "truncate"]


@pytest.mark.parametrize(("safe", "mode"), [(True, "wal"), (False, "truncate")])
def test_the_journal_mode_follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, safe: bool, mode: str) -> None:
    def modes(safe_now: bool) -> tuple[str, int]:
        monkeypatch.setattr(sqlite, "wal_is_safe", lambda _: safe_now)
        storage = SqlStorage(f"sqlite:///{tmp_path / 'runs.db'}")
        found = storage._database.write(
            lambda connection: tuple(
                connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("journal_mode", "synchronous")
            )
        )
        storage.close()
        return found

    assert modes(safe) == (mode, 2)
    assert modes(safe) == (mode, 2)
    assert modes(False) == ("truncate", 2)
    # A file that left WAL mode does not go back: a process with an older SQLite may be using it.
    assert modes(True) == ("truncate", 2)


def test_a_version_that_is_no_number_is_damage(tmp_path: Path) -> None:
    """Found by tests/fuzz/pages.py."""
    path = tmp_path / "runs.db"
    open_storage(f"sqlite:///{path}").close()
    connection = driver().connect(path)
    connection.executescript(
        "DROP TABLE nonstop_schema; CREATE TABLE nonstop_schema (version, installed_at);"
        "INSERT INTO nonstop_schema VALUES (NULL, 0);"
    )
    connection.close()
    with pytest.raises(StorageError, match="nonstop_schema has no version"):
        open_storage(f"sqlite:///{path}")
