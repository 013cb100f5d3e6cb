"""One connection to one database: short transactions, retried while the trouble passes by itself, safe across fork."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar, cast

from sqlalchemy import URL, Connection, Engine, PoolProxiedConnection
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

import nonstop.storage.postgres as postgres
import nonstop.storage.schema as schema
import nonstop.storage.sqlite as sqlite
from nonstop.clock import Clock
from nonstop.errors import StorageError
from nonstop.storage.retry import Patience, patiently
from nonstop.storage.statement import Runner
from nonstop.storage.text import NOT_SHARED

T = TypeVar("T")
_SECRETS = ("password", "sslpassword", "passfile", "sslkey")


class Dialect(Protocol):
    """What differs between databases; the modules sqlite and postgres are the two."""

    READ: Mapping[str, object]
    WRITE: Mapping[str, object]

    def make_engine(self, url: URL) -> Engine: ...
    def begin(self, connection: Any, write: bool) -> None: ...
    def serialize(self, connection: Connection) -> None: ...
    def tables_in(self, connection: Connection) -> Set[str]: ...
    def mark_ours(self, connection: Connection) -> None: ...
    def transient(self, error: DBAPIError) -> bool: ...
    def remedy(self, error: DBAPIError) -> str | None: ...


_DIALECTS: Mapping[str, ModuleType] = {
    "sqlite": sqlite,
    "sqlite+pysqlite": sqlite,
    "postgres": postgres,
    "postgresql": postgres,
    "postgresql+psycopg": postgres,
}


def parse(url: str) -> URL:
    """The URL with its driver named and its file absolute; StorageError, without the URL's password, if unusable."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise StorageError("this is no storage URL: write sqlite:///FILE or postgresql://USER@HOST/DATABASE") from None
    if parsed.drivername not in _DIALECTS:
        raise StorageError(f"{parsed.drivername!r} is no storage nonstop knows: use sqlite:///FILE or postgresql://…")
    if _DIALECTS[parsed.drivername] is postgres:
        return parsed.set(drivername="postgresql+psycopg")
    path = sqlite.path_of(parsed)
    # Absolute, so that a worker with another working directory opens the same file.
    uri = "file:" if (parsed.database or "").startswith("file:") else ""
    return parsed if path is None else parsed.set(drivername="sqlite", database=f"{uri}{path.absolute()}")


def sqlite_path(url: URL) -> Path | None:
    """The file of a parsed SQLite URL; None for a database in memory, and for a server."""
    return sqlite.path_of(url) if _DIALECTS[url.drivername] is sqlite else None


def masked(url: URL) -> str:
    """The URL for people: without passwords, wherever they stand in it."""
    shown = url.update_query_dict({key: "***" for key in _SECRETS if key in url.query})
    return shown.render_as_string(hide_password=True)


