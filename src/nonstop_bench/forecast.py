"""How long runs will take, judging by the records that there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from nonstop_bench.case import Case
from nonstop_bench.records import Record
from nonstop_bench.score import by_label


def took(record: Record) -> float:
    """The processor seconds of a run; of a record of an unknown commit, those of its suggestions."""
    return float(np.nansum(record.seconds)) if record.took is None else record.took


def forecast(cases: Sequence[Case], records: Iterable[Record]) -> float | None:
    """The processor seconds that these cases will take: of each as many as the same rule took before, on average, or
    else any rule. None if there is no record to go by."""
    known = {label: float(np.mean([took(record) for record in group])) for label, group in by_label(records).items()}
    if not known:
        return None
    usual = float(np.mean(list(known.values())))
    return sum(known.get(case.label, usual) for case in cases)


def duration(seconds: float) -> str:
    """In words: "40 s", "12 min", "3.5 h"."""
    if seconds < 90.0:
        return f"{max(seconds, 1.0):.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
