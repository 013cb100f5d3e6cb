"""The names of a storage's studies, for completion while somebody types: quick, and nothing is created or changed.

Opening a storage as usual would create its file or tables, migrate old ones, and wait for a server.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from nonstop.storage.database import parse, sqlite_path
from nonstop.storage.schema import studies

_QUERY: Final = f"SELECT name FROM {studies.name} ORDER BY id DESC LIMIT 1000"
_SECONDS: Final = 1.0  # that somebody waits for


def study_names(url: str) -> list[str]:
    """The names, the newest first. Raises whatever goes wrong: a storage that cannot be read has no names to offer."""
    parsed = parse(url)
    path = sqlite_path(parsed)
    if path is not None:
        return _in_file(path)
    if parsed.drivername.startswith("sqlite"):
        return []
    return _on_server(parsed.set(drivername="postgresql").render_as_string(hide_password=False))


def _in_file(path: Path) -> list[str]:
    """Read a file without leaving others beside it: where there is no write-ahead log, nothing but the file is read."""
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=_SECONDS)) as connection:
        return [str(name) for (name,) in connection.execute(_QUERY)]


def _on_server(url: str) -> list[str]:
    import psycopg

    with psycopg.connect(url, connect_timeout=2) as connection:
        connection.read_only = True
        connection.execute(f"SET statement_timeout = {1000 * _SECONDS:.0f}".encode())
        return [str(name) for (name,) in connection.execute(_QUERY.encode())]
