"""Trials as rows of the table, and back."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from nonstop.storage.schema import trials
from nonstop.storage.text import decode_all, encode
from nonstop.trial import Trial, TrialState

#: The columns of a trial, in the order of its fields.
COLUMNS: Final = tuple(trials.c["place" if name == "order" else name] for name in Trial.__slots__)

_STATES: Final = {state.value: state for state in TrialState}
_TRIAL: Final[Callable[..., Trial]] = Trial


def to_columns(trial: Trial) -> dict[str, Any]:
    columns: dict[str, Any] = {name: getattr(trial, name) for name in Trial.__slots__}
    columns["place"] = columns.pop("order")
    return columns | {
        "state": trial.state.value,
        "params": None if trial.params is None else encode("params", trial.params),
        "value": None if trial.value is None else repr(trial.value),
        "diagnostics": encode("diagnostics", trial.diagnostics),
    }


def to_trials(rows: Sequence[Sequence[Any]]) -> list[Trial]:
    """Rows of COLUMNS as trials. All their JSON is parsed in one go: that halves the time to open a long study."""
    with _no_collection(len(rows)):
        params = decode_all([row[2] or "null" for row in rows])
        diagnostics = decode_all([row[11] for row in rows])
        return [
            _TRIAL(row[0], _STATES[row[1]], params[i], row[3] and float(row[3]), *row[4:11], diagnostics[i], *row[12:])
            for i, row in enumerate(rows)
        ]


@contextmanager
def _no_collection(count: int) -> Iterator[None]:
    """Half the time of building many values goes into looking for garbage among them: there is none."""
    if count < 10_000 or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
