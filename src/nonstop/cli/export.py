"""`nonstop export`: every trial as a row or a JSON object."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import IO, Any

import click

from nonstop.cli.complete import complete_study
from nonstop.cli.output import written
from nonstop.cli.target import locate, open_study
from nonstop.trials.trial import Trial
from nonstop.wording import printable, visible

#: All fields of a trial except those that only workers need.
COLUMNS = [field.name for field in fields(Trial) if field.name not in ("beat", "lease", "sequence", "undone")]
#: How a cell begins that spreadsheets take for a formula (also in their wide forms), and text that is only a number.
_FORMULA = re.compile("[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)


def record(trial: Trial) -> dict[str, Any]:
    """The trial as plain JSON."""
    diagnostics = {} if trial.diagnostics is None else trial.diagnostics.to_json()
    return {name: getattr(trial, name) for name in COLUMNS} | {"diagnostics": diagnostics}


def write_jsonl(trials: Iterable[Trial], _names: Sequence[str], out: IO[str], _raw: bool) -> None:
    """One JSON object per line."""
    for trial in trials:
        out.write(json.dumps(record(trial)) + "\n")


def write_json(trials: Iterable[Trial], _names: Sequence[str], out: IO[str], _raw: bool) -> None:
    """One JSON list."""
    json.dump([record(trial) for trial in trials], out, indent=1)
    out.write("\n")


def write_csv(trials: Iterable[Trial], names: Sequence[str], out: IO[str], raw: bool) -> None:
    """One row per trial, without diagnostics; a column params_NAME for each parameter, as in study.to_dataframe()."""
    plain = [column for column in COLUMNS if column not in ("params", "diagnostics")]
    after_value = plain.index("value") + 1
    writer = csv.writer(_Lines(out))

    def write(values: Iterable[object]) -> None:
        cells = (value if raw else harmless(value) for value in values)
        shown = visible if out.isatty() else printable
        writer.writerow([shown(cell) if isinstance(cell, str) else cell for cell in cells])

    write([*plain[:after_value], *(f"params_{name}" for name in names), *plain[after_value:]])
    for trial in trials:
        values = [getattr(trial, column) for column in plain]
        params: Mapping[str, object] = trial.params or {}
        write([*values[:after_value], *(params.get(name) for name in names), *values[after_value:]])


class _Lines:
    """Ends lines with a newline alone. csv.writer can do that, too, but then does not quote a carriage return."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def write(self, line: str) -> int:
        """Write one line of csv.writer."""
        return self._out.write(line.removesuffix("\r\n") + "\n")


def harmless(value: object) -> object:
    """The value of a cell, with a ' before it if it is text that a spreadsheet would run as a formula."""
    formula = isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if formula else value


FORMATS: Mapping[str, Callable[[Iterable[Trial], Sequence[str], IO[str], bool], None]] = {
    "csv": write_csv,
    "json": write_json,
    "jsonl": write_jsonl,
}


@click.command(
    epilog="""\b
Examples:
  nonstop export sqlite:///runs.db demo > trials.csv
  nonstop export sqlite:///runs.db demo --format jsonl | jq .value
  nonstop export sqlite:///runs.db demo --format json -o trials.json"""
)
@click.argument("words", nargs=-1, metavar="[URL] STUDY", shell_complete=complete_study)
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
        FORMATS[form](study.trials, study.spec.space.names, out, raw)


@contextmanager
def _opened(output: str | None) -> Iterator[IO[str]]:
    if output is not None and output != "-":
        with written(Path(output), private=False) as out:
            yield out
        return
    with click.open_file("-", "w", encoding="utf-8") as stream:
        yield stream
        stream.flush()
