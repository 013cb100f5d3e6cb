"""Statements that run with every trial: compiled once by SQLAlchemy, then run by the driver as text.

SQLAlchemy's own work for each execution takes ten times as long as SQLite's, and twice that after an objective has
evicted it from the processor's caches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from sqlalchemy import CompoundSelect, Dialect, Insert, Select, TextClause, Update

Statement: TypeAlias = Select[Any] | CompoundSelect[Any] | Insert | Update | TextClause


class Runner:
    """Runs statements on a connection of the driver, sqlite3 or psycopg, inside the current transaction."""

    __slots__ = ("_connection", "_dialect")

    def __init__(self, connection: Any, dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect

    def __call__(self, statement: Statement, parameters: Mapping[str, object]) -> Any:
        """Run a statement: the driver's cursor. INSERT and UPDATE write the columns that the parameters name."""
        columns = tuple(parameters) if isinstance(statement, (Insert, Update)) else ()
        text, constants = _compiled(statement, self._dialect, columns)
        return self._connection.execute(text, {**constants, **parameters} if constants else parameters)

    def many(self, statement: Statement, rows: Sequence[Mapping[str, object]]) -> None:
        """Run an INSERT, without constants, for each row; the driver sends them together."""
        if rows:
            text, _ = _compiled(statement, self._dialect, tuple(rows[0]) if isinstance(statement, Insert) else ())
            self._connection.cursor().executemany(text, rows)


@lru_cache(maxsize=256)
def _compiled(statement: Statement, dialect: Dialect, columns: tuple[str, ...]) -> tuple[str, Mapping[str, object]]:
    """The SQL text, and the values of the parameters that are constants of the statement."""
    compiled = statement.compile(dialect=dialect, column_keys=columns or None)
    return str(compiled), {name: value for name, value in compiled.params.items() if value is not None}
