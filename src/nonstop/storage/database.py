"""One connection to one database: short transactions, retried after passing errors, safe across a fork."""

from __future__ import annotations

import ctypes
import math
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Set
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar, cast

from sqlalchemy import URL, Connection, Engine, PoolProxiedConnection, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

import nonstop.storage.forking as forking
import nonstop.storage.postgres as postgres
import nonstop.storage.schema as schema
import nonstop.storage.sqlite as sqlite
from nonstop.clock import Clock
from nonstop.errors import OutOfReachError, StorageError
from nonstop.storage.retry import Patience, retry
from nonstop.storage.statement import Runner
from nonstop.storage.text import NOT_SHARED
from nonstop.storage.watchdog import WATCHDOG, Alarm

T = TypeVar("T")
#: Seconds that a transaction has to end in after the time for retries is up.
_OVERTIME = 5.0
FORKED_INSIDE = "this process was forked inside a transaction: open the storage anew in a process of its own"
_NESTED = "this thread is inside a transaction already: a signal handler must not use the storage"
_SECRETS = ("password", "sslpassword", "passfile", "sslkey")


class Dialect(Protocol):
    """What differs between databases, implemented by the modules sqlite and postgres."""

    #: SQLAlchemy's execution options of a transaction that only reads.
    READ: Mapping[str, object]
    #: Those of one that may write.
    WRITE: Mapping[str, object]

    def make_engine(self, url: URL) -> Engine:
        """An engine with one connection, which the caller guards with a lock."""

    def begin(self, connection: Any, write: bool) -> None:
        """Begin a transaction on a connection of the driver."""

    def autocommit(self, connection: Any) -> AbstractContextManager[None]:
        """Inside, each statement on a connection of the driver is a transaction of its own."""

    def serialize(self, connection: Connection) -> None:
        """Keep out all others that install the schema or create a study, until the end of this transaction."""

    def tables_in(self, connection: Connection) -> Set[str]:
        """The names of the tables; StorageError if the database belongs to another program."""

    def mark_ours(self, connection: Connection) -> None:
        """Mark the database as one of nonstop."""

    #: Seconds without a transaction after which a connection is given up, so that others can have it.
    IDLE: float
    #: Seconds after which it is given up even if it is in use all the time.
    OLD: float

    def guard(self, connection: Any, seconds: float) -> AbstractContextManager[None]:
        """Inside, a driver's connection on which the server does not answer for so long is cut."""

    def transient(self, error: DBAPIError, reached: bool) -> bool:
        """May a retry succeed? `reached` says whether the database was reached before."""

    def remedy(self, error: DBAPIError) -> str | None:
        """What the user can do about the error, if known."""


_DIALECTS: Mapping[str, ModuleType] = {
    "sqlite": sqlite,
    "sqlite+pysqlite": sqlite,
    "postgres": postgres,
    "postgresql": postgres,
    "postgresql+psycopg": postgres,
}


