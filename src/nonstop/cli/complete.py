"""What the Tab key offers for options and arguments: files, names, and the studies of a storage.

Whatever goes wrong here, there is nothing to offer: an error message would end up in the line that somebody types.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from nonstop.acquisition.rules import RULES
from nonstop.cli.studyfile import DEFAULT_STORAGE, ENGINES
from nonstop.cli.target import VARIABLE, url_of
from nonstop.surrogate.model import PRESETS
from nonstop.types import Direction

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

Completer: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]"

#: A value that goes on after what is offered: a folder, the beginning of a URL.
PART: Final = "part"
_SQLITE: Final = "sqlite:///"
_DATABASES: Final = (".db", ".sqlite", ".sqlite3")


def complete_target(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Study files, and folders on the way to them."""
    return _files(typed, (".toml",))


def complete_url(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """URLs of the database files here."""
    if not typed.startswith(_SQLITE):
        found = _files("", _DATABASES, _SQLITE)
        return [item for item in found if item.value.startswith(typed)]
    return _files(typed.removeprefix(_SQLITE), _DATABASES, _SQLITE)


def complete_study(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """The studies of the storage that was typed before, or that is the default; and storages, if none was typed."""
    words: Sequence[str] = context.params.get(parameter.name or "") or ()
    storage = url_of(words[0]) if words else None
    if storage is not None:
        return _studies(storage, typed) if len(words) == 1 else []
    return [] if words else [*_studies(_default(), typed), *complete_storage(context, parameter, typed)]


def complete_storage(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Storages, for commands whose first argument may be one: database files, as URLs if one was begun."""
    if context.params.get(parameter.name or ""):
        return []
    return complete_url(context, parameter, typed) if typed.startswith("sqlite:") else _files(typed, _DATABASES)


def complete_name(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """For --name: the studies of --storage."""
    return _studies(context.params.get("storage") or _default(), typed)


def complete_rule(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Rules; after a + the one that takes turns with those before it."""
    before, plus, last = typed.rpartition("+")
    return _offered(f"{before}{plus}{name}" for name in RULES if name.startswith(last))


def _one_of(names: Iterable[str]) -> Completer:
    known = tuple(names)
    return lambda _context, _parameter, typed: _offered(name for name in known if name.startswith(typed))


#: By the key of a study file, which is the name of an option too.
COMPLETERS: Final[dict[str, Completer]] = {
    "storage": complete_url,
    "name": complete_name,
    "rule": complete_rule,
    "surrogate": _one_of(PRESETS),
    "direction": _one_of(get_args(Direction)),
    "engine": _one_of(ENGINES),
}


def _default() -> str:
    return os.environ.get(VARIABLE) or DEFAULT_STORAGE


def _studies(storage: str, typed: str) -> list[CompletionItem[str]]:
    from nonstop.storage.names import study_names

    with suppress(Exception):  # no such file, a server that does not answer, a scheme of one's own
        url = url_of(storage) or storage
        # A name with a line break or a command to the terminal in it must be typed by hand.
        return _offered(name for name in study_names(url) if name.startswith(typed) and name.isprintable())
    return []


def _files(typed: str, endings: tuple[str, ...], prefix: str = "") -> list[CompletionItem[str]]:
    folder, slash, begun = typed.rpartition("/")
    with suppress(OSError):
        entries = sorted(os.scandir(folder + slash or "."), key=lambda entry: entry.name)
        shown = [entry for entry in entries if entry.name.startswith(begun) and _is_shown(entry.name, begun)]
        files = [entry.name for entry in shown if entry.name.endswith(endings)]
        folders = [f"{entry.name}/" for entry in shown if entry.is_dir()]
        return [
            *_offered(f"{prefix}{folder}{slash}{name}" for name in files),
            *_offered((f"{prefix}{folder}{slash}{name}" for name in folders), PART),
        ]
    return []


def _is_shown(name: str, begun: str) -> bool:
    return name.isprintable() and (begun.startswith(".") or not name.startswith("."))


def _offered(values: Iterable[str], kind: str = "plain") -> list[CompletionItem[str]]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(value, type=kind) for value in values]
