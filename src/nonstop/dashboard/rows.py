"""Trials as JSON: short rows for the table, everything for the details of one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from nonstop.trials.trial import Trial

_SHORT: Final = 160


def text_of(value: object) -> str:
    """JSON in one line, as an event needs it; the stored numbers are finite, so that browsers can read it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def row_of(trial: Trial, names: Sequence[str]) -> str:
    """What the table shows; the params in the order of the space, without their names."""
    params = None if trial.params is None else [trial.params.get(name) for name in names]
    row = {
        "number": trial.number,
        "state": trial.state.value,
        "value": trial.value,
        "params": params,
        "attempt": trial.attempt,
        "worker": trial.worker,
        "asked": trial.asked_at,
        "started": trial.started_at,
        "finished": trial.finished_at,
        "reason": None if trial.reason is None else trial.reason[:_SHORT],
    }
    return text_of(row)


def rows_of(trials: Iterable[Trial], names: Sequence[str]) -> dict[int, str]:
    return {trial.number: row_of(trial, names) for trial in trials}


def details_of(trial: Trial) -> dict[str, Any]:
    return {
        "number": trial.number,
        "state": trial.state.value,
        "value": trial.value,
        "params": None if trial.params is None else dict(trial.params),
        "attempt": trial.attempt,
        "worker": trial.worker,
        "reason": trial.reason,
        "asked": trial.asked_at,
        "started": trial.started_at,
        "finished": trial.finished_at,
        "version": trial.version,
        "order": trial.order,
        "seed": str(trial.seed),  # 63 bits: more than a number has in a browser
        "diagnostics": {} if trial.diagnostics is None else trial.diagnostics.to_json(),
    }
