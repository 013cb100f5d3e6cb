"""Records made by hand, for tests of what is read off them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nonstop_bench.case import Case
from nonstop_bench.records import COLUMNS, Array, Record

NAN = math.nan
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def record(
    case: Case | None = None, *, initial: int = 1, optimum: float = 0.0, **columns: Sequence[float] | float
) -> Record:
    """A run with these columns; a number fills its column. Trials start at 0, and there is no noise."""
    length = max(len(column) for column in columns.values() if not isinstance(column, float))
    given = {"started": 0.0, "observed": columns.get("value", NAN), **columns}
    full: dict[str, Any] = {
        name: np.array(np.broadcast_to(given.get(name, NAN), length), dtype=np.float64) for name in COLUMNS
    }
    return Record(
        case or Case("branin", q=2, horizon=10.0), 2, optimum, initial, "0", **full, commit=COMMIT, clean=True
    )


def there(column: Array | None) -> Array:
    """A column that records of an unknown commit lack."""
    assert column is not None
    return column


def ends_at(regret: float, case: Case, *, seconds: float = 0.01) -> Record:
    """A run of two evaluations, the second of which brings this regret."""
    return record(
        case,
        started=[0.0, 0.0, 0.0],
        finished=[0.0, 1.0, 2.0],
        value=[100.0, 50.0, regret],
        seconds=[NAN, seconds, seconds],
    )
