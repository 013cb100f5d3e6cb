"""Trials as rows of the table, and back."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any, Final

from nonstop.storage.schema import trials
from nonstop.storage.text import decode_all, encode
from nonstop.trials.trial import Trial, TrialState

#: The columns of a trial, in the order of its fields.
COLUMNS: Final = tuple(trials.c["place" if name == "order" else name] for name in Trial.__slots__)

_STATES: Final = {state.value: state for state in TrialState}
_TRIAL: Final[Callable[..., Trial]] = Trial


def to_columns(trial: Trial, fields: Sequence[str] = Trial.__slots__) -> dict[str, Any]:
    """What to write for these fields of the trial."""
    return dict(_column(name, getattr(trial, name)) for name in fields)


def _column(name: str, value: Any) -> tuple[str, Any]:
    if name == "order":
        return "place", value
    if name == "state":
        return name, value.value
    if value is None:
        return name, None
    if name in {"params", "diagnostics"}:
        return name, encode(name, value)
    return name, repr(value) if name == "value" else value


def changed(old: Trial, new: Trial) -> list[str]:
    """The fields of a trial that a move gave another value: moves share all that they leave alone."""
    return [name for name in Trial.__slots__ if getattr(old, name) is not getattr(new, name)]


def to_trials(rows: Sequence[Sequence[Any]]) -> list[Trial]:
    """Rows that begin with COLUMNS as trials."""
    if len(rows) < 10_000 or not gc.isenabled():
        return _parsed(rows)
    # Half the time of building many values would go into looking for garbage among them: there is none.
    gc.disable()
    try:
        return _parsed(rows)
    finally:
        gc.enable()


def _parsed(rows: Sequence[Sequence[Any]]) -> list[Trial]:
    """All their JSON in one go: that halves the time to open a long study."""
    decoded = decode_all([row[2] or "null" for row in rows] + [row[11] for row in rows])
    return [
        _TRIAL(row[0], _STATES[row[1]], params, row[3] and float(row[3]), *row[4:11], diagnostics, *row[12:16])
        for row, params, diagnostics in zip(rows, decoded, decoded[len(rows) :], strict=False)
    ]
