"""Which storage a URL means: one table of schemes, for Python and for the command line.

A storage of your own adds a line: `SCHEMES["redis"] = "my_package.storage"`. The module is imported when such a URL is
opened, and has the three functions of Backend.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from nonstop.arguments import text_of
from nonstop.errors import NonstopError, StorageError
from nonstop.storage.contract import Storage
from nonstop.storage.memory import MemoryStorage
from nonstop.storage.retry import Patience
from nonstop.wording import shown

#: Scheme -> name of a module. Not imported before it is needed: importing SQLAlchemy takes long.
SCHEMES: dict[str, str] = {
    "sqlite": "nonstop.storage.sql",
    "postgresql": "nonstop.storage.sql",
    "postgres": "nonstop.storage.sql",
}


class Backend(Protocol):
    """The functions of the module of a scheme."""

    def open_url(self, url: str, patience: Patience | None) -> Storage:
        """The storage behind a URL, created if needed; `patience` limits its retries."""

    def missing(self, url: str) -> str | None:
        """What does not exist yet, in words (such as a file); None if the storage exists, or cannot be checked."""

    def shown(self, url: str) -> str:
        """The URL without passwords."""


def open_storage(url: str | Storage | None, patience: Patience | None = None) -> Storage:
    """The storage behind a URL (`sqlite:///runs.db`, `postgresql://user@host/db`); None is this process's memory."""
    if url is None:
        return MemoryStorage()
    address = text_of(url)
    if address is not None:
        try:
            return backend_of(address).open_url(address, patience)
        except NonstopError:
            raise
        except (OSError, ValueError) as error:  # a path that is too long, or has a NUL character
            raise StorageError(f"the storage cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    if isinstance(url, str | type) or not hasattr(url, "exchange"):
        raise StorageError(f"storage must be a URL, None for memory, or a storage object, not {shown(url)}")
    return url


def backend_of(url: str) -> Backend:
    """The module for the scheme of a URL, `sqlite` for `sqlite+driver://` too; StorageError if there is none."""
    scheme, separator, _ = url.partition("://")
    name = scheme.split("+")[0]
    if not separator:
        raise StorageError("this is no storage URL: write sqlite:///FILE or postgresql://USER@HOST/DATABASE")
    if name not in SCHEMES:
        raise StorageError(f"{shown(scheme)} is no storage nonstop knows: use sqlite:///FILE or postgresql://…")
    return cast("Backend", import_module(SCHEMES[name]))
