"""Optimisers compared over several tasks: at equal evaluations, and at equal time, where the cost of proposing counts.

Regrets of different tasks have no common scale, so contenders are compared by ranks and by won pairs (same task, same
seed: same initial data). Equal time is the moment at which an optimiser that proposes in no time would have finished
its evaluations: evaluations / q seconds for evaluations of one second on average.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from nonstop_bench import score
from nonstop_bench.case import OURS
from nonstop_bench.presets import Preset
from nonstop_bench.records import Array, Record
from nonstop_bench.tables import markdown, milliseconds, stored

Measure: TypeAlias = Callable[[Record], float]


def at_equal_evaluations(record: Record) -> float:
    """The regret after the number of evaluations that the case allows."""
    return score.regret_after(record, record.case.evaluations or score.evaluations(record))


def at_equal_time(record: Record) -> float:
    """The regret at the time at which an optimiser without overhead would have finished."""
    evaluations = record.case.evaluations or score.evaluations(record)
    return float(score.regret_curve(record, [evaluations / record.case.q])[0])


def section(results: Path, preset: Preset) -> str:
    """An experiment of several tasks in Markdown, from its results in the folder."""
    about = f"{preset.about[:1].upper()}{preset.about[1:]}"
    return f"## {preset.name}\n\n{about}. {report(stored(results, preset.name))}\n"


def report(records: Sequence[Record]) -> str:
    """Two tables in Markdown: contenders over all tasks, and median regrets task by task."""
    labels, keys, even = scores(records, at_equal_evaluations)
    timed = scores(records, at_equal_time)[2] if records[0].case.overhead == "measured" else None
    tasks = sorted({problem for problem, _ in keys})
    ranks = score.mean_ranks(even)
    reference = labels.index(OURS) if OURS in labels else int(np.argmin(ranks))
    groups = score.by_label(records)
    order = [int(i) for i in np.argsort(ranks, kind="stable")]
    rows = [
        [
            labels[i],
            *_cells(even, i, reference),
            *([] if timed is None else _cells(timed, i, reference)),
            milliseconds([score.suggestion_seconds(record) for record in groups[labels[i]]]),
        ]
        for i in order
    ]
    case = records[0].case
    setting = f"{case.evaluations} evaluations after the initial ones, q = {case.q}, {len(keys)} pairs of task and seed"
    overall = markdown(
        [
            "",
            "mean rank, equal evaluations",
            f"pairs won by {labels[reference]}",
            *([] if timed is None else ["mean rank, equal time", f"pairs won by {labels[reference]}"]),
            "suggestion, ms",
        ],
        rows,
    )
    return "\n\n".join(
        [
            f"{setting}. Ranks from 1 (best) to {len(labels)}.",
            overall,
            "Median log10 regret at equal evaluations:",
            _by_task(labels, order, keys, even, tasks),
        ]
    )


def _cells(measured: Array, i: int, reference: int) -> list[str]:
    """Mean rank of a contender, and the share of pairs that the reference (our default, else the best) wins."""
    won = "–" if i == reference else f"{score.win_rate(measured[:, reference], measured[:, i]):.2f}"
    return [f"{score.mean_ranks(measured)[i]:.2f}", won]


def _by_task(
    labels: Sequence[str], order: Sequence[int], keys: Sequence[tuple[str, int]], even: Array, tasks: Sequence[str]
) -> str:
    of = {task: [row for row, (problem, _) in enumerate(keys) if problem == task] for task in tasks}
    rows = [[labels[i], *(f"{np.median(np.log10(even[of[task], i])):.2f}" for task in tasks)] for i in order]
    return markdown(["", *tasks], rows)


def scores(records: Sequence[Record], measure: Measure) -> tuple[list[str], list[tuple[str, int]], Array]:
    """Contenders, the pairs (task, seed) that all of them ran, and the measure (pairs, contenders)."""
    groups = score.by_label(records)
    labels = sorted(groups)
    measured = {
        label: {(record.case.problem, record.case.seed): measure(record) for record in groups[label]}
        for label in labels
    }
    keys = sorted(set.intersection(*(set(values) for values in measured.values())))
    if not keys:
        raise ValueError(f"no task and seed was run by all of {', '.join(labels)}")
    return labels, keys, np.array([[measured[label][key] for label in labels] for key in keys])
