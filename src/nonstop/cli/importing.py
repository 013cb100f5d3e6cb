"""`nonstop import`: trials from a file, or from a database of Optuna, into a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from nonstop.cli.complete import complete_study
from nonstop.cli.studyfile import DEFAULT_STORAGE
from nonstop.cli.target import VARIABLE, default_url, only_study, open_now, open_study, shown_url, split_words, url_of
from nonstop.cli.terminal import echo, echo_error
from nonstop.errors import RowsError, StudyFileError
from nonstop.files.reading import READABLE
from nonstop.wording import shown

if TYPE_CHECKING:
    from nonstop.files.importing import Imported
    from nonstop.files.optuna import OptunaStudy
    from nonstop.study import Study

_EXAMPLES = """\b
Examples:
  nonstop import runs.db demo trials.csv
  nonstop export old.db demo --format jsonl | nonstop import runs.db demo - --format jsonl
  nonstop import runs.db demo measured.csv --value loss --keep-unknown --dry-run
  nonstop import runs.db --optuna sqlite:///optuna.db --study mystudy

A row has the columns of `nonstop export`, or at least one for each parameter and `value`. If one is wrong, all errors
are shown and nothing is stored. What the study has already is left out, so that an import may be repeated."""


@click.command("import", epilog=_EXAMPLES)
@click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY] FILE", shell_complete=complete_study)
@click.option("--format", "form", type=click.Choice(READABLE), help="The format (default: what the file name says).")
@click.option("--value", metavar="COLUMN", help="The column of the values, if it is not called value.")
@click.option("--keep-unknown", is_flag=True, help="Keep columns that mean nothing here as notes.")
@click.option("--raw", is_flag=True, help="csv: a ' before a formula is a part of the text, as in export --raw.")
@click.option("--again", is_flag=True, help="Import also what the study has already.")
@click.option("--dry-run", "dry", is_flag=True, help="Check everything, and store nothing.")
@click.option("--optuna", metavar="URL", help="Read from this database of Optuna; the study is created if needed.")
@click.option("--study", "theirs", metavar="NAME", help="The name of the study in Optuna, if there are several.")
def import_(
    words: Sequence[str],
    form: str | None,
    value: str | None,
    keep_unknown: bool,
    raw: bool,
    again: bool,
    dry: bool,
    optuna: str | None,
    theirs: str | None,
) -> int:
    """Add trials from a file (csv, jsonl, json) or from Optuna to a study."""
    from nonstop.files.importing import add, format_of, read_inserts

    try:
        if optuna is not None:
            return _from_optuna(words, optuna, theirs, again, dry)
        study, path = _target(words)
        with _opened(path) as stream:
            kind = form or format_of(path)
            inserts = read_inserts(stream, kind, study.spec, value, raw, keep_unknown)
        _say(study, add(study, inserts, again, dry), dry)
    except RowsError as error:
        return _refuse(error)
    return 0


def _target(words: Sequence[str]) -> tuple[Study, str]:
    """The study, and the file, which is the last word."""
    if not words:
        raise click.UsageError("missing argument FILE")
    *before, path = words
    url, names = split_words(before, "STUDY", optional=1)
    return open_study(url, names[0] if names else only_study(url)), path


@contextmanager
def _opened(path: str) -> Iterator[IO[str]]:
    if path == "-":
        with click.open_file("-", "r", encoding="utf-8-sig") as stream:
            yield stream
        return
    try:
        # newline="": csv finds line breaks inside of cells by itself.
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            yield stream
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise StudyFileError(f"{path[:200]}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        if "null" not in str(error):
            raise
        raise StudyFileError("the name of the file has a NUL character") from None


def _say(study: Study, done: Imported, dry: bool) -> None:
    parts = {"completed": done.completed, "failed": done.failed, "to evaluate": done.waiting}
    told = ", ".join(f"{count} {what}" for what, count in parts.items() if count)
    verb = "would add" if dry else "added"
    known = f"; {done.known} are there already" if done.known else ""
    echo(f"{verb} {done.new} trials to {study.name}" + (f": {told}" if told else "") + known)


def _refuse(error: RowsError) -> int:
    """One line for each row that is wrong, and the sum."""
    for where, what in error.errors[: RowsError.MOST]:
        echo(f"{where}: {what}", err=True)
    more = len(error.errors) - RowsError.MOST
    wrong = "1 row is wrong" if len(error.errors) == 1 else f"{len(error.errors)} rows are wrong"
    echo_error(f"{wrong}{f' ({more} are not shown)' if more > 0 else ''}: nothing was added")
    return 2


def _from_optuna(words: Sequence[str], url: str, theirs: str | None, again: bool, dry: bool) -> int:
    from nonstop.files.importing import add
    from nonstop.files.optuna import read_optuna
    from nonstop.trials.rows import inserts_of

    found = read_optuna(url_of(url) or url, theirs)
    study = _study_for(words, found, dry)
    where = [f"trial {row['number']}" for row in found.rows]
    inserts = inserts_of(study.spec.space, study.spec.goals, found.rows, where.__getitem__)
    _say(study, add(study, inserts, again, dry), dry)
    for why, count in sorted(found.left_out.items()):
        echo(f"left out: {count} {why}", err=True)
    return 0


def _study_for(words: Sequence[str], found: OptunaStudy, dry: bool) -> Study:
    """The study that is there, or a new one with the space of Optuna's; if it is `dry`, in memory."""
    from nonstop.files.optuna import space_of
    from nonstop.studies import create_study

    named = url_of(words[0]) if words else None
    url, names = split_words([named or _somewhere(), *words[named is not None :]], "STUDY", optional=1)
    name = names[0] if names else found.name
    storage = open_now(url)
    if any(record.name == name for record in storage.list_studies()):
        return open_study(url, name)
    space, remarks = space_of(found)
    for remark in remarks:
        echo(f"nonstop: {remark}", err=True)
    study = create_study(None if dry else storage, name, space=space, **found.goals)
    echo(f"{'would create' if dry else 'created'} {shown(name)} in {shown_url(url)}", err=True)
    return study


def _somewhere() -> str:
    """Where a new study goes if no storage is named: as with `nonstop run`, the default is created."""
    import os

    exists = Path(DEFAULT_STORAGE.removeprefix("sqlite:///")).is_file()
    return default_url() if os.environ.get(VARIABLE) or exists else DEFAULT_STORAGE
