"""Which study in which storage: the words after a command, and NONSTOP_STORAGE where they name no URL."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from nonstop.errors import StorageError
from nonstop.storage import backend_of, open_storage
from nonstop.storage.retry import Patience

if TYPE_CHECKING:
    from nonstop.storage.contract import Storage
    from nonstop.study import Study

VARIABLE: Final = "NONSTOP_STORAGE"
AT_START: Final = 5.0


def split_words(words: Sequence[str], *names: str, optional: int = 0) -> tuple[str, list[str]]:
    """The URL and the other words. Without a URL among them, NONSTOP_STORAGE names it, so that no one reads it in
    the list of processes."""
    has_url = bool(words) and "://" in words[0]
    url = words[0] if has_url else os.environ.get(VARIABLE, "")
    rest = list(words[1:] if has_url else words)
    if not url:
        raise click.UsageError(f"which storage? Give its URL first, as sqlite:///runs.db, or set {VARIABLE}")
    if len(rest) > len(names):
        raise click.UsageError(f"unexpected argument {rest[len(names)]!r}")
    if len(rest) < len(names) - optional:
        raise click.UsageError(f"missing argument {names[len(rest)]}")
    return url, rest


def open_existing(url: str) -> Storage:
    """The storage, if it is there: a misspelt file is an error, not a new database."""
    missing = backend_of(url).missing(url)
    if missing is not None:
        raise StorageError(missing)
    return open_now(url)


def open_now(url: str) -> Storage:
    """The storage, with all its patience for later but little at the start: whoever typed its URL is waiting."""
    open_storage(url, Patience(deadline=AT_START)).close()
    return open_storage(url)


def shown_url(url: str) -> str:
    return backend_of(url).shown(url)


def locate(words: Sequence[str]) -> tuple[str, str]:
    """The URL and the name of the study that `[URL] STUDY` stands for."""
    url, (name,) = split_words(words, "STUDY")
    return url, name


def open_study(url: str, name: str) -> Study:
    """A study to look at: its own rule may be an object that only its owner can make, so another stands in for it."""
    from nonstop.study import Study
    from nonstop.trials.spec import spec_for_viewing

    storage = open_existing(url)
    record = storage.load_study(name)
    return Study(storage, record, spec_for_viewing(record.spec))
