"""What is special about SQLite: a safe journal mode, one writer at a time, local disks only.

SQLite before 3.51.3 (but for 3.50.7 and 3.44.6) can lose commits in WAL mode when one process commits while another
checkpoints (https://sqlite.org/wal.html#walresetbug). With such an SQLite, and in every file that already has a
rollback journal, we use one: journal_mode=TRUNCATE. A file may leave WAL mode but never returns to it, so that
processes with different SQLites do not switch it back and forth.

Few Pythons come with an SQLite that new. The package pysqlite3 (extra `sqlite`) contains one, and is used if installed:
a commit then waits for the disk once instead of four times. Inside one process, its locks and those of Python's own
module do not see each other: code that opens our files in such a process should use `driver()`, too.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
import sys
from collections.abc import Mapping, Set
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from nonstop.errors import StorageError, installing

#: "nons" in ASCII: marks our files, in the header that `file` and SQLite itself read.
APPLICATION_ID: Final = 0x6E6F6E73
#: File systems on which file locks, which SQLite's safety rests on, are often broken or missing.
NETWORK: Final = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|afs|afpfs|ncpfs|lustre|gpfs|beegfs|ceph|glusterfs|orangefs|pvfs2|davfs|webdav"
    r"|fuse\.(sshfs|s3fs|gcsfuse|glusterfs|ceph.*|rclone|davfs.*|goofys|mergerfs|juicefs)"
)
#: Seconds. Short, because SQLite checks a lock less and less often; after this we retry, with jitter.
#: With 32 processes writing at once, the slowest 1 % of transactions took 0.5 s instead of 1.7 s.
BUSY_TIMEOUT: Final = 0.1
#: A file is kept open: that costs no one else anything.
IDLE: Final = math.inf
OLD: Final = math.inf
#: Execution options of the two kinds of transaction.
READ: Final[Mapping[str, object]] = {"nonstop_write": False}
WRITE: Final[Mapping[str, object]] = {"nonstop_write": True}

#: The option of a URL that says whether commits wait for the disk.
SYNCHRONOUS: Final = "synchronous"

GONE: Final = "the file cannot be written (permissions, or it was moved or deleted while in use)"

_TRANSIENT: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_REMEDIES: Final = {
    sqlite3.SQLITE_BUSY: (
        "another process holds the database locked: look for a stopped one, or for one with a newer SQLite "
        "({extra} here, too), or use PostgreSQL"
    ),
    sqlite3.SQLITE_FULL: "the disk is full, nothing was written: make room and run again",
    sqlite3.SQLITE_IOERR: "the disk refused (full, over quota or broken), nothing was written: make room and run again",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: restore a backup, or save what is left with `sqlite3 FILE .recover`",
    sqlite3.SQLITE_NOTADB: "this is not an SQLite file: give nonstop a file of its own",
    sqlite3.SQLITE_READONLY: GONE,
    sqlite3.SQLITE_CANTOPEN: (
        "the file cannot be opened: does its folder exist, and may you read and write there? A file of another user is "
        "private; a copy of it can be read"
    ),
}


def path_of(url: URL) -> Path | None:
    """The file of the URL; None for a database in memory."""
    name = url.database or ":memory:"
    if name == ":memory:" or url.query.get("mode") == "memory":
        return None
    return Path(name.removeprefix("file:"))


def synchronous_of(url: URL) -> str:
    """What `?synchronous=` says: "full" (every commit waits for the disk) unless the user chose "normal" (a power cut
    may undo the latest commits; the end of a process does not)."""
    chosen = url.query.get(SYNCHRONOUS, "full")
    if chosen not in ("full", "normal"):
        raise StorageError(f"synchronous must be 'full' or 'normal', not {chosen!r}")
    return str(chosen)


def file_at(path: str | None) -> tuple[int, int] | None:
    """The identity of the file at the path; None if there is none. With a write-ahead log SQLite does not notice that
    its file was moved or deleted, and goes on writing to it."""
    try:
        found = os.stat(path) if path is not None else None  # noqa: PTH116 (before every transaction: half the time)
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


def create_private(path: Path, url: URL) -> None:
    """Create the file if it does not exist, for this user only: SQLite gives its journals the same permissions."""
    if url.query.get("mode") not in ("ro", "rw"):
        with suppress(OSError):  # it exists, or SQLite will say why it cannot be made
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def make_engine(url: URL) -> Engine:
    """An engine with one connection, which the caller guards with a lock."""
    path, synchronous = path_of(url), synchronous_of(url)
    if path is not None:
        check_local(path.parent)
    engine = create_engine(
        url.difference_update_query([SYNCHRONOUS]),
        module=driver(),
        poolclass=QueuePool,
        pool_size=1,
        max_overflow=0,
        hide_parameters=True,
        paramstyle="named",  # parameters by name, as with psycopg
        # isolation_level=None: sqlite3 must not begin transactions by itself, as _begin_of() chooses their kind.
        connect_args={"timeout": BUSY_TIMEOUT, "check_same_thread": False, "isolation_level": None},
    )
    event.listen(engine, "connect", lambda connection, _record: _configure(connection, synchronous))
    event.listen(engine, "begin", _begin)
    return engine


@lru_cache(maxsize=1)
def driver() -> ModuleType:
    """Python's own module, or pysqlite3 if only that has an SQLite in which WAL is safe."""
    if not wal_is_safe(sqlite3.sqlite_version_info):
        try:
            other = import_module("pysqlite3.dbapi2")
        except ImportError:
            return sqlite3
        if wal_is_safe(other.sqlite_version_info):
            return other
    return sqlite3


