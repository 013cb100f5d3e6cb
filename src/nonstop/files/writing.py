"""Trials as CSV, JSON or JSONL: every number to the last bit."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import IO, Any, Final

from nonstop.files.cells import harmless
from nonstop.trials.trial import Trial
from nonstop.wording import printable, visible

#: All fields of a trial except those that only workers need.
COLUMNS: Final = [field.name for field in fields(Trial) if field.name not in ("beat", "lease", "sequence", "undone")]
#: In a cell, these are JSON.
_MAPPINGS: Final = ("notes", "fixed", "outcomes")


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
        values = [_cell(column, getattr(trial, column)) for column in plain]
        params: Mapping[str, object] = trial.params or {}
        write([*values[:after_value], *(params.get(name) for name in names), *values[after_value:]])


def _cell(column: str, value: object) -> object:
    if column in _MAPPINGS:
        return json.dumps(value) if value else None
    return value


class _Lines:
    """Ends lines with a newline alone. csv.writer can do that, too, but then does not quote a carriage return."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def write(self, line: str) -> int:
        """Write one line of csv.writer."""
        return self._out.write(line.removesuffix("\r\n") + "\n")


FORMATS: Mapping[str, Callable[[Iterable[Trial], Sequence[str], IO[str], bool], None]] = {
    "csv": write_csv,
    "json": write_json,
    "jsonl": write_jsonl,
}