class Database:
    """Runs functions as transactions: `read` and `write` those of a Connection of SQLAlchemy, for what is rare, `run`
    those that every trial needs, on the driver itself. Threads take turns on the one connection."""

    def __init__(self, url: URL, clock: Clock, patience: Patience) -> None:
        self.url = url
        self._dialect = cast("Dialect", _DIALECTS[url.drivername])
        self._clock = clock
        self._patience = patience
        self._lock = threading.Lock()
        self._refusal: str | None = None
        path = sqlite_path(url)
        self._path = None if path is None else str(path)
        self._file: object = None  # what was there after the first transaction
        self._held: list[PoolProxiedConnection] = []  # one or none: it is out of the pool from one `run` to the next
        engine = self._dialect.make_engine(url)
        self._engine = engine
        self._readers = engine.execution_options(**self._dialect.READ)
        self._writers = engine.execution_options(**self._dialect.WRITE)
        self.close_engine = weakref.finalize(self, _disconnect, engine, self._held)
        _OPEN.add(self)

    @property
    def private(self) -> bool:
        """Does the data die with this process?"""
        return self._dialect is sqlite and self._path is None

    def prepare(self) -> None:
        """Make sure that the schema is here; StorageError if something else is."""
        try:
            if not self.read(self._is_ready):
                self.write(self._install)
        except StorageError as error:
            self.close()
            shown = masked(self.url)
            raise error if shown in str(error) else StorageError(f"{shown}: {error}") from error.__cause__

    def _is_ready(self, connection: Connection) -> bool:
        return schema.current(connection, self._dialect.tables_in(connection))

    def _install(self, connection: Connection) -> None:
        self._dialect.serialize(connection)
        schema.install(connection, self._dialect.tables_in(connection), self._clock.now())
        self._dialect.mark_ours(connection)

    def read(self, work: Callable[[Connection], T]) -> T:
        """work in a read-only transaction: one consistent snapshot."""
        return self._patiently(lambda: self._through(self._readers, work))

    def write(self, work: Callable[[Connection], T]) -> T:
        """work in a transaction that may write; it may run more than once, but only its last run is committed."""
        return self._patiently(lambda: self._through(self._writers, work))

    def run(self, work: Callable[[Runner], T], write: bool) -> T:
        """The same without SQLAlchemy around it."""
        return self._patiently(lambda: self._directly(work, write))

    def serialize(self, connection: Connection) -> None:
        self._dialect.serialize(connection)

    def _patiently(self, once: Callable[[], T]) -> T:
        def alone() -> T:
            with self._lock:
                if self._refusal is not None:
                    raise StorageError(self._refusal)
                self._check_file()
                result = once()
                self._file = self._file or sqlite.file_at(self._path)
                return result

        try:
            return patiently(alone, self._transient, self._clock, self._patience)
        except DBAPIError as error:
            raise StorageError(self._explain(error)) from error.orig

    def _check_file(self) -> None:
        if self._file is not None and sqlite.file_at(self._path) != self._file:
            raise StorageError(f"{masked(self.url)}: {sqlite.GONE}")

    def _through(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        self._let_go()
        with engine.begin() as connection:
            return work(connection)

    def _directly(self, work: Callable[[Runner], T], write: bool) -> T:
        dialect, lost = self._engine.dialect, False
        errors: Any = dialect.loaded_dbapi.Error
        try:
            if not self._held:
                self._held.append(self._engine.raw_connection())
            connection: Any = self._held[0].driver_connection
            try:
                self._dialect.begin(connection, write)
                result = work(Runner(connection, dialect))
                connection.commit()
            except BaseException:
                lost = not self._undone(connection)
                raise
            return result
        except errors as error:
            wrapped = DBAPIError.instance(None, None, error, errors, connection_invalidated=lost, dialect=dialect)
            raise wrapped from error

    def _undone(self, connection: Any) -> bool:
        """Roll back. A connection that cannot, because it is lost, is thrown away."""
        try:
            connection.rollback()
        except self._engine.dialect.loaded_dbapi.Error as error:
            self._held.pop().invalidate(error)
            return False
        return True

    def _let_go(self) -> None:
        """Put the connection back into the pool, where SQLAlchemy finds it."""
        while self._held:
            self._held.pop().close()

    def _transient(self, error: Exception) -> bool:
        return isinstance(error, DBAPIError) and self._dialect.transient(error)

    def _explain(self, error: DBAPIError) -> str:
        remedy = self._dialect.remedy(error)
        tried = f" (tried for {self._patience.deadline:g} s)" if self._transient(error) else ""
        what = str(error.orig).strip().splitlines()[:1]
        return f"{masked(self.url)}: {''.join(what)}{tried}" + (f"; {remedy}" if remedy else "")

    def close(self) -> None:
        with self._lock:
            self._refusal = "this storage was closed"
            self.close_engine()

    def before_fork(self) -> None:
        """No connection crosses a fork: SQLite's locks belong to a process, and a socket has one reader."""
        self._lock.acquire()
        if not self.private:
            _disconnect(self._engine, self._held)

    def after_fork(self) -> None:
        self._lock.release()

    def after_fork_in_child(self) -> None:
        if self.private:
            self._refusal = NOT_SHARED
        self._lock.release()


def _disconnect(engine: Engine, held: list[PoolProxiedConnection]) -> None:
    while held:
        held.pop().invalidate()
    engine.dispose()


_OPEN: weakref.WeakSet[Database] = weakref.WeakSet()
_FORKING: list[Database] = []


def _before_fork() -> None:
    _FORKING.extend(_OPEN)
    for database in _FORKING:
        database.before_fork()


def _after_fork() -> None:
    while _FORKING:
        _FORKING.pop().after_fork()


def _after_fork_in_child() -> None:
    while _FORKING:
        _FORKING.pop().after_fork_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child)
