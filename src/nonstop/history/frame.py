"""A study as a pandas table, one row for each trial; docs/results.md has the columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from nonstop.errors import MissingExtraError
from nonstop.trials.spec import Spec
from nonstop.trials.times import duration_of
from nonstop.trials.trial import Trial

if TYPE_CHECKING:
    import pandas as pd

#: Before the columns of the params, and after them.
_FIRST = ("number", "state", "value")
_LAST = ("worker", "attempt", "reason", "datetime_start", "datetime_complete", "started_at", "seconds")


def dataframe(spec: Spec, trials: Iterable[Trial]) -> pd.DataFrame:
    """The table; MissingExtraError without pandas. Its columns depend on the space, not on what happened so far."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("study.to_dataframe()", "dataframe") from error
    columns = [*_FIRST, *(f"params_{name}" for name in spec.space.names), *_LAST]
    frame = pd.DataFrame([_row(trial) for trial in trials], columns=columns)
    for column in ("datetime_start", "datetime_complete"):
        frame[column] = pd.to_datetime(frame[column], unit="s", utc=True)
    return frame


def _row(trial: Trial) -> dict[str, object]:
    return {
        "number": trial.number,
        "state": trial.state.value,
        "value": trial.value,
        **{f"params_{name}": value for name, value in (trial.params or {}).items()},
        "worker": trial.worker,
        "attempt": trial.attempt,
        "reason": trial.reason,
        "datetime_start": trial.started_at,
        "datetime_complete": trial.finished_at,
        "started_at": trial.started_at,
        "seconds": duration_of(trial),
    }
