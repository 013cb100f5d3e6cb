"""Runs of the arena beside each other: regrets of contenders on the same tasks with the same seeds.

Regrets of different tasks have no common scale, so contenders are compared by ranks and won pairs: same task, same
seed, so the same instance, initial data and durations. Not every contender needs to have run everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop_bench import score
from nonstop_bench.arena.halves import contender, kind
from nonstop_bench.case import OURS
from nonstop_bench.outcomes.standing import error
from nonstop_bench.records import Array, Record

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Regrets (pairs, contenders) on the pairs of task and seed that any contender ran; NaN: it did not."""

    labels: tuple[str, ...]
    pairs: tuple[tuple[str, int], ...]
    regrets: Array

    @property
    def reference(self) -> int:
        """Ours, or else the first."""
        return self.labels.index(OURS) if OURS in self.labels else 0

    @property
    def shared(self) -> Mask:
        """Which pairs all contenders ran."""
        return np.asarray(np.isfinite(self.regrets).all(axis=1))

    @property
    def problems(self) -> list[str]:
        """The tasks, in order of the pairs."""
        return list(dict.fromkeys(problem for problem, _ in self.pairs))

    def of(self, *problems: str) -> Mask:
        """Which pairs are of these tasks."""
        return np.array([problem in problems for problem, _ in self.pairs])

    def ranks(self) -> tuple[Array, Array]:
        """Mean ranks over the pairs that all ran, and their standard errors: tasks are the sample, not the seeds."""
        rows = [self.of(problem) & self.shared for problem in self.problems]
        by_task = np.array([score.mean_ranks(self.regrets[row]) for row in rows if row.any()])
        if not len(by_task):
            nothing = np.full(len(self.labels), np.nan)
            return nothing, nothing
        return by_task.mean(axis=0), np.array([error(column) for column in by_task.T])

    def won(self, i: int, among: Mask | None = None) -> Array:
        """For each pair that both ran: 1 if the reference won against contender i, 0.5 for a tie, else 0."""
        ours, theirs = self.regrets[:, self.reference], self.regrets[:, i]
        both = np.isfinite(ours) & np.isfinite(theirs) & (True if among is None else among)
        return np.asarray((ours < theirs)[both] + 0.5 * (ours == theirs)[both])

    def ahead(self, i: int, problem: str) -> float:
        """By how many powers of ten contender i ends higher than the reference: the median over the pairs of a task."""
        rows = self.of(problem) & np.isfinite(self.regrets[:, [self.reference, i]]).all(axis=1)
        ours, theirs = (np.log10(self.regrets[rows, j]) for j in (self.reference, i))
        return float(np.median(theirs - ours)) if rows.any() else float("nan")

    def kinds(self) -> dict[str, list[str]]:
        """The tasks by kind."""
        found: dict[str, list[str]] = {}
        for problem in self.problems:
            found.setdefault(kind(problem), []).append(problem)
        return found


def standing(records: Sequence[Record], measure: Callable[[Record], float]) -> Standing:
    """Of all the runs, by this measure; a contender's later run of the same pair replaces the earlier one."""
    found = {(contender(record.case.label), record.case.problem, record.case.seed): record for record in records}
    labels = tuple(sorted({label for label, _, _ in found}, key=lambda label: (label != OURS, label)))
    order = list(dict.fromkeys(record.case.problem for record in records))
    pairs = sorted({(problem, seed) for _, problem, seed in found}, key=lambda pair: (order.index(pair[0]), pair[1]))
    regrets = np.array(
        [[measure(found[label, *pair]) if (label, *pair) in found else np.nan for label in labels] for pair in pairs]
    )
    return Standing(labels, tuple(pairs), regrets.reshape(-1, len(labels)))
