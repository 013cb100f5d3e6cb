"""Files: private, in use by another SQLite, of another user; and names that every database can hold."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import nonstop
from nonstop.errors import StudyError
from nonstop.storage import open_storage
from nonstop.storage.contract import Storage
from nonstop.storage.sql import SqlStorage
from nonstop.storage.text import LONGEST_NAME

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("letter", ["x", "ß", "\N{BRAIN}"])
def test_names_have_one_limit_everywhere(storage: Storage, letter: str) -> None:
    longest = letter * LONGEST_NAME
    assert storage.load_study(storage.create_study(longest, {}).name).name == longest
    for length in (LONGEST_NAME + 1, 10_000, 1_000_000):
        with pytest.raises(StudyError, match=f"at most {LONGEST_NAME} characters, not {length}"):
            storage.create_study(letter * length, {})
        with pytest.raises(StudyError, match="no study"):
            storage.load_study(letter * length)


def test_a_longer_name_of_an_earlier_version_still_loads(shared_url: str) -> None:
    storage = SqlStorage(shared_url)
    storage.create_study("short", {})
    name = "long" * 100
    storage._database.write(lambda c: c.exec_driver_sql(f"UPDATE nonstop_studies SET name = '{name}'"))
    assert storage.load_study(name).name == name
    storage.close()


def test_a_new_file_is_private_and_so_are_its_journals(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        study = nonstop.create_study(f"sqlite:///{tmp_path / 'runs.db'}", "demo", space=SPACE)
        study.ask()
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert "runs.db" in modes
    assert set(modes.values()) == {0o600}
    study.storage.close()


def test_the_permissions_of_a_file_that_exists_are_its_owners_business(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    open_storage(f"sqlite:///{path}").close()
    path.chmod(0o660)
    open_storage(f"sqlite:///{path}").close()
    assert path.stat().st_mode & 0o777 == 0o660


def test_a_reader_creates_no_file(tmp_path: Path) -> None:
    with pytest.raises(nonstop.StorageError):
        open_storage(f"sqlite:///file:{tmp_path / 'runs.db'}?mode=ro&uri=true")
    assert list(tmp_path.iterdir()) == []


OLDER = """
import sys
from nonstop.storage import sqlite
sqlite.wal_is_safe = lambda version: False
from nonstop.storage.retry import Patience
from nonstop.storage.sql import SqlStorage
import nonstop
study = nonstop.load_study(SqlStorage(sys.argv[1], patience=Patience(deadline=0.5)), "demo")
print(sqlite.driver().__name__, study.best_value)
try:
    study.ask()
    print("asked")
except nonstop.StorageError as error:
    print(error)
"""


def test_a_live_file_with_a_write_ahead_log_is_read_by_an_older_sqlite(tmp_path: Path) -> None:
    """It must not write there: see docs/decisions/0011."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    study = nonstop.create_study(url, "demo", space=SPACE)
    study.tell(study.ask(), 0.5)
    assert (tmp_path / "runs.db-wal").exists(), "the suite needs an SQLite in which WAL is safe: the extra sqlite"
    reader, writer = older(url)
    assert reader == "sqlite3 0.5"
    assert "locked" in writer
    assert "[sqlite]' here, too" in writer
    study.storage.close()
    assert older(url) == ["sqlite3 0.5", "asked"], "when no one else uses it, it leaves WAL mode"


def older(url: str) -> list[str]:
    words = [sys.executable, "-c", OLDER, url]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    found = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60, env=environment)
    return found.stdout.splitlines()


#: Imports as root what another user may have no right to read.
STRANGER = """
import os, sys
import nonstop.cli.app, nonstop.study
from nonstop.storage import open_storage
open_storage("sqlite://").close()
if os.getuid() == 0:
    os.setuid(65534)
nonstop.cli.app.main(sys.argv[1:])
"""


def test_a_file_of_another_user_gives_one_line(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    nonstop.create_study(url, "demo", space=SPACE).storage.close()
    tmp_path.chmod(0o755)
    (tmp_path / "runs.db").chmod(0o000)
    words = [sys.executable, "-c", STRANGER, "show", url, "demo"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    began = time.monotonic()
    found = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60, env=environment)
    (tmp_path / "runs.db").chmod(0o600)
    assert found.returncode == 1
    assert len(found.stderr.strip().splitlines()) == 1, found.stderr
    assert "cannot be opened" in found.stderr
    assert time.monotonic() - began < 40.0
