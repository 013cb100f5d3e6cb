"""Trials as CSV, JSON or JSONL: every number to the last bit."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import IO, Any, Final, Protocol

from nonstop.files.cells import harmless
from nonstop.trials.rows import OUTCOME, PARAM
from nonstop.trials.trial import Trial
from nonstop.wording import printable, visible

#: All fields of a trial except those that only workers need.
COLUMNS: Final = [field.name for field in fields(Trial) if field.name not in ("beat", "lease", "sequence", "undone")]
#: In a cell, these are JSON.
_MAPPINGS: Final = ("notes", "fixed")


def record(trial: Trial) -> dict[str, Any]:
    """The trial as plain JSON."""
    diagnostics = {} if trial.diagnostics is None else trial.diagnostics.to_json()
    return {name: getattr(trial, name) for name in COLUMNS} | {"diagnostics": diagnostics}


class Writer(Protocol):
    """Writes trials of a space with these names of parameters, and of a study with these names of outcomes."""

    def __call__(
        self, trials: Iterable[Trial], names: Sequence[str], out: IO[str], raw: bool, outcomes: Sequence[str] = ()
    ) -> None:
        """Write all of them; with `raw`, texts as they are."""


def write_jsonl(
    trials: Iterable[Trial],
    names: Sequence[str],  # noqa: ARG001
    out: IO[str],
    raw: bool,  # noqa: ARG001
    outcomes: Sequence[str] = (),  # noqa: ARG001
) -> None:
    """One JSON object per line."""
    for trial in trials:
        out.write(json.dumps(record(trial)) + "\n")


def write_json(
    trials: Iterable[Trial],
    names: Sequence[str],  # noqa: ARG001
    out: IO[str],
    raw: bool,  # noqa: ARG001
    outcomes: Sequence[str] = (),  # noqa: ARG001
) -> None:
    """One JSON list."""
    json.dump([record(trial) for trial in trials], out, indent=1)
    out.write("\n")


def write_csv(
    trials: Iterable[Trial], names: Sequence[str], out: IO[str], raw: bool, outcomes: Sequence[str] = ()
) -> None:
    """One row per trial, without diagnostics; a column params_NAME for each parameter and outcomes_NAME for each
    outcome, as in study.to_dataframe()."""
    plain = [column for column in COLUMNS if column not in ("params", "diagnostics", "outcomes")]
    after_value = plain.index("value") + 1
    writer = csv.writer(_Lines(out))

    def write(values: Iterable[object]) -> None:
        cells = (value if raw else harmless(value) for value in values)
        shown = visible if out.isatty() else printable
        writer.writerow([shown(cell) if isinstance(cell, str) else cell for cell in cells])

    own = [*(f"{OUTCOME}{name}" for name in outcomes), *(f"{PARAM}{name}" for name in names)]
    write([*plain[:after_value], *own, *plain[after_value:]])
    for trial in trials:
        values = [_cell(column, getattr(trial, column)) for column in plain]
        params: Mapping[str, object] = trial.params or {}
        cells = [*map(trial.outcomes.get, outcomes), *map(params.get, names)]
        write([*values[:after_value], *cells, *values[after_value:]])


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


FORMATS: Final[Mapping[str, Writer]] = {
    "csv": write_csv,
    "json": write_json,
    "jsonl": write_jsonl,
}
