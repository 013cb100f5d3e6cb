"""Files that commands write: whole or not at all, and only where a file can be."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from nonstop.errors import StorageError
from nonstop.wording import shown


@contextmanager
def written(path: Path, private: bool) -> Iterator[TextIO]:
    """A file that takes the place of `path` once it is complete; StorageError says why that is not possible.

    A device or a pipe is written to, and never replaced. A new file that is `private` is readable by its owner only.
    """
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            with path.open("w", encoding="utf-8") as out:
                yield out
            return
        with _replacing(Path(os.path.realpath(path)), _permissions(mode, private)) as out:
            yield out
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        why = getattr(error, "strerror", None) or str(error)
        where = shown(str(path)).strip("'")
        raise StorageError(f"cannot write {where}: {why}") from error


@contextmanager
def _replacing(path: Path, permissions: int) -> Iterator[TextIO]:
    descriptor, name = tempfile.mkstemp(prefix=".nonstop-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            os.fchmod(descriptor, permissions)
            yield out
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _mode(path: Path) -> int | None:
    """What is there: None for nothing; IsADirectoryError for a folder."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(None, "it is a folder", str(path))
    return mode


def _permissions(mode: int | None, private: bool) -> int:
    if mode is not None:
        return stat.S_IMODE(mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o600 if private else 0o666 & ~mask