def wal_is_safe(version: tuple[int, ...]) -> bool:
    """Is the WAL reset bug fixed in this SQLite?"""
    return version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)


def _configure(connection: Any, synchronous: str) -> None:
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if wal_is_safe(driver().sqlite_version_info):
        fresh = connection.execute("PRAGMA page_count").fetchone()[0] == 0
        mode = "wal" if fresh or mode == "wal" else "truncate"
        connection.execute(f"PRAGMA journal_mode={mode}")
    elif mode != "wal":  # else it may be in use: reading is safe, and the first that writes takes it out of WAL mode
        mode = connection.execute("PRAGMA journal_mode=truncate").fetchone()[0]
    # With a rollback journal, "normal" could damage the file in a power cut: there it is always "full".
    connection.execute(f"PRAGMA synchronous={synchronous if mode == 'wal' else 'full'}")
    # A file from elsewhere may have triggers or views that call functions: ours has none.
    connection.execute("PRAGMA trusted_schema=OFF")


def begin(connection: Any, write: bool) -> None:
    """Begin a transaction on a connection of the driver."""
    if write:
        _leave_unsafe_wal(connection)
    connection.execute(_begin_of(write))


def autocommit(_connection: Any) -> AbstractContextManager[None]:
    """Nothing to do: without BEGIN, each statement is a transaction of its own."""
    return nullcontext()


def _begin(connection: Connection) -> None:
    write = bool(connection.get_execution_options().get("nonstop_write", False))
    if write:
        _leave_unsafe_wal(connection.connection.driver_connection)
    connection.exec_driver_sql(_begin_of(write))


def _leave_unsafe_wal(connection: Any) -> None:
    """An SQLite in which WAL is not safe never writes in WAL mode. While others use the file so, it is locked to us."""
    if wal_is_safe(driver().sqlite_version_info) or connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        return
    connection.execute("PRAGMA journal_mode=truncate")
    connection.execute("PRAGMA synchronous=full")


def _begin_of(write: bool) -> str:
    # IMMEDIATE takes the write lock at the start: a transaction that first reads and then writes cannot fail halfway.
    return "BEGIN IMMEDIATE" if write else "BEGIN"


def serialize(_connection: Connection) -> None:
    """Nothing to do: BEGIN IMMEDIATE keeps all other writers out."""


def tables_in(connection: Connection) -> Set[str]:
    """The names of the tables; StorageError if the file belongs to another program."""
    tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    found = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    if found == APPLICATION_ID or (found == 0 and not tables):
        return tables
    inside = f" with tables {', '.join(sorted(tables)[:5])}" if tables else ""
    raise StorageError(f"this SQLite file belongs to another program{inside}: give nonstop a file of its own")


def mark_ours(connection: Connection) -> None:
    """Mark the file as one of nonstop."""
    connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")


def guard(_connection: Any, _seconds: float) -> AbstractContextManager[None]:
    """Nothing to guard against: there is no server that could fall silent."""
    return nullcontext()


def transient(error: DBAPIError, reached: bool) -> bool:  # noqa: ARG001
    """May a retry succeed?"""
    return _code(error) in _TRANSIENT


def remedy(error: DBAPIError) -> str | None:
    """What the user can do about the error, if known."""
    known = _REMEDIES.get(_code(error))
    return None if known is None else known.replace("{extra}", installing("sqlite"))


def _code(error: DBAPIError) -> int:
    """The primary result code: the lower byte of what SQLite reports."""
    code: Any = getattr(error.orig, "sqlite_errorcode", 0)
    return int(code) & 0xFF


def check_local(folder: Path, mounts: str | None = None) -> None:
    """StorageError if the folder is on a network file system. Checked on Linux only; `mounts` is for tests."""
    if mounts is None:
        if sys.platform != "linux":
            return
        mounts = Path("/proc/self/mountinfo").read_text()
    kind = _file_system(folder.resolve(), mounts)
    if NETWORK.fullmatch(kind):
        raise StorageError(
            f"{folder} is on a network file system ({kind}), where SQLite loses data: use a local disk, or PostgreSQL"
        )


def _file_system(folder: Path, mounts: str) -> str:
    """The type of the innermost mount that holds the folder (proc(5), mountinfo); the last mount on a point wins."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        if not after:
            continue
        point = Path(re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), before.split()[4]))
        if folder.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split()[0]
    return kind
