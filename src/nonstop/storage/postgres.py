"""What is special about PostgreSQL: locks that the server releases, isolation levels, and passing errors."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping, Set
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from nonstop.errors import MissingExtraError
from nonstop.storage.watchdog import WATCHDOG

#: An arbitrary key, the same in every nonstop, of the lock that installing the schema and creating a study take.
_ADVISORY_LOCK: Final = 0x6E6F6E73746F70
#: A worker that is stopped or cut off inside a transaction holds the study's lock: so the server ends its session.
_SETTINGS: Final = {"idle_in_transaction_session_timeout": "5s", "lock_timeout": "30s", "statement_timeout": "60s"}
_CONNECT: Final = {"connect_timeout": 10, "keepalives_idle": 15, "keepalives_interval": 5, "tcp_user_timeout": 30_000}
#: Execution options of the two kinds of transaction. All statements of a reader must see the same snapshot.
READ: Final[Mapping[str, object]] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
WRITE: Final[Mapping[str, object]] = {"isolation_level": "READ COMMITTED", "postgresql_readonly": False}

#: Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html that a retry may get past:
#: connection trouble, deadlock, serialization, a lock not available, timeouts, restart, too many connections.
_TRANSIENT: Final = ("08", "40001", "40P01", "55P03", "57014", "57P01", "57P02", "57P03", "57P05", "25P03", "53300")
#: Failures to connect have no code, only a message. With these, no retry succeeds; all others may be a restart.
_PERMANENT: Final = (
    "authentication failed",
    "does not exist",
    "no pg_hba.conf entry",
    "no password supplied",
    "invalid connection option",
    "permission denied",
)
#: A name that was once found may be lost for a while; one that never was is misspelt.
_NAME: Final = ("could not translate host name", "failed to resolve host", "Name or service not known")
#: Seconds in which the first statements of a new connection are answered.
_GREETING: Final = 10.0
#: Seconds without a transaction after which a connection is given up, and after which it is given up in any case.
IDLE: Final = 1.0
OLD: Final = 10.0


def make_engine(url: URL) -> Engine:
    """An engine with one connection, which the caller guards with a lock."""
    try:
        engine = create_engine(
            url,
            poolclass=QueuePool,
            pool_size=1,
            max_overflow=0,
            hide_parameters=True,
            isolation_level="READ COMMITTED",
            connect_args={key: value for key, value in _CONNECT.items() if key not in url.query},
        )
    except ImportError:
        raise MissingExtraError("PostgreSQL", "postgres") from None
    event.listen(engine, "connect", _configure)
    return engine


def _configure(connection: Any, _record: object) -> None:
    autocommit, connection.autocommit = connection.autocommit, True
    with guard(connection, _GREETING):
        for name, value in _SETTINGS.items():
            connection.execute(f"SET {name} = '{value}'")
    connection.autocommit = autocommit


def guard(connection: Any, seconds: float) -> AbstractContextManager[None]:
    """Inside, a connection on which the server does not answer for so long is cut: what waits for it then fails.

    A server that is frozen acknowledges all that we send, so the time limits of TCP do not end the wait. Those of the
    server do not either: it would have to be awake.
    """
    return WATCHDOG.after(seconds, lambda: _cut(connection))


def _cut(connection: Any) -> None:
    from psycopg import Error

    with suppress(OSError, Error), socket.socket(fileno=os.dup(connection.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)


def begin(connection: Any, write: bool) -> None:
    """Set the kind of the transaction that the first statement begins."""
    from psycopg import IsolationLevel

    connection.isolation_level = IsolationLevel.READ_COMMITTED if write else IsolationLevel.REPEATABLE_READ
    connection.read_only = not write


@contextmanager
def autocommit(connection: Any) -> Iterator[None]:
    """Inside, each statement on a connection of the driver is a transaction of its own: one round trip."""
    from psycopg import IsolationLevel

    connection.isolation_level, connection.read_only = IsolationLevel.READ_COMMITTED, False
    connection.autocommit = True
    try:
        yield
    finally:
        if not connection.closed:
            connection.autocommit = False


def serialize(connection: Connection) -> None:
    """Keep out all others that install the schema or create a study, until the end of this transaction."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})


def tables_in(connection: Connection) -> Set[str]:
    """The names of the tables, those of other programs too: a PostgreSQL database may be shared."""
    names = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()"
    return set(connection.exec_driver_sql(names).scalars())


def mark_ours(_connection: Connection) -> None:
    """Nothing to do: the names of our tables mark them."""


def transient(error: DBAPIError, reached: bool) -> bool:
    """May a retry succeed? `reached` says whether the server was reached before."""
    code = getattr(error.orig, "sqlstate", None)
    if code is not None:
        return str(code).startswith(_TRANSIENT)
    final = _PERMANENT if reached else (*_PERMANENT, *_NAME)
    return error.connection_invalidated or (
        type(error.orig).__name__ in ("OperationalError", "ConnectionTimeout")
        and not any(words in str(error.orig) for words in final)
    )


def remedy(error: DBAPIError) -> str | None:
    """What the user can do about the error, if known."""
    code = getattr(error.orig, "sqlstate", None) or ""
    if code == "53300" or "too many clients" in str(error.orig) or "connection slots" in str(error.orig):
        return (
            "the server is short of connections: every worker needs one while it stores (none while it evaluates), and "
            "so does every command; raise max_connections, or run fewer workers"
        )
    if code.startswith("53"):
        return "the server is short of disk or memory, nothing was written: make room and run again"
    if code == "42501":
        return "this user may not do that: grant CREATE and USAGE on the schema"
    if not code or code.startswith(("08", "57")):
        return "is the server running, and are host, port, database, user and password right?"
    return None
