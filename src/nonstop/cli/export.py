"""`nonstop export`: every trial as a row or a JSON object."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TextIO, cast

import click

from nonstop.cli.output import written
from nonstop.cli.target import locate, open_study
from nonstop.trials.trial import Trial

#: All fields of a trial except those that only workers need.
COLUMNS = [field.name for field in fields(Trial) if field.name not in ("beat", "sequence")]


def record(trial: Trial) -> dict[str, Any]:
    """The trial as plain JSON."""
    diagnostics = {} if trial.diagnostics is None else trial.diagnostics.to_json()
    return {name: getattr(trial, name) for name in COLUMNS} | {"diagnostics": diagnostics}


def write_jsonl(trials: Iterable[Trial], _names: Sequence[str], out: TextIO) -> None:
    """One JSON object per line."""
    for trial in trials:
        out.write(json.dumps(record(trial)) + "\n")


def write_json(trials: Iterable[Trial], _names: Sequence[str], out: TextIO) -> None:
    """One JSON list."""
    json.dump([record(trial) for trial in trials], out, indent=1)
    out.write("\n")


def write_csv(trials: Iterable[Trial], names: Sequence[str], out: TextIO) -> None:
    """One row per trial, without diagnostics; a column params_NAME for each parameter, as in study.to_dataframe()."""
    plain = [column for column in COLUMNS if column not in ("params", "diagnostics")]
    after_value = plain.index("value") + 1
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*plain[:after_value], *(f"params_{name}" for name in names), *plain[after_value:]])
    for trial in trials:
        values = [getattr(trial, column) for column in plain]
        params: Mapping[str, object] = trial.params or {}
        writer.writerow([*values[:after_value], *(params.get(name) for name in names), *values[after_value:]])


FORMATS: Mapping[str, Callable[[Iterable[Trial], Sequence[str], TextIO], None]] = {
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
@click.argument("words", nargs=-1, metavar="[URL] STUDY")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="csv", show_default=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write to (default: standard output).",
)
def export(words: Sequence[str], form: str, output: str | None) -> None:
    """Write all trials of a study as csv, json or jsonl."""
    study = open_study(*locate(words))
    with _opened(output) as out:
        FORMATS[form](study.trials, list(study.spec.space), out)


@contextmanager
def _opened(output: str | None) -> Iterator[TextIO]:
    if output is not None and output != "-":
        with written(Path(output), private=False) as out:
            yield out
        return
    with click.open_file("-", "w", encoding="utf-8") as stdout:
        yield cast("TextIO", stdout)
        stdout.flush()
