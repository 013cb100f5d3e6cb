"""Trials as JSON: short rows for the table, all fields for the details of one trial."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from nonstop.outcomes.goals import Goals
from nonstop.trials.times import duration_of
from nonstop.trials.trial import Trial, TrialState

#: Characters of a failure reason in the table.
_SHORT: Final = 160


def text_of(value: object) -> str:
    """JSON in one line, as a server-sent event needs it. Stored numbers are finite, so browsers can parse it. In ASCII,
    so that it can be sent whatever it contains."""
    return json.dumps(value, separators=(",", ":"))


def row_of(trial: Trial, names: Sequence[str], goals: Goals | None = None) -> str:
    """A row of the table as JSON; params are in the order of `names`, without the names. [] stands for a parameter that
    is not there: null may be a choice. With goals, it also has the outcomes in their order, and whether they are
    feasible; null without a result."""
    params = None if trial.params is None else [trial.params.get(name, ()) for name in names]
    row: dict[str, Any] = {
        "number": trial.number,
        "state": trial.state.value,
        "value": trial.value,
        "params": params,
        "attempt": trial.attempt,
        "worker": trial.worker,
        "asked": trial.asked_at,
        "started": trial.started_at,
        "finished": trial.finished_at,
        "took": duration_of(trial),
        "reason": None if trial.reason is None else trial.reason[:_SHORT],
    }
    if goals is not None:
        done = trial.state is TrialState.COMPLETED
        row["outcomes"] = [trial.outcomes[name] for name in goals.names] if done else None
        row["feasible"] = goals.violation(trial.outcomes) == 0.0 if done else None
    return text_of(row)


def rows_of(trials: Iterable[Trial], names: Sequence[str], goals: Goals | None = None) -> dict[int, str]:
    """The rows by trial number."""
    return {trial.number: row_of(trial, names, goals) for trial in trials}


def details_of(trial: Trial) -> dict[str, Any]:
    """All fields of a trial that the details show."""
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
        "took": duration_of(trial),
        "version": trial.version,
        "order": trial.order,
        "seed": str(trial.seed),  # 63 bits: a number in JavaScript holds 53
        "outcomes": dict(trial.outcomes),
        "notes": dict(trial.notes),
        "diagnostics": {} if trial.diagnostics is None else trial.diagnostics.to_json(),
    }
