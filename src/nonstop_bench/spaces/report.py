"""What many runs found, as Markdown: ranks, pairs won, regrets task by task, times.

Regrets of different tasks have no common scale, so contenders are compared by ranks and won pairs: same task, same
seed, so same start and same durations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nonstop_bench import score
from nonstop_bench.records import Array
from nonstop_bench.spaces.catalogue import TASKS
from nonstop_bench.spaces.field import NAMES, OURS
from nonstop_bench.spaces.race import EVALUATIONS, START, WORKERS, Run
from nonstop_bench.tables import markdown

_SETTING = """# Conditional and constrained spaces

Made by `make bench-spaces`. {evaluations} evaluations after a start of {start} uniform feasible points that all share,
q = {workers} asynchronous workers with varying durations on the virtual clock. {pairs} pairs of task and seed that all
contenders ran (seeds: {seeds}).

Mean rank from 1 (best), in brackets its standard error over the seeds. Pairs won by {reference}: ties count half, in
brackets the standard error over the pairs. Suggestions: processor time. Lost: evaluations of points that violate the
constraints."""


def regret(run: Run) -> float:
    """Of the best value at the end."""
    best = min(value for value in run.values if value is not None)
    return max(TASKS[run.task].regret(best), score.FLOOR)


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """The pairs of task and seed that all contenders ran, with their runs and regrets (pairs, contenders)."""

    names: tuple[str, ...]
    pairs: tuple[tuple[str, int], ...]
    runs: tuple[tuple[Run, ...], ...]
    regrets: Array

    @property
    def reference(self) -> int:
        """Ours, or else the best."""
        return self.names.index(OURS) if OURS in self.names else self.order[0]

    @property
    def order(self) -> list[int]:
        """From the best mean rank to the worst."""
        return [int(i) for i in np.argsort(score.mean_ranks(self.regrets), kind="stable")]

    @property
    def tasks(self) -> list[str]:
        """In the order of the catalogue."""
        return [name for name in TASKS if any(task == name for task, _ in self.pairs)]

    @property
    def seeds(self) -> list[int]:
        """All of them."""
        return sorted({seed for _, seed in self.pairs})

    def of(self, task: str) -> Array:
        """The regrets of one task."""
        return self.regrets[[each == task for each, _ in self.pairs]]


def standing(runs: Sequence[Run]) -> Standing:
    """What all contenders that ran anything have in common; ValueError if that is nothing."""
    found = {run.key: run for run in runs}
    names = tuple(name for name in NAMES if any(run.contender == name for run in runs))
    seeds = sorted({run.seed for run in runs})
    pairs = tuple((t, s) for t in TASKS for s in seeds if all((t, name, s) in found for name in names))
    if not pairs:
        raise ValueError(f"no task and seed was run by all of {', '.join(names)}")
    rows = tuple(tuple(found[task, name, seed] for name in names) for task, seed in pairs)
    return Standing(names, pairs, rows, np.array([[regret(run) for run in row] for row in rows]))


def page(runs: Sequence[Run]) -> str:
    """The whole page."""
    found = standing(runs)
    reference = found.names[found.reference]
    counted = ", ".join(f"{task} {len(found.of(task))}" for task in found.tasks)
    setting = _SETTING.format(
        evaluations=EVALUATIONS,
        start=START,
        workers=WORKERS,
        pairs=len(found.pairs),
        seeds=counted,
        reference=reference,
    )
    parts = [
        setting,
        _overall(found),
        "Median log10 regret at the end:",
        _by_task(found, lambda regrets, i: float(np.median(np.log10(regrets[:, i])))),
        "Mean rank task by task:",
        _by_task(found, lambda regrets, i: float(score.mean_ranks(regrets)[i])),
        f"Share of pairs won by {reference}, task by task:",
        _by_task(found, lambda regrets, i: score.win_rate(regrets[:, found.reference], regrets[:, i])),
    ]
    return "\n\n".join(parts) + "\n"


def _overall(found: Standing) -> str:
    ranks = score.mean_ranks(found.regrets)
    of_seed = [[seed == each for _, each in found.pairs] for seed in found.seeds]
    by_seed = np.array([score.mean_ranks(found.regrets[rows]) for rows in of_seed])
    rows = []
    for i in found.order:
        runs = [row[i] for row in found.runs]
        milliseconds = [1e3 * run.seconds / EVALUATIONS for run in runs]
        rows.append(
            [
                found.names[i],
                f"{ranks[i]:.2f} ({_error(by_seed[:, i]):.2f})",
                _won(found, i),
                f"{np.median(milliseconds):.0f}",
                f"{max(milliseconds):.0f}",
                str(sum(value is None for run in runs for value in run.values)),
            ]
        )
    won = f"pairs won by {found.names[found.reference]}"
    return markdown(["", "mean rank", won, "suggestion, ms: median run", "slowest run", "lost"], rows)


def _won(found: Standing, i: int) -> str:
    if i == found.reference:
        return "–"
    ours, theirs = found.regrets[:, found.reference], found.regrets[:, i]
    return f"{score.win_rate(ours, theirs):.2f} ({_error((ours < theirs) + 0.5 * (ours == theirs)):.2f})"


def _error(values: Array) -> float:
    """The standard error of the mean; there is none of a single value."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def _by_task(found: Standing, cell: Callable[[Array, int], float]) -> str:
    """A row for every contender, a column for every task; a cell is of the task's regrets and the contender."""
    rows = [[found.names[i], *(f"{cell(found.of(task), i):.2f}" for task in found.tasks)] for i in found.order]
    return markdown(["", *found.tasks], rows)
