"""The record of a run: its case, what made it, and a column of numbers for each quantity, as one line of JSON.

Files grow by whole lines, so a killed experiment loses at most the line it was writing; `read` skips an incomplete
line. Files may be compressed (.jsonl.gz).

The first records did not say which commit made them. They are of an unknown commit: they still read, but they are
never mixed with others, and never count as run.
"""

from __future__ import annotations

import gzip
import itertools
import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop_bench.case import NAMES, Case
from nonstop_bench.origin import OUTSIDE
from nonstop_bench.points import packed, unpacked

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

    The following are None in records of an unknown commit:

    commit, clean       the full hash of the code's commit, and whether nothing below src had been changed since
    versions, settings  of the packages; what the names in the case stand for (settings.py)
    took                processor seconds of the whole run
    points              (n, d) the queries, in the unit cube, to 6e-8
    repeated            how many of the rule's choices were taken points, before it chose a free one or got a runner-up
    replaced            1 where the point is a runner-up of the rule's choice, else 0
    first_delta         distance to the nearest busy point of what the rule chose first
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
    commit: str | None = None
    clean: bool | None = None
    versions: Mapping[str, str] | None = None
    settings: Mapping[str, Any] | None = None
    took: float | None = None
    points: Array | None = None
    repeated: Array | None = None
    replaced: Array | None = None
    first_delta: Array | None = None

    @property
    def made_by(self) -> str:
        """The commit in words: "commit 0123456789ab", "commit 0123456789ab with changes", "an unknown commit"."""
        if self.commit is None or self.commit == OUTSIDE:
            return "an unknown commit"
        return f"commit {self.commit[:12]}{'' if self.clean else ' with changes'}"

    def to_json(self) -> str:
        """One line of a result file."""
        line: dict[str, object] = {**asdict(self.case)}
        for name in _PLAIN:
            line[name] = getattr(self, name)
        line |= {name: getattr(self, name) for name in _PROOF if getattr(self, name) is not None}
        for name in (*COLUMNS, *GUARDS):
            if getattr(self, name) is not None:
                line[name] = [_short(number, _DIGITS.get(name, _FEW)) for number in getattr(self, name)]
        if self.points is not None:
            line["points"] = packed(self.points)
        return json.dumps(line, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Record:
        """The record in one line of a result file."""
        data: Mapping[str, object] = json.loads(line)
        case = Case(**{name: data[name] for name in NAMES if name in data})  # type: ignore[arg-type]
        plain = {name: data[name] for name in _PLAIN}
        proof = {name: data.get(name) for name in _PROOF}
        named = (*COLUMNS, *(name for name in GUARDS if name in data))
        columns = {name: np.array(data[name], dtype=np.float64) for name in named}  # null becomes NaN
        points = unpacked(str(data["points"]), len(columns["started"])) if "points" in data else None
        return cls(case, **plain, **proof, **columns, points=points)  # type: ignore[arg-type]


_PLAIN = ("dim", "optimum", "initial", "version")
_KNOWN = '"commit":"'  # in every line whose commit is known
_PROOF = ("commit", "clean", "versions", "settings", "took")
GUARDS = ("repeated", "replaced", "first_delta")
COLUMNS = tuple(
    field.name for field in fields(Record) if field.name not in ("case", *_PLAIN, *_PROOF, *GUARDS, "points")
)


def _short(number: float, digits: int) -> float | None:
    return None if math.isnan(number) else float(f"{number:.{digits}g}")


def stored(folder: Path, name: str) -> list[Record]:
    """The runs of an experiment: those in the compressed file, and those that were added since. As soon as one says
    which commit made it, those of an unknown commit are left out. Of a case that was run twice, the later counts."""
    runs = read(*parts(folder / f"{name}.jsonl"))
    return list({run.case: run for run in [run for run in runs if run.commit is not None] or runs}.values())


def unread(folder: Path, name: str) -> list[str]:
    """The lines of the runs that stored() would read: to read a few of many."""
    lines = [line for part in parts(folder / f"{name}.jsonl") for line in _lines(part)]
    return [line for line in lines if _KNOWN in line] or lines


def first_lines(folder: Path, name: str) -> list[str]:
    """The first line of each file of an experiment."""
    return [line for part in parts(folder / f"{name}.jsonl") for line in itertools.islice(_lines(part), 1)]


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


def pack(path: Path) -> int:
    """Move the runs of a result file into the compressed file beside it, sorted, of each case the latest, without those
    of an unknown commit. Returns how many there are then."""
    runs = [run for run in read(*parts(path)) if run.commit is not None]
    latest = {run.case: run for run in runs}
    if not latest:
        raise ValueError(f"{path} has no run that says which commit made it")
    lines = [latest[case].to_json() for case in sorted(latest, key=lambda case: (case.seed, case.problem, case.label))]
    target = path.with_name(f"{path.name}.gz")
    fresh = path.with_name(f"{path.name}.gz.new")
    fresh.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0))
    fresh.replace(target)
    path.unlink(missing_ok=True)
    return len(lines)


def mend(path: Path) -> None:
    """Remove an incomplete last line."""
    with path.open("rb+") as file:
        whole = file.read()
        file.truncate(whole.rfind(b"\n") + 1)