def parse(url: str) -> URL:
    """The URL with its driver and an absolute file path; StorageError, without the password, if it is unusable."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise StorageError("this is no storage URL: write sqlite:///FILE or postgresql://USER@HOST/DATABASE") from None
    if parsed.drivername not in _DIALECTS:
        raise StorageError(f"{parsed.drivername!r} is no storage nonstop knows: use sqlite:///FILE or postgresql://…")
    if "@" in (parsed.host or ""):
        raise StorageError(
            "the password of this storage URL ends at its first @: write %40 for an @ that is a part of it"
        )
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
    """The URL without passwords, wherever they stand in it."""
    shown = url.update_query_dict({key: "***" for key in _SECRETS if key in url.query})
    return shown.render_as_string(hide_password=True)


class Database:
    """Runs functions as transactions, on one connection that threads share by a lock and that is given up when idle.

    `read` and `write` give the function a connection of SQLAlchemy, for what is rare. `run` gives it the driver's own,
    for what every trial needs: that is faster.
    """

    def __init__(self, url: URL, clock: Clock, patience: Patience, reached: bool = False) -> None:
        self.url = url
        self._reached = reached  # by this object, or by the one that it is a copy of
        self._dialect = cast("Dialect", _DIALECTS[url.drivername])
        self._clock = clock
        self._patience = patience
        self._lock = threading.Lock()
        self._refusal: str | None = None
        path = sqlite_path(url)
        self._path = None if path is None else str(path)
        self._file: object = None  # the identity of the file after the first transaction
        self._held: list[PoolProxiedConnection] = []  # at most one: `run` keeps it out of the pool for the next `run`
        self._connected_at = [0.0]  # a list, which the engine may refer to: it must not keep this object alive
        self._idle: Alarm | None = None
        self._deadline = 0.0  # when the current call is to have failed, by the clock
        engine = self._dialect.make_engine(url)
        self._engine = engine
        self._readers = engine.execution_options(**self._dialect.READ)
        self._writers = engine.execution_options(**self._dialect.WRITE)
        event.listen(engine, "connect", partial(_note_time, self._connected_at))
        self.close_engine = weakref.finalize(self, _disconnect, engine, self._held)
        forking.watch(self)

    @property
    def private(self) -> bool:
        """Is the data in the memory of this process?"""
        return self._dialect is sqlite and self._path is None

    def prepare(self) -> None:
        """Create or migrate the schema where needed; StorageError if the database is not nonstop's."""
        if self._path is not None:
            sqlite.create_private(Path(self._path), self.url)
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
        """Run work in a read-only transaction: one consistent snapshot."""
        return self._retried(lambda: self._with_sqlalchemy(self._readers, work))

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run work in a transaction that may write. A retry runs it again; only its last run is committed."""
        return self._retried(lambda: self._with_sqlalchemy(self._writers, work))

    def run(self, work: Callable[[Runner], T], write: bool) -> T:
        """The same on the driver's connection, without SQLAlchemy around it."""
        return self._retried(lambda: self._with_driver(work, write))

    def run_alone(self, work: Callable[[Runner], T]) -> T:
        """Run work, which is one statement, without a transaction around it: the database begins and ends one inside
        the statement. So no lock outlasts it, not even if this thread then waits for Python's global lock."""
        return self._retried(lambda: self._with_driver(work, write=None))

    def serialize(self, connection: Connection) -> None:
        """Keep out all others that create a study, until the end of this transaction."""
        self._dialect.serialize(connection)

    def _retried(self, once: Callable[[], T]) -> T:
        deadline = self._clock.monotonic() + self._patience.deadline

        def alone() -> T:
            if forking.THREAD.inside:  # a signal handler, or a process that was forked there: waiting would be for ever
                raise StorageError(self._refusal or _NESTED)
            with self._lock, forking.THREAD:
                if self._refusal is not None:
                    raise StorageError(self._refusal)
                self._check_file()
                self._deadline = deadline
                self._watch_idle(False)
                try:
                    result = once()
                finally:
                    self._watch_idle(True)
                self._reached = True
                self._file = self._file or sqlite.file_at(self._path)
                return result

        try:
            return retry(alone, self._transient, self._clock, self._patience)
        except DBAPIError as error:
            kind = OutOfReachError if self._transient(error) else StorageError
            raise kind(self._explain(error)) from error.orig
        except (UnicodeError, OverflowError, SQLAlchemyError) as error:  # what was never written so
            raise StorageError(f"{masked(self.url)}: a row is damaged ({error}): restore a backup") from error

    def _guard(self, connection: Any) -> AbstractContextManager[None]:
        """A wait for the server ends soon after the call is to have failed, even if the server is frozen."""
        return self._dialect.guard(connection, max(0.0, self._deadline - self._clock.monotonic()) + _OVERTIME)

    def _watch_idle(self, idle: bool) -> None:
        """Give up the connection if it stays idle, or has been kept for long: the server may have few of them."""
        if self._idle is not None:
            WATCHDOG.drop(self._idle)
            self._idle = None
        if idle and math.isfinite(self._dialect.IDLE):
            itself = weakref.ref(self)
            old = time.monotonic() - self._connected_at[0] > self._dialect.OLD
            if old:
                self._disconnect()
            else:
                self._idle = WATCHDOG.set(self._dialect.IDLE, lambda: _give_up_idle(itself))

    def give_up_idle(self) -> None:
        """Disconnect, unless a transaction is under way."""
        if self._lock.acquire(blocking=False):
            try:
                self._disconnect()
            finally:
                self._lock.release()

    def _disconnect(self) -> None:
        self._return_connection()
        self._engine.dispose()

    def _check_file(self) -> None:
        if self._file is not None and sqlite.file_at(self._path) != self._file:
            raise StorageError(f"{masked(self.url)}: {sqlite.GONE}")

    def _with_sqlalchemy(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        self._return_connection()
        with engine.connect() as connection, self._guard(connection.connection.driver_connection), connection.begin():
            return work(connection)

    def _with_driver(self, work: Callable[[Runner], T], write: bool | None) -> T:
        dialect, lost = self._engine.dialect, False
        errors: Any = dialect.loaded_dbapi.Error
        try:
            if not self._held:
                self._held.append(self._engine.raw_connection())
            connection: Any = self._held[0].driver_connection
            with self._guard(connection):
                try:
                    if write is None:
                        with self._dialect.autocommit(connection):
                            return work(Runner(connection, dialect))
                    self._dialect.begin(connection, write)
                    result = work(Runner(connection, dialect))
                    if self._refusal is not None:
                        raise StorageError(self._refusal)
                    connection.commit()
                except BaseException:
                    # A child that was forked here has no connection: neither to commit nor to roll back is its matter.
                    lost = bool(self._held) and not self._rolled_back(connection)
                    raise
            return result
        except errors as error:
            wrapped = DBAPIError.instance(None, None, error, errors, connection_invalidated=lost, dialect=dialect)
            raise wrapped from error

    def _rolled_back(self, connection: Any) -> bool:
        """Roll back. False if the connection is lost: then it is closed."""
        try:
            connection.rollback()
        except self._engine.dialect.loaded_dbapi.Error as error:
            self._held.pop().invalidate(error)
            return False
        return True

    def _return_connection(self) -> None:
        """Return the connection to the pool, from which SQLAlchemy takes it."""
        while self._held:
            self._held.pop().close()

    def _transient(self, error: Exception) -> bool:
        return isinstance(error, DBAPIError) and self._dialect.transient(error, self._reached)

    def _explain(self, error: DBAPIError) -> str:
        remedy = self._dialect.remedy(error)
        tried = f" (tried for {self._patience.deadline:g} s)" if self._transient(error) else ""
        what = str(error.orig).strip().splitlines()[:1]
        return f"{masked(self.url)}: {''.join(what)}{tried}" + (f"; {remedy}" if remedy else "")

    def close(self) -> None:
        """Close the connection; using the database afterwards raises StorageError."""
        with self._lock:
            self._refusal = "this storage was closed"
            self.close_engine()

    def before_fork(self) -> None:
        """Disconnect: SQLite's locks belong to one process, and a socket must have one reader."""
        self._lock.acquire()
        if not self.private:
            _disconnect(self._engine, self._held)

    def after_fork(self) -> None:
        """Release the lock that before_fork() took."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """The same in the child, which has no part in a database in memory."""
        if self.private:
            self._refusal = NOT_SHARED
        self._lock.release()

    def abandon(self) -> None:
        """In a child that was forked inside a transaction: never use the connection, not even to close it.

        SQLite would roll back the parent's transaction, and believes that this process has the locks of its parent.
        """
        self._refusal = NOT_SHARED if self.private else FORKED_INSIDE
        for held in self._held:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(held.driver_connection))
        self._held.clear()
        self._engine.dispose(close=False)


def _give_up_idle(database: weakref.ref[Database]) -> None:
    found = database()
    if found is not None:
        found.give_up_idle()


def _note_time(connected_at: list[float], *_: object) -> None:
    connected_at[0] = time.monotonic()


def _disconnect(engine: Engine, held: list[PoolProxiedConnection]) -> None:
    while held:
        held.pop().invalidate()
    engine.dispose()
