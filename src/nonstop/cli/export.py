"""`nonstop export`: every trial as a row or a JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from nonstop.cli.complete import complete_study
from nonstop.cli.output import written
from nonstop.cli.target import locate, open_study
from nonstop.files.writing import FORMATS


@click.command(
    epilog="""\b
Examples:
  nonstop export sqlite:///runs.db demo > trials.csv
  nonstop export sqlite:///runs.db demo --format jsonl | jq .value
  nonstop export sqlite:///runs.db demo --format json -o trials.json"""
)
@click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY]", shell_complete=complete_study)
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="csv", show_default=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write to (default: standard output).",
)
@click.option("--raw", is_flag=True, help="csv: write texts that begin like a formula as they are, without a '.")
def export(words: Sequence[str], form: str, output: str | None, raw: bool) -> None:
    """Write all trials of a study as csv, json or jsonl."""
    study = open_study(*locate(words))
    with _opened(output) as out:
        goals = study.spec.goals
        FORMATS[form](study.trials, study.spec.space.names, out, raw, goals.names if goals.named else ())


@contextmanager
def _opened(output: str | None) -> Iterator[IO[str]]:
    if output is not None and output != "-":
        with written(Path(output), private=False) as out:
            yield out
        return
    with click.open_file("-", "w", encoding="utf-8") as stream:
        yield stream
        stream.flush()
