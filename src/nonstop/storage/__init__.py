"""Where studies live: in memory, in an SQLite file, or in PostgreSQL. `contract.py` says what each of them promises."""

from __future__ import annotations

from nonstop.storage.contract import Storage
from nonstop.storage.memory import MemoryStorage


def open_storage(url: str | Storage | None) -> Storage:
    """The storage behind a URL (`sqlite:///runs.db`, `postgresql://user@host/db`); None is memory, for this process."""
    if url is None:
        return MemoryStorage()
    if not isinstance(url, str):
        return url
    # Deferred: SQLAlchemy costs more to import than everything a study in memory needs.
    from nonstop.storage.sql import SqlStorage

    return SqlStorage(url)
