"""The results of the arena as Markdown: overall, by kind of task, and task by task."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nonstop_bench import score
from nonstop_bench.arena.halves import contender
from nonstop_bench.arena.standing import Standing, standing
from nonstop_bench.case import OURS
from nonstop_bench.contest import at_equal_evaluations, at_equal_time
from nonstop_bench.outcomes.standing import wilson
from nonstop_bench.records import Record
from nonstop_bench.tables import markdown, milliseconds

_NOTHING = "–"


def report(records: Sequence[Record]) -> str:
    """Everything."""
    even, timed = standing(records, at_equal_evaluations), standing(records, at_equal_time)
    order = [int(i) for i in np.argsort(np.nan_to_num(even.ranks()[0], nan=math.inf), kind="stable")]
    reference = even.labels[even.reference]
    parts = [
        setting(records, even),
        overall(records, even, timed, order),
        f"Share of the pairs that {reference} wins at equal evaluations, by kind of task (pairs that both ran):",
        by_kind(even, order),
        f"Powers of ten by which a contender ends above {reference} (median of the pairs that both ran; < 0: below):",
        by_task(even, order),
    ]
    return "\n\n".join(parts)


def setting(records: Sequence[Record], even: Standing) -> str:
    """How much was run, and among how many configurations of ours it may have been chosen."""
    case = records[0].case
    own = len({record.case.label for record in records if record.case.optimizer == OURS})
    seeds = len({seed for _, seed in even.pairs})
    older = sum(record.commit is None for record in records)
    first = f" {older} of these runs are those of the first contest, from before records said which commit made them."
    return (
        f"{case.evaluations} evaluations after the initial ones, q = {case.q}. {len(even.problems)} tasks and {seeds} "
        f"seeds: {len(even.pairs)} pairs, of which all {len(even.labels)} contenders ran {even.shared.sum()}. Mean "
        f"ranks from 1 (best) are over those, ± the standard error over tasks. Shares are of the pairs that both ran, "
        f"with Wilson's interval at 95 %; a draw is half. Configurations of nonstop tried in these results: {own}."
        f"{first if older else ''}"
    )


def overall(records: Sequence[Record], even: Standing, timed: Standing, order: Sequence[int]) -> str:
    """One row for each contender, the best mean rank first."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(contender(record.case.label), []).append(record)
    won = f"pairs won by {even.labels[even.reference]}"
    head = ["", "mean rank, equal evaluations", won, "mean rank, equal time", won, "suggestion, ms", "s for a run"]
    rows = [
        [
            even.labels[i],
            *_cells(even, i),
            *_cells(timed, i),
            milliseconds([score.suggestion_seconds(record) for record in groups[even.labels[i]]]),
            f"{np.median([np.nansum(record.seconds) for record in groups[even.labels[i]]]):.1f}",
        ]
        for i in order
    ]
    return markdown(head, rows)


def _cells(found: Standing, i: int) -> list[str]:
    mean, deviation = (column[i] for column in found.ranks())
    rank = _NOTHING if math.isnan(mean) else f"{mean:.2f} ± {deviation:.2f}"
    return [rank, _NOTHING if i == found.reference else _share(found.won(i))]


def _share(won: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    if not len(won):
        return _NOTHING
    low, high = wilson(won)
    return f"{won.mean():.2f} ({low:.2f} to {high:.2f}) of {len(won)}"


def by_kind(even: Standing, order: Sequence[int]) -> str:
    """One row for each contender, one column for each kind of task."""
    kinds = even.kinds()
    rows = [
        [even.labels[i], *(_share(even.won(i, even.of(*problems))) for problems in kinds.values())]
        for i in order
        if i != even.reference
    ]
    return markdown(["", *kinds], rows)


def by_task(even: Standing, order: Sequence[int]) -> str:
    """One row for each task: our median regret, and how far above it the others end."""
    others = [i for i in order if i != even.reference]
    rows = []
    for problem in even.problems:
        ours = even.regrets[even.of(problem), even.reference]
        median = np.median(np.log10(ours[np.isfinite(ours)])) if np.isfinite(ours).any() else math.nan
        rows.append([problem, *(_signed(value) for value in (median, *(even.ahead(i, problem) for i in others)))])
    return markdown(["", f"{even.labels[even.reference]}, log10 regret", *(even.labels[i] for i in others)], rows)


def _signed(value: float) -> str:
    return _NOTHING if math.isnan(value) else f"{value:+.2f}"
