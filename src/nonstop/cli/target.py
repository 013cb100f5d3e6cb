"""Which study in which storage: the arguments of a command, and NONSTOP_STORAGE if they contain no URL."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from nonstop.arguments import text_of
from nonstop.errors import StorageError
from nonstop.storage import backend_of, open_storage
from nonstop.storage.retry import Patience
from nonstop.wording import shown

if TYPE_CHECKING:
    from nonstop.storage.contract import Storage
    from nonstop.study import Study

VARIABLE: Final = "NONSTOP_STORAGE"
#: Seconds to retry a storage that cannot be reached when a command starts: somebody is waiting at the terminal.
START_DEADLINE: Final = 5.0


def split_words(words: Sequence[str], *names: str, optional: int = 0) -> tuple[str, list[str]]:
    """The URL and the other words, which are called `names` in errors; the last `optional` of them may be missing.

    NONSTOP_STORAGE replaces a missing URL, so that a URL with a password need not appear in the list of processes."""
    has_url = bool(words) and "://" in words[0]
    url = words[0] if has_url else os.environ.get(VARIABLE, "")
    rest = list(words[1:] if has_url else words)
    if any(text_of(word) is None or "\0" in word for word in (url, *rest)):
        raise click.UsageError("an argument has a NUL character, or one that cannot be encoded")
    if not url:
        raise click.UsageError(f"which storage? Give its URL first, for example sqlite:///runs.db, or set {VARIABLE}")
    if len(rest) > len(names):
        raise click.UsageError(f"unexpected argument {shown(rest[len(names)])}")
    if len(rest) < len(names) - optional:
        raise click.UsageError(f"missing argument {names[len(rest)]}")
    return url, rest


def open_existing(url: str) -> Storage:
    """The storage, if it exists: a misspelt file name is an error, not a new database."""
    missing = backend_of(url).missing(url)
    if missing is not None:
        raise StorageError(missing)
    return open_now(url)


def open_now(url: str) -> Storage:
    """The storage. The first connection fails after START_DEADLINE; later ones are retried as long as usual."""
    open_storage(url, Patience(deadline=START_DEADLINE)).close()
    return open_storage(url)


def shown_url(url: str) -> str:
    """The URL without its password."""
    return backend_of(url).shown(url)


def locate(words: Sequence[str]) -> tuple[str, str]:
    """The URL and the name of the study that `[URL] STUDY` stands for."""
    url, (name,) = split_words(words, "STUDY")
    return url, name


def open_study(url: str, name: str) -> Study:
    """A study to read. A rule that is an object of the user's own code is not available here, and is replaced."""
    from nonstop.study import Study
    from nonstop.trials.spec import spec_for_viewing

    storage = open_existing(url)
    record = storage.load_study(name)
    return Study(storage, record, spec_for_viewing(record.spec))
