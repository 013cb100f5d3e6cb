"""Which study in which storage: the arguments of a command, and what stands for those that are missing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nonstop.arguments import text_of
from nonstop.cli.studyfile import DEFAULT_STORAGE
from nonstop.cli.terminal import echo
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
#: How names of database files end, and how the files begin.
_DATABASES: Final = (".db", ".sqlite", ".sqlite3")
_HEADER: Final = b"SQLite format 3\0"
#: Names of studies in an error message.
_MOST: Final = 20


def split_words(words: Sequence[str], *names: str, optional: int = 0) -> tuple[str, list[str]]:
    """The URL of the storage and the other words, which are called `names` in errors; the last `optional` of them may
    be missing.

    The first word names the storage, if it can (see url_of). Otherwise NONSTOP_STORAGE does, so that a URL with a
    password need not appear in the list of processes; or else it is the file that `nonstop run` uses, if it exists."""
    url = url_of(words[0]) if words else None
    rest = list(words if url is None else words[1:])
    if any(text_of(word) is None or "\0" in word for word in (url or "", *rest)):
        raise click.UsageError("an argument has a NUL character, or one that cannot be encoded")
    if len(rest) > len(names):
        raise click.UsageError(f"unexpected argument {shown(rest[len(names)])}")
    if len(rest) < len(names) - optional:
        raise click.UsageError(f"missing argument {names[len(rest)]}")
    return url or default_url(), rest


def url_of(word: str) -> str | None:
    """The URL of the storage that a word names: it is one, or a file that is an SQLite database or is called like one;
    None if it names none."""
    if "://" in word:
        return word
    try:
        is_file = word.endswith(_DATABASES) or _is_database(Path(word))
    except (OSError, ValueError):  # longer than a file name can be, or with a NUL character
        return None
    return f"sqlite:///{word}" if is_file else None


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER


def default_url() -> str:
    """Where a study is looked for if no storage is named; UsageError if that is nowhere."""
    named = os.environ.get(VARIABLE, "")
    if named:
        return url_of(named) or named
    if not Path(DEFAULT_STORAGE.removeprefix("sqlite:///")).is_file():
        raise click.UsageError(
            f"which storage? Give its file or URL first, for example runs.db or sqlite:///runs.db, or set {VARIABLE}"
        )
    echo(f"nonstop: storage {DEFAULT_STORAGE}", err=True)
    return DEFAULT_STORAGE


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
    """The URL and the name of the study that `[STORAGE] [STUDY]` stands for."""
    url, rest = split_words(words, "STUDY", optional=1)
    return url, rest[0] if rest else only_study(url)


def only_study(url: str) -> str:
    """The name of the only study in the storage; UsageError if there are more."""
    storage = open_existing(url)
    names = [record.name for record in storage.list_studies()]
    storage.close()
    if len(names) != 1:
        there = f"there are {', '.join(map(shown, names[:_MOST]))}{' and more' * (len(names) > _MOST)}"
        raise click.UsageError(f"which study? In {shown_url(url)} {there if names else 'there is none yet'}")
    echo(f"nonstop: study {shown(names[0])}", err=True)
    return names[0]


def open_study(url: str, name: str) -> Study:
    """A study to read. A rule that is an object of the user's own code is not available here, and is replaced."""
    from nonstop.study import Study
    from nonstop.trials.spec import spec_for_viewing

    storage = open_existing(url)
    record = storage.load_study(name)
    return Study(storage, record, spec_for_viewing(record.spec))
