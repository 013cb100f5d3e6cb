"""The record of a run: its case and a column of numbers for each quantity, as one line of JSON.

Files grow by whole lines, so a killed experiment loses at most the line it was writing; `read` skips an incomplete
line. Files may be compressed (.jsonl.gz).
"""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop_bench.case import NAMES, Case

Array: TypeAlias = NDArray[np.float64]

#: Digits that are stored: values need enough for regrets of 1e-9 of their size; other columns are only drawn.
_DIGITS = {"value": 12, "observed": 12, "started": 7, "finished": 7}
_FEW = 4


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A run. Columns are in order of trial number, the initial trials first; NaN marks missing numbers.

    started, finished   virtual seconds; the initial trials finish at 0; NaN: not finished when the run ended
    value, observed     the objective without and with noise, to be minimised; NaN: failed or not finished
    seconds             processor seconds that the suggestion took
    delta               distance to the nearest busy point when the point was chosen, in the unit cube
    recent              distance to the nearest of the last queries (the case says how many)
    lengthscale, change mean over the dimensions, of the lengthscales and of their absolute change since the last fit
    """

    case: Case
    dim: int
    optimum: float
    initial: int
    version: str
    started: Array
    finished: Array
    value: Array
    observed: Array
    seconds: Array
    delta: Array
    recent: Array
    lengthscale: Array
    change: Array

    def to_json(self) -> str:
        """One line of a result file."""
        line: dict[str, object] = {**asdict(self.case)}
        for name in _PLAIN:
            line[name] = getattr(self, name)
        for name in COLUMNS:
            line[name] = [_short(number, _DIGITS.get(name, _FEW)) for number in getattr(self, name)]
        return json.dumps(line, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Record:
        """The record in one line of a result file."""
        data: Mapping[str, object] = json.loads(line)
        case = Case(**{name: data[name] for name in NAMES if name in data})  # type: ignore[arg-type]
        plain = {name: data[name] for name in _PLAIN}
        columns = {name: np.array(data[name], dtype=np.float64) for name in COLUMNS}  # null becomes NaN
        return cls(case, **plain, **columns)  # type: ignore[arg-type]


_PLAIN = ("dim", "optimum", "initial", "version")
COLUMNS = tuple(field.name for field in fields(Record) if field.name not in ("case", *_PLAIN))


def _short(number: float, digits: int) -> float | None:
    return None if math.isnan(number) else float(f"{number:.{digits}g}")


def stored(folder: Path, name: str) -> list[Record]:
    """The runs of an experiment: those in the compressed file, and those that were added since."""
    return read(*parts(folder / f"{name}.jsonl"))


def parts(path: Path) -> list[Path]:
    """The compressed file beside a result file, and the file itself, as far as they exist."""
    return [part for part in (path.with_name(f"{path.name}.gz"), path) if part.is_file()]


def read(*paths: Path) -> list[Record]:
    """All runs of these files."""
    return [_record(path, number, line) for path in paths for number, line in enumerate(_lines(path), start=1)]


def _record(path: Path, number: int, line: str) -> Record:
    try:
        return Record.from_json(line)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"line {number} of {path} is not the record of a run: {error!r}") from error


def _lines(path: Path) -> Iterable[str]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        yield from (line for line in file if line.endswith("\n"))


def append(path: Path, record: Record) -> None:
    """Append a line; it is on the disk when this returns."""
    with path.open("a", encoding="utf-8") as file:
        file.write(record.to_json() + "\n")
        file.flush()
        os.fsync(file.fileno())


def mend(path: Path) -> None:
    """Remove an incomplete last line."""
    with path.open("rb+") as file:
        whole = file.read()
        file.truncate(whole.rfind(b"\n") + 1)
