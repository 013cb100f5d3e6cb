"""Which storage is behind a URL: one table of schemes, for Python and for the command line.

A storage of one's own adds a line: `SCHEMES["redis"] = "my_package.storage"`. The module is imported when such a URL
is opened, and offers three functions: `open_url(url, patience)` returns a Storage, `missing(url)` says what is not
there yet (or None), `shown(url)` is the URL without passwords.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from nonstop.errors import StorageError
from nonstop.storage.contract import Storage
from nonstop.storage.memory import MemoryStorage
from nonstop.storage.retry import Patience

#: By name and not by import: SQLAlchemy takes longer to import than all that a study in memory needs.
SCHEMES: dict[str, str] = {
    "sqlite": "nonstop.storage.sql",
    "postgresql": "nonstop.storage.sql",
    "postgres": "nonstop.storage.sql",
}


class Backend(Protocol):
    """The functions that the module of a scheme offers."""

    def open_url(self, url: str, patience: Patience | None) -> Storage: ...
    def missing(self, url: str) -> str | None: ...
    def shown(self, url: str) -> str: ...


def open_storage(url: str | Storage | None, patience: Patience | None = None) -> Storage:
    """The storage behind a URL (`sqlite:///runs.db`, `postgresql://user@host/db`); None is memory, for this process."""
    if url is None:
        return MemoryStorage()
    if not isinstance(url, str):
        return url
    return backend_of(url).open_url(url, patience)


def backend_of(url: str) -> Backend:
    """The module for the scheme of a URL, `sqlite` for `sqlite+driver://` too; StorageError if there is none."""
    scheme, separator, _ = url.partition("://")
    name = scheme.split("+")[0]
    if not separator:
        raise StorageError("this is no storage URL: write sqlite:///FILE or postgresql://USER@HOST/DATABASE")
    if name not in SCHEMES:
        raise StorageError(f"{scheme!r} is no storage nonstop knows: use sqlite:///FILE or postgresql://…")
    return cast("Backend", import_module(SCHEMES[name]))
