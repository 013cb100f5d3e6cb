"""UCB and LogEI against every other rule, experiment by experiment: the statistics as a table of values.

Two families for Holm's correction: all comparisons of one experiment (`holm`), and all comparisons of the synthetic
tasks together (`holm_tasks`), for what is said of all of them.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from nonstop_bench.presets import PRICED
from nonstop_bench.records import Record
from nonstop_bench.report.results import STANDARD, TASKS, Results, finals, matched
from nonstop_bench.statistics import ALPHA, Comparison, compared, holm

#: The suffix of an experiment in which only the rules that are not standard pay for their suggestions.
UNEQUAL: Final = "-overhead-of-others"


@dataclass(frozen=True, slots=True)
class Pair:
    """A comparison in an experiment, with its corrected p-values; `holm_tasks` is NaN outside of the tasks."""

    experiment: str
    row: str
    column: str
    found: Comparison
    holm: float
    holm_tasks: float

    def decided(self, p: float | None = None) -> int:
        """1 if the row is better, -1 if it is worse, 0 if that is open: the interval of the difference has to exclude 0
        and the corrected p (that of the experiment) to be below 0.05."""
        difference = self.found.difference
        if not difference.excludes(0.0) or not (self.holm if p is None else p) < ALPHA:
            return 0
        return 1 if difference.high < 0.0 else -1


Pairs = Mapping[tuple[str, str, str], Pair]


def all_pairs(results: Results) -> Pairs:
    """Every comparison, by experiment, row and column."""
    found: list[Pair] = []
    for name in (name for name in results.names() if name.startswith("paper/")):
        found += _of(name, results.runs(name))
        if name.endswith(PRICED) and results.runs(name.removesuffix(PRICED)):
            free = results.runs(name.removesuffix(PRICED))
            mixed = {rule: runs for rule, runs in results.runs(name).items() if rule not in STANDARD}
            mixed = {**{rule: free[rule] for rule in STANDARD if rule in free}, **mixed}
            found += _of(name.removesuffix(PRICED) + UNEQUAL, mixed)
    return {(pair.experiment, pair.row, pair.column): pair for pair in _over_tasks(found)}


def _of(name: str, groups: Mapping[str, list[Record]]) -> list[Pair]:
    keys = [(row, column) for row in STANDARD for column in sorted(groups) if row in groups and row != column]
    keys = [key for key in keys if key != ("logei", "ucb")]  # there as ("ucb", "logei")
    ends = {rule: finals(runs) for rule, runs in groups.items()}
    columns = {key: matched(ends[key[0]], ends[key[1]]) for key in keys}
    found = {key: compared(a, b) for key, (a, b) in columns.items() if len(a)}
    adjusted = holm([each.wilcoxon for each in found.values()])
    return [
        Pair(name, row, column, each, p, math.nan)
        for ((row, column), each), p in zip(found.items(), adjusted, strict=True)
    ]


def _over_tasks(pairs: Iterable[Pair]) -> list[Pair]:
    pairs = list(pairs)
    family = [i for i, pair in enumerate(pairs) if pair.experiment in TASKS]
    adjusted = dict(zip(family, holm([pairs[i].found.wilcoxon for i in family]), strict=True))
    return [replace(pair, holm_tasks=adjusted.get(i, math.nan)) for i, pair in enumerate(pairs)]


_HEAD = (
    *("experiment", "row", "column", "n", "wins", "ties", "win_share"),
    *("difference", "difference_low", "difference_high", "a12", "a12_low", "a12_high"),
    *("wilcoxon_p", "holm_p", "holm_tasks_p", "mann_whitney_p"),
)


def table(pairs: Pairs) -> str:
    """The comparisons as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    for pair in pairs.values():
        it = pair.found
        estimates = (it.difference, it.a12)
        numbers = [it.win_share, *(x for each in estimates for x in (each.value, each.low, each.high))]
        tested = (it.wilcoxon, pair.holm, pair.holm_tasks, it.mann_whitney)
        row = [pair.experiment, pair.row, pair.column, it.n, it.wins, it.ties]
        writer.writerow([*row, *(f"{x:.4f}" for x in numbers), *("" if math.isnan(p) else f"{p:.3g}" for p in tested)])
    return text.getvalue()
