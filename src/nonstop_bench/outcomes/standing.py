"""Runs beside each other: the regrets of contenders on the same problems with the same seeds.

Regrets of different problems have no common scale, so contenders are compared by ranks and won pairs: same problem,
same seed, so same start and same durations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nonstop_bench import score
from nonstop_bench.outcomes.field import NAMES, OURS
from nonstop_bench.outcomes.problem import Mask, Problem
from nonstop_bench.outcomes.race import Run
from nonstop_bench.records import Array
from nonstop_bench.statistics import share

#: Smaller regrets, as shares of the largest, are raised to this.
FLOOR = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Regrets (pairs, contenders) on the pairs of problem and seed that any contender ran; NaN: it did not."""

    problems: Mapping[str, Problem]
    names: tuple[str, ...]
    pairs: tuple[tuple[str, int], ...]
    runs: Mapping[tuple[str, str, int], Run]
    regrets: Array

    @property
    def complete(self) -> Array:
        """The regrets of the pairs that all of them ran."""
        return np.asarray(self.regrets[self.shared])

    @property
    def shared(self) -> Mask:
        """Which pairs all of them ran."""
        return np.asarray(np.isfinite(self.regrets).all(axis=1))

    @property
    def order(self) -> list[int]:
        """From the best mean rank to the worst."""
        return [int(i) for i in np.argsort(self.ranks, kind="stable")]

    @property
    def ranks(self) -> Array:
        """Mean ranks over the pairs that all ran."""
        return score.mean_ranks(self.complete)

    @property
    def reference(self) -> int:
        """Ours, or else the best."""
        return self.names.index(OURS) if OURS in self.names else self.order[0]

    def of(self, problem: str) -> Mask:
        """Which pairs are of a problem."""
        return np.array([each == problem for each, _ in self.pairs])

    def ranks_by_problem(self) -> Array:
        """Mean ranks (problems, contenders) over the seeds that all ran; problems without one are left out."""
        chosen = [self.of(problem) & self.shared for problem in self.problems]
        return np.array([score.mean_ranks(self.regrets[rows]) for rows in chosen if rows.any()])

    def won(self, i: int) -> Array:
        """For each pair that both ran: 1 if the reference won against contender i, 0.5 for a tie, else 0."""
        ours, theirs = self.regrets[:, self.reference], self.regrets[:, i]
        both = np.isfinite(ours) & np.isfinite(theirs)
        return np.asarray((ours < theirs)[both] + 0.5 * (ours == theirs)[both])


def standing(runs: Sequence[Run], problems: Mapping[str, Problem]) -> Standing:
    """Of the runs on these problems; ValueError if no pair was run by all contenders."""
    found = {run.key: run for run in runs if run.problem in problems}
    names = tuple(name for name in NAMES if any(contender == name for _, contender, _ in found))
    keys = {(problem, seed) for problem, _, seed in found}
    pairs = tuple(sorted(keys, key=lambda pair: (list(problems).index(pair[0]), pair[1])))
    rows = [[_regret(problems[p], found.get((p, name, s))) for name in names] for p, s in pairs]
    result = Standing(problems, names, pairs, found, np.array(rows).reshape(-1, len(names)))
    if not result.shared.any():
        raise ValueError(f"no problem and seed was run by all of {', '.join(names)}")
    return result


def _regret(problem: Problem, run: Run | None) -> float:
    return math.nan if run is None else max(problem.regret(run.reached[-1]), FLOOR)


def wilson(won: Array) -> tuple[float, float]:
    """Wilson's interval of a share, at 95 per cent."""
    found = share(float(won.sum()), len(won))
    return found.low, found.high


def error(values: Array) -> float:
    """The standard error of the mean; there is none of a single value."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan
