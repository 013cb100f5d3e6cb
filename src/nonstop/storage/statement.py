"""Statements that run with every trial: compiled once, then given to the driver as text.

SQLAlchemy does ten times as much around each execution as SQLite does inside it, and a worker whose caches went cold
while its objective ran pays for that twice. So SQLAlchemy writes the SQL, and the driver alone runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from sqlalchemy import CompoundSelect, Dialect, Insert, Select, TextClause, Update

Statement: TypeAlias = Select[Any] | CompoundSelect[Any] | Insert | Update | TextClause


class Runner:
    """Runs statements on a connection of the driver, sqlite3's or psycopg's, inside the transaction that is open."""

    __slots__ = ("_connection", "_dialect")

    def __init__(self, connection: Any, dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect

    def __call__(self, statement: Statement, parameters: Mapping[str, object]) -> Any:
        """The driver's cursor. INSERT and UPDATE write the columns that the parameters name."""
        columns = tuple(parameters) if isinstance(statement, (Insert, Update)) else ()
        text, constants = _compiled(statement, self._dialect, columns)
        return self._connection.execute(text, {**constants, **parameters} if constants else parameters)


@lru_cache(maxsize=256)
def _compiled(statement: Statement, dialect: Dialect, columns: tuple[str, ...]) -> tuple[str, Mapping[str, object]]:
    """The SQL, and the values in it that the statement itself gives."""
    compiled = statement.compile(dialect=dialect, column_keys=columns or None)
    return str(compiled), {name: value for name, value in compiled.params.items() if value is not None}
