"""Trials to rows of the table of trials, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, Final
from zlib import crc32

from nonstop.errors import StorageError
from nonstop.storage.schema import trials
from nonstop.storage.text import decode, decode_all, encode
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.trial import Trial, TrialState

#: Fields whose column has another name: ORDER is a keyword of SQL, and the worker was once called owner.
_RENAMED: Final = {"order": "place", "worker": "owner"}

#: The columns of a trial, in the order of its fields.
COLUMNS: Final = tuple(trials.c[_RENAMED.get(name, name)] for name in Trial.__slots__)

_NAMES: Final = tuple(column.name for column in COLUMNS)
_FIELDS: Final = attrgetter(*Trial.__slots__)
#: Fields whose column holds something else than the field.
_ENCODED: Final = ("state", "diagnostics", "params", "fixed", "notes", "outcomes", "value")

#: The place of the checksum in a row: after the fields.
_CHECKSUM: Final = len(COLUMNS)
#: What a checksum is of: all that proposals and figures are made from, but not times, which are floats.
_UNCHECKED: Final = ("beat", "asked_at", "started_at", "finished_at", "lease", "seconds")
_CHECKED: Final = tuple(name for name in Trial.__slots__ if name not in _UNCHECKED)
_CHECKED_COLUMNS: Final = tuple(_RENAMED.get(name, name) for name in _CHECKED)
_CHECKED_PLACES: Final = itemgetter(*(Trial.__slots__.index(name) for name in _CHECKED))
#: The place of `notes`, which `fixed` and `outcomes` follow.
_NOTES: Final = Trial.__slots__.index("notes")
_DAMAGE: Final = (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError)
_STATES: Final = {state.value: state for state in TrialState}
_TRIAL: Final[Callable[..., Trial]] = Trial


def to_columns(trial: Trial) -> dict[str, Any]:
    """The columns of a whole trial."""
    row = dict(zip(_NAMES, _FIELDS(trial), strict=True))
    row.update(_column(name, getattr(trial, name)) for name in _ENCODED)
    return row


def some_columns(trial: Trial, fields: Sequence[str]) -> dict[str, Any]:
    """The columns for these fields of the trial."""
    return dict(_column(name, getattr(trial, name)) for name in fields)


def _column(name: str, value: Any) -> tuple[str, Any]:
    column = _RENAMED.get(name, name)
    if name == "state":
        return column, value.value
    if name == "diagnostics":
        return column, "{}" if value is None else encode(name, value.to_json())
    if name in ("params", "fixed") and value is not None:
        return column, encode(name, value)
    if name in ("notes", "outcomes"):
        return column, encode(name, value) if value else None
    if name == "value" and value is not None:
        return column, repr(value)
    return column, value


def checksum(columns: Mapping[str, Any]) -> int:
    """The CRC-32 of a finished trial's columns. A disk or a memory that flips a bit is found out, a forger is not."""
    return _crc([columns[name] for name in _CHECKED_COLUMNS])


def stored_columns(row: Sequence[Any]) -> dict[str, Any]:
    """The columns of a row as they are stored: JSON of an earlier version is not quite what this one would write."""
    return {column.name: value for column, value in zip(COLUMNS, row, strict=False)}


def _crc(values: Sequence[Any]) -> int:
    # Version 2 had no outcomes, which come last: a row without any has the checksum that it had then.
    checked = values if values[-1] is not None else values[:-1]
    return crc32("\x1f".join(map(str, checked)).encode())


def changed(old: Trial, new: Trial) -> list[str]:
    """The fields that a transition changed. Compared by identity: it copies references to all that it leaves alone."""
    return [name for name in Trial.__slots__ if getattr(old, name) is not getattr(new, name)]


def to_trials(rows: Sequence[Sequence[Any]], study: str) -> list[Trial]:
    """The trials of rows that begin with COLUMNS and the checksum; StorageError names the first that is damaged."""
    try:
        return _to_trials(rows)
    except _DAMAGE:
        for row in rows:
            try:
                _to_trials([row])
            except _DAMAGE as error:
                raise StorageError(
                    f"trial {row[0]} of the study {study!r} cannot be read ({type(error).__name__}: {error}): it is "
                    "damaged, or of a newer nonstop; restore it from a backup, or pip install -U nonstop"
                ) from None
        raise


def _to_trials(rows: Sequence[Sequence[Any]]) -> list[Trial]:
    """All JSON is decoded at once: that halves the time to open a long study."""
    for row in rows:
        if row[_CHECKSUM] is not None and row[_CHECKSUM] != _crc(_CHECKED_PLACES(row)):
            raise ValueError("its checksum is another")
    decoded = decode_all([row[2] or "null" for row in rows] + [row[11] for row in rows])
    recorded = map(Diagnostics.from_json, decoded[len(rows) :])
    return [
        _TRIAL(
            row[0],
            _STATES[row[1]],
            params,
            row[3] and float(row[3]),
            *row[4:11],
            diagnostics,
            *row[12:_NOTES],
            {} if row[_NOTES] is None else decode(row[_NOTES]),
            None if row[_NOTES + 1] is None else decode(row[_NOTES + 1]),
            {} if row[_NOTES + 2] is None else decode(row[_NOTES + 2]),
        )
        for row, params, diagnostics in zip(rows, decoded, recorded, strict=False)
    ]
