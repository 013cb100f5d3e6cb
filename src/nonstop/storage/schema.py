"""The tables, their version, and the migrations from older versions.

    nonstop_schema   one row per version this database has had: which, when
    nonstop_studies  one row per study: its specification and its counters, the row that writers lock
    nonstop_trials   one row per trial, in its newest state
    nonstop_results  every result that was ever reported, append-only; `counted` marks the one that its trial has

Values and params are text: SQLite turns -0.0 in a number column into 0.0, while text is the same in every database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Final, TypeAlias

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    insert,
)

from nonstop.errors import StorageError
from nonstop.trials.trial import TrialState

VERSION: Final = 3
Migration: TypeAlias = Callable[[Connection], None]
#: MIGRATIONS[v] takes a database from version v - 1 to v, inside one transaction. A new database starts at VERSION.
MIGRATIONS: Final[Mapping[int, Migration]] = {
    2: lambda connection: _add_version_2(connection),
    3: lambda connection: _add_version_3(connection),
}

_FOREIGN: Final = "tables named nonstop_* are here, but not as nonstop makes them: use another database, or drop them"

metadata: Final = MetaData()

schema: Final = Table(
    "nonstop_schema",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("installed_at", Double, nullable=False),
)

studies: Final = Table(
    "nonstop_studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("creation_id", Text, nullable=False),
    Column("spec", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("sequence", BigInteger, nullable=False, default=0),
    *(Column(state.value, Integer, nullable=False, default=0) for state in TrialState),
    Column("budget", BigInteger),  # since version 2
    # Since version 2: SQLite would give the id of a deleted study to the next one, and its workers would go on there.
    sqlite_autoincrement=True,
)

trials: Final = Table(
    "nonstop_trials",
    metadata,
    Column("study_id", ForeignKey("nonstop_studies.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),
    Column("params", Text),
    Column("value", Text),
    Column("version", Integer, nullable=False),
    Column("place", Integer),  # Trial.order, a keyword of SQL
    Column("seed", BigInteger, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("owner", Text),  # Trial.worker, under the name it had when version 1 was made
    Column("beat", BigInteger, nullable=False),
    Column("reason", Text),
    Column("diagnostics", Text, nullable=False),
    Column("asked_at", Double),
    Column("started_at", Double),
    Column("finished_at", Double),
    Column("sequence", BigInteger, nullable=False),
    Column("request_id", Text),  # the request this trial is granted to
    Column("insert_id", Text),  # the insert that made it
    Column("lease", Double),  # since version 2: of a trial that was asked for; NULL if a worker's heartbeat keeps it
    Column("undone", BigInteger),  # since version 2: the change that failed it, if a late result undid that
    Column("checksum", BigInteger),  # since version 2: of a finished trial, which does not change any more
    Column("seconds", Double),  # since version 2
    Column("notes", Text),  # since version 2: NULL if there are none
    Column("fixed", Text),  # since version 2: NULL if there are none
    Column("outcomes", Text),  # since version 3: NULL if there are none
    UniqueConstraint("study_id", "sequence"),
    UniqueConstraint("study_id", "place"),
    UniqueConstraint("study_id", "request_id"),
    UniqueConstraint("study_id", "insert_id"),
    Index("nonstop_trials_by_state", "study_id", "state", "number"),
)

results: Final = Table(
    "nonstop_results",
    metadata,
    Column("study_id", ForeignKey("nonstop_studies.id"), primary_key=True),
    Column("id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("value", Text),
    Column("reason", Text),
    Column("counted", Boolean, nullable=False),
    Column("reported_at", Double, nullable=False),
    Column("notes", Text),  # since version 2
    Column("outcomes", Text),  # since version 3
)


def current(connection: Connection, tables: Set[str]) -> bool:
    """Is the schema here, and of this version? StorageError if it is newer, or not nonstop's."""
    found = _version(connection, tables)
    if found is not None and found > VERSION:
        raise StorageError(
            f"this database has schema version {found}, this nonstop knows up to {VERSION}: pip install -U nonstop"
        )
    return found == VERSION


def install(connection: Connection, tables: Set[str], now: float) -> None:
    """Create or migrate the schema; the caller holds a lock against others that do the same."""
    if current(connection, tables):
        return
    found = _version(connection, tables)
    if found is None:
        metadata.create_all(connection, checkfirst=False)
        found = VERSION
        connection.execute(insert(schema).values(version=found, installed_at=now))
    for version in range(found + 1, VERSION + 1):
        MIGRATIONS[version](connection)
        connection.execute(insert(schema).values(version=version, installed_at=now))


def _add_version_2(connection: Connection) -> None:
    _add_columns(connection, studies.name, "budget")
    _add_columns(connection, trials.name, "lease", "undone", "checksum", "seconds", "notes", "fixed")
    _add_columns(connection, results.name, "notes")
    if connection.dialect.name == "sqlite":
        _number_studies_anew(connection)


def _add_version_3(connection: Connection) -> None:
    _add_columns(connection, trials.name, "outcomes")
    _add_columns(connection, results.name, "outcomes")


def _number_studies_anew(connection: Connection) -> None:
    """AUTOINCREMENT cannot be added to a table of SQLite: a new one takes its place. Nothing refers to it by its inner
    name, so what refers to the old one refers to the new one afterwards."""
    new = studies.to_metadata(MetaData(), name="nonstop_studies_new")
    new.create(connection, checkfirst=False)
    connection.execute(new.insert().from_select(new.c.keys(), studies.select()))
    connection.exec_driver_sql(f"DROP TABLE {studies.name}")
    connection.exec_driver_sql(f"ALTER TABLE {new.name} RENAME TO {studies.name}")


def _add_columns(connection: Connection, table: str, *names: str) -> None:
    for name in names:
        kind = metadata.tables[table].c[name].type.compile(connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")


def _version(connection: Connection, tables: Set[str]) -> int | None:
    """The version of the schema here; None if there is none."""
    if not tables & metadata.tables.keys():
        return None
    if schema.name not in tables:
        raise StorageError(_FOREIGN)
    # SELECT *, as a table of another program may lack the column; reflection would tell, but takes far longer.
    rows = connection.exec_driver_sql(f"SELECT * FROM {schema.name}").mappings().all()
    versions = [row.get("version", 0) for row in rows]
    if not versions or not all(isinstance(version, int) for version in versions):
        raise StorageError("nonstop_schema has no version: this database was damaged; restore it from a backup")
    found: int = max(versions)
    if found < 1 or (found == VERSION and not metadata.tables.keys() <= tables):
        raise StorageError(_FOREIGN)
    return found
