"""`nonstop report`: a study as one HTML file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nonstop.cli.complete import complete_study
from nonstop.cli.output import written
from nonstop.cli.target import locate, open_study, shown_url
from nonstop.cli.terminal import echo
from nonstop.wording import printable, without_passwords

if TYPE_CHECKING:
    from nonstop.study import Study

#: Characters of a file name: four bytes each at most, of the 255 that a name may have.
_LONGEST_NAME = 60
_REPLACED_NOTE = (
    "The rule or the surrogate of this study is an object of the user's own code, which is not available here: no "
    "acquisition is drawn, and the model is drawn with the default surrogate."
)


@click.command(
    epilog="""\b
Examples:
  nonstop report sqlite:///runs.db demo
  nonstop report sqlite:///runs.db demo -o report.html"""
)
@click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY]", shell_complete=complete_study)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write to (default: STUDY.html).",
)
def report(words: Sequence[str], output: str | None) -> None:
    """Write a report of a study: one HTML file with all figures.

    It opens in any browser, without a network."""
    url, name = locate(words)
    path = Path(output or f"{_filename(name)}.html")
    write_report(url, name, path)
    echo(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")


def write_report(url: str, name: str, path: Path) -> None:
    """Write the report of the study to `path`; StorageError if that fails."""
    from nonstop.report import About, page, resume_command

    study, notes = _opened(url, name)
    trials = study.trials
    stored = study.storage.load_study(name)
    completed = sum(trial.value is not None for trial in trials)
    resume = without_passwords(study.spec.command or resume_command(shown_url(url), name, completed))
    about = About(name, shown_url(url), str(stored.spec["rule"]), time.time(), resume, notes)
    content = printable(page(about, study.spec, trials))
    study.storage.close()
    with written(path, private=True) as out:
        out.write(content)


def _opened(url: str, name: str) -> tuple[Study, Sequence[str]]:
    """The study, and a note for the reader if its rule or surrogate had to be replaced."""
    from nonstop.trials.spec import has_objects

    study = open_study(url, name)
    return study, (_REPLACED_NOTE,) if has_objects(study.storage.load_study(name).spec) else ()


def _filename(name: str) -> str:
    """The name of the study with every character replaced that is unsafe in a file name."""
    return (
        "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name).strip(".")[:_LONGEST_NAME]
        or "report"
    )
