"""Rows of trials from CSV, JSON or JSONL: what nonstop.files.writing writes, and tables made by hand.

A row that cannot be read is its error: nonstop.trials.rows says of all rows together what is wrong with them.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from nonstop.errors import DataError, NonstopError, ParamsError
from nonstop.files.cells import json_in, number_in, text_in, value_of
from nonstop.outcomes.goals import Goals
from nonstop.space import Space
from nonstop.trials.rows import NOTE, PARAM, outcome_named
from nonstop.wording import shown

READABLE: Final = ("csv", "jsonl", "json")
_NUMBERS: Final = ("value", "started_at", "finished_at", "seconds", "datetime_start", "datetime_complete")
_JSON: Final = ("notes", "fixed", "params", "outcomes")
#: Characters of one cell: csv refuses more than 131,072, and reasons and notes may be longer.
_LONGEST_CELL: Final = 2**30


@dataclass(frozen=True, slots=True)
class Row:
    """One row, or why it cannot be read; and the line where it begins, from 1."""

    line: int
    data: Mapping[str, Any] | NonstopError


def read_rows(
    stream: IO[str], form: str, space: Space, goals: Goals, value: str | None = None, raw: bool = False
) -> list[Row]:
    """All rows. `value` is the name of the column of values, if it is not called so; with `raw`, a ' at the beginning
    of a text is a part of it. DataError if the file is not of this form at all."""
    try:
        if form == "csv":
            return list(_csv(stream, _Cells(space, goals, raw), value))
        return list(_renamed(_READERS[form](stream), value))
    except UnicodeDecodeError as error:
        raise DataError(f"the file is no text in UTF-8: {error.reason}") from None


def _jsonl(stream: Iterable[str]) -> Iterator[Row]:
    for number, line in enumerate(stream, start=1):
        if line.strip():
            try:
                yield Row(number, _object(json.loads(line)))
            except (ValueError, RecursionError) as error:
                yield Row(number, ParamsError(f"this is no JSON: {str(error)[:200]}"))


def _json(stream: IO[str]) -> Iterator[Row]:
    try:
        found = json.loads(stream.read())
    except (ValueError, RecursionError) as error:
        raise DataError(f"the file is no JSON: {str(error)[:200]}") from None
    if not isinstance(found, list):
        raise DataError("the file has no list of trials")
    yield from (Row(place, _object(part)) for place, part in enumerate(found, start=1))


_READERS: Final = {"jsonl": _jsonl, "json": _json}


def _object(found: object) -> Mapping[str, Any] | NonstopError:
    return found if isinstance(found, dict) else ParamsError(f"got {shown(found)}, expected a JSON object")


def _renamed(rows: Iterable[Row], value: str | None) -> Iterator[Row]:
    for row in rows:
        if value is None or not isinstance(row.data, Mapping) or value not in row.data:
            yield row
        else:
            yield Row(row.line, {("value" if key == value else key): part for key, part in row.data.items()})


def _csv(stream: Iterable[str], reading: _Cells, value: str | None) -> Iterator[Row]:
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        reader = csv.reader(stream, strict=True)
        header = [cell if reading.raw else text_in(cell) for cell in next(reader, [])]
        header = ["value" if name == value else name for name in header]
        _check_header(header)
        line = reader.line_num + 1
        for cells in reader:
            if cells:
                yield Row(line, _row(header, cells, reading))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"line {reader.line_num}: this is no CSV: {error}") from None
    finally:
        csv.field_size_limit(before)


def _check_header(header: Sequence[str]) -> None:
    if not header:
        raise DataError("the file is empty: its first line must name the columns")
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"the column {shown(twice)} is there twice")


def _row(header: Sequence[str], cells: Sequence[str], reading: _Cells) -> Mapping[str, Any] | NonstopError:
    if len(cells) != len(header):
        return ParamsError(f"it has {len(cells)} cells, and the first line {len(header)}")
    try:
        parsed = {name: reading.parsed(name, cell) for name, cell in zip(header, cells, strict=True)}
    except NonstopError as error:
        return error
    return {name: value for name, value in parsed.items() if value is not _EMPTY}


_EMPTY: Final = object()


@dataclass(frozen=True, slots=True)
class _Cells:
    """Reads cells for one space and these goals; with `raw`, a ' at the beginning of a text is a part of it."""

    space: Space
    goals: Goals
    raw: bool

    def parsed(self, name: str, cell: str) -> object:
        """What a cell of the column of that name holds; _EMPTY if that is nothing."""
        field = name in _NUMBERS or name in _JSON
        own = name.removeprefix(PARAM) if self.space.named(name.removeprefix(PARAM)) else name
        outcome = outcome_named(name, self.space, self.goals) is not None
        if self.space.named(own) and not outcome and (own != name or not field):
            return self._param(own, cell)
        if cell == "":
            return _EMPTY
        if name in _NUMBERS or outcome:
            return number_in(cell)
        if name in _JSON:
            return json_in(name, cell)
        text = cell if self.raw else text_in(cell)
        if not name.startswith(NOTE):
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text

    def _param(self, name: str, cell: str) -> object:
        try:
            value = value_of(self.space, name, cell)
        except ParamsError as error:
            raise ParamsError(f"parameter {shown(name)}: {error}") from None
        empty = cell == "" and not any("" in getattr(leaf.parameter, "choices", ()) for leaf in self.space.named(name))
        return math.nan if empty else value  # NaN is what tables have in empty cells
