"""A study as a pandas table, one row for each trial; docs/results.md has the columns."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nonstop.errors import MissingExtraError
from nonstop.outcomes.goals import Goals
from nonstop.space import Int, Space
from nonstop.trials.rows import FEASIBLE, OUTCOME
from nonstop.trials.spec import Spec
from nonstop.trials.times import duration_of
from nonstop.trials.trial import Trial

if TYPE_CHECKING:
    import pandas as pd

#: Before the columns of the params, and after them.
_FIRST = ("number", "state", "value")
_LAST = ("worker", "attempt", "reason", "datetime_start", "datetime_complete", "started_at", "seconds")


def dataframe(spec: Spec, trials: Iterable[Trial]) -> pd.DataFrame:
    """The table; MissingExtraError without pandas. Its columns depend on the space, the goals, and the names of
    notes."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("study.to_dataframe()", "dataframe") from error
    listed = list(trials)
    notes = dict.fromkeys(f"note_{name}" for trial in listed for name in trial.notes)
    goals = spec.goals
    outcomes = [f"{OUTCOME}{name}" for name in goals.names] if goals.named else []
    limits = [FEASIBLE] if goals.constraints else []
    columns = [*_FIRST, *outcomes, *limits, *(f"params_{name}" for name in spec.space.names), *notes, *_LAST]
    frame = pd.DataFrame([_row(trial) for trial in listed], columns=columns)
    for name in _sometimes_integers(spec.space):  # NaN where there is none would make floats of the others
        values = [(trial.params or {}).get(name, math.nan) for trial in listed]
        frame[f"params_{name}"] = pd.Series(values, dtype=object)
    if limits:
        frame[FEASIBLE] = pd.array([_feasible(trial, goals) for trial in listed], dtype="boolean")
    for column in ("datetime_start", "datetime_complete"):
        frame[column] = pd.to_datetime(frame[column], unit="s", utc=True)
    return frame


def _sometimes_integers(space: Space) -> list[str]:
    """The names of integers that not every choice brings along."""
    return [
        name
        for name in space.names
        if all(isinstance(leaf.parameter, Int) and leaf.under is not None for leaf in space.named(name))
    ]


def _feasible(trial: Trial, goals: Goals) -> bool | None:
    """None if it has no outcomes."""
    return not goals.violated(trial.outcomes) if trial.outcomes else None


def _row(trial: Trial) -> dict[str, object]:
    return {
        "number": trial.number,
        "state": trial.state.value,
        "value": trial.value,
        **{f"{OUTCOME}{name}": value for name, value in trial.outcomes.items()},
        **{f"params_{name}": value for name, value in (trial.params or {}).items()},
        **{f"note_{name}": value for name, value in trial.notes.items()},
        "worker": trial.worker,
        "attempt": trial.attempt,
        "reason": trial.reason,
        "datetime_start": trial.started_at,
        "datetime_complete": trial.finished_at,
        "started_at": trial.started_at,
        "seconds": duration_of(trial),
    }
