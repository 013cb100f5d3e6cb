"""Measures of runs: plain functions of records. Regret is simple regret; logarithms are natural."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nonstop_bench.records import Array, Record

#: Smaller regrets are raised to this: the optima of the tasks are known to about this accuracy.
FLOOR = 1e-10


def regret_curve(record: Record, times: Sequence[float] | Array) -> Array:
    """The simple regret at each time: that of the exact value at the best observation so far."""
    finished, regrets = _history(record)
    position = np.searchsorted(finished, np.asarray(times, dtype=np.float64), side="right")
    return np.append(np.inf, regrets)[position]


def regret_after(record: Record, evaluations: int) -> float:
    """The simple regret after so many evaluations beyond the initial ones, failed ones included."""
    regrets = _history(record)[1]
    there_are = len(regrets) - record.initial
    if evaluations > there_are:
        raise ValueError(f"the run has {there_are} evaluations, fewer than {evaluations}")
    return float(np.append(np.inf, regrets)[record.initial + evaluations])


def _history(record: Record) -> tuple[Array, Array]:
    """When evaluations ended, including failed ones, and the regret after each. Of evaluations that ended at the same
    instant the one that started first comes first, as in the simulator."""
    ended = np.flatnonzero(np.isfinite(record.finished))
    ended = ended[np.argsort(record.finished[ended], kind="stable")]
    observed = np.where(np.isnan(record.observed[ended]), np.inf, record.observed[ended])
    new = observed < np.append(np.inf, np.minimum.accumulate(observed)[:-1])[: len(ended)]
    incumbent = np.maximum.accumulate(np.where(new, np.arange(len(ended)), -1))
    values = np.append(record.value[ended], np.inf)[incumbent]  # -1: all have failed so far
    return record.finished[ended], np.maximum(values - record.optimum, FLOOR)


def log_regret_at(record: Record, time: float) -> float:
    """The natural logarithm of the simple regret at this time."""
    return float(np.log(regret_curve(record, [time])[0]))


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Median and quartiles over runs."""

    low: Array
    median: Array
    high: Array


def band(curves: Sequence[Array] | Array) -> Band:
    """The band over the first axis, without NaN."""
    low, median, high = np.nanquantile(np.asarray(curves), [0.25, 0.5, 0.75], axis=0)
    return Band(low, median, high)


def by_label(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Runs by what is compared (rule or peer), in order of seed."""
    groups: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: record.case.seed):
        groups.setdefault(record.case.label, []).append(record)
    return groups


def win_rate(rows: Sequence[float] | Array, columns: Sequence[float] | Array) -> float:
    """The fraction of pairs in which the row's regret is lower; a tie counts half."""
    a, b = np.asarray(rows), np.asarray(columns)
    return float(np.mean((a < b) + 0.5 * (a == b)))


def paired(rows: Iterable[Record], columns: Iterable[Record]) -> list[tuple[Record, Record]]:
    """The runs of both that share problem and seed."""
    other = {(record.case.problem, record.case.seed): record for record in columns}
    pairs = [(record, other.get((record.case.problem, record.case.seed))) for record in rows]
    return [(a, b) for a, b in pairs if b is not None]


def mann_whitney(rows: Sequence[float] | Array, columns: Sequence[float] | Array) -> float:
    """The two-sided p-value of the hypothesis that both have the same distribution."""
    from scipy import stats  # takes a third of a second

    return float(stats.mannwhitneyu(rows, columns, alternative="two-sided").pvalue)


def mean_ranks(scores: Array) -> Array:
    """Mean rank of each column over the rows, 1 is best (lowest); ties share their ranks."""
    from scipy import stats

    return np.asarray(stats.rankdata(scores, axis=1).mean(axis=0))


def evaluations(record: Record) -> int:
    """The number of evaluations that finished after the initial ones."""
    return int(np.isfinite(record.finished[record.initial :]).sum())


def suggestion_seconds(record: Record) -> float:
    """The median processor time of a suggestion after those that start the workers; NaN if there is none."""
    seconds = record.seconds[record.initial + record.case.q :]
    return float(np.nanmedian(seconds)) if np.isfinite(seconds).any() else float("nan")


def utilisation(record: Record) -> float:
    """The share of the workers' time up to the end of the run that was spent evaluating, given the overhead."""
    own = slice(record.initial, None)
    started, finished = record.started[own], record.finished[own]
    end = record.case.ends if np.isfinite(record.case.ends) else float(np.nanmax(finished))
    overhead = record.seconds[own] if record.case.overhead == "measured" else record.case.overhead
    evaluating = np.clip(np.where(np.isnan(finished), end, finished), None, end) - np.minimum(started + overhead, end)
    return float(np.maximum(evaluating, 0.0).sum() / (record.case.q * end))
