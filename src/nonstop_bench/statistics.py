"""Statistics of two rules on the same seeds: pure functions of arrays, with nothing hidden in a library's defaults.

Symbols: a, b (n,) log regrets of two rules, seed by seed; lower is better. d = a - b, so d < 0 speaks for the first.
Intervals are percentile bootstraps over seeds: a seed is drawn with both of its runs, because the runs share initial
data and durations. Of fewer than six seeds nothing can be concluded, and the interval is everything. The resamples are
the same for every comparison of n seeds, so that nothing depends on its order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

RESAMPLES: Final = 4_000
LEVEL: Final = 0.95
#: Corrected p-values below this count.
ALPHA: Final = 0.05
#: With fewer seeds there is no interval: not even the range of the data holds the median with a confidence of 95 %.
FEWEST: Final = 6
_SEED = 20


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval."""

    value: float
    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Does the interval leave this value out?"""
        return not self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Comparison:
    """What can be said of one rule against another. Below 0 (`difference`) or above 0.5 speaks for the first."""

    n: int
    #: In how many seeds the first has the lower regret, and in how many both have the same.
    wins: int
    ties: int
    #: The median over seeds of the difference of log regrets.
    difference: Estimate
    #: Vargha and Delaney's A12: the chance that a run of the first beats a run of the other, of any seeds.
    a12: Estimate
    #: p of Wilcoxon's signed-rank test, two-sided and exact, before any correction.
    wilcoxon: float
    #: p of the Mann-Whitney U test, which ignores that runs are paired: the paper's.
    mann_whitney: float

    @property
    def win_share(self) -> float:
        """The share of seeds in which the first is better; a tie counts half."""
        return (self.wins + 0.5 * self.ties) / self.n


def compared(a: Sequence[float] | Array, b: Sequence[float] | Array) -> Comparison:
    """All of it, for the paired log regrets of two rules."""
    first, other = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != other.shape or first.ndim != 1 or not len(first):
        raise ValueError(f"expected two columns of the same seeds, got shapes {first.shape} and {other.shape}")
    return Comparison(
        n=len(first),
        wins=int((first < other).sum()),
        ties=int((first == other).sum()),
        difference=median(first - other),
        a12=a12(first, other),
        wilcoxon=wilcoxon(first - other),
        mann_whitney=mann_whitney(first, other),
    )


def median(d: Array) -> Estimate:
    """The median with its bootstrap interval."""
    if len(d) < FEWEST:
        return Estimate(float(np.median(d)) if len(d) else math.nan, -math.inf, math.inf)
    return _estimate(float(np.median(d)), np.median(d[_draws(len(d))], axis=1))


def mean(d: Array) -> Estimate:
    """The mean with its bootstrap interval."""
    if len(d) < FEWEST:
        return Estimate(float(np.mean(d)) if len(d) else math.nan, -math.inf, math.inf)
    return _estimate(float(np.mean(d)), weights(len(d)) @ d)


def a12(a: Array, b: Array) -> Estimate:
    """P(a < b) + P(a = b) / 2 over all pairs of runs, with its bootstrap interval."""
    beats = (a[:, None] < b) + 0.5 * (a[:, None] == b)
    if len(a) < FEWEST:
        return Estimate(float(beats.mean()), 0.0, 1.0)
    W = weights(len(a))
    return _estimate(float(beats.mean()), np.einsum("ri,ri->r", W @ beats, W))


def share(hits: float, n: int) -> Estimate:
    """A share of n independent trials, with Wilson's interval (95 %)."""
    if not n:
        return Estimate(float("nan"), 0.0, 1.0)
    z, p = 1.959964, hits / n
    middle, half = p + z * z / (2 * n), z * float(np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)))
    scale = 1 + z * z / n
    return Estimate(p, max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0))


def weights(n: int) -> Array:
    """(RESAMPLES, n): how much each of n seeds counts in each resample; rows sum to 1."""
    return _counts(n) / n


@lru_cache(maxsize=8)
def _draws(n: int) -> NDArray[np.intp]:
    """(RESAMPLES, n) indices. Of raw 64-bit numbers, whose stream NumPy never changes."""
    raw = np.random.PCG64(_SEED).random_raw(RESAMPLES * n).reshape(RESAMPLES, n)
    return ((raw >> np.uint64(11)) % np.uint64(n)).astype(np.intp)


@lru_cache(maxsize=8)
def _counts(n: int) -> Array:
    return np.stack([(_draws(n) == i).sum(axis=1) for i in range(n)], axis=1).astype(np.float64)


def _estimate(value: float, resampled: Array) -> Estimate:
    tail = (1.0 - LEVEL) / 2.0
    # With infinities (all evaluations failed), interpolation between order statistics would give NaN.
    low, high = np.quantile(resampled, [tail, 1.0 - tail], method="inverted_cdf")
    return Estimate(value, float(low), float(high))


def wilcoxon(d: Array) -> float:
    """The exact two-sided p of the signed-rank test, given the ranks. Zeros are dropped; ties share their ranks.

    The distribution of the rank sum over all signs is found by adding one rank after the other. Twice a midrank is a
    whole number, so ties need no approximation.
    """
    d = d[d != 0.0]
    if not len(d):
        return 1.0
    size = np.abs(d)
    twice = ((size[:, None] > size).sum(axis=1) * 2 + (size[:, None] == size).sum(axis=1) + 1).astype(int)
    chances = np.ones(1)
    for rank in twice:
        chances = 0.5 * (np.append(chances, np.zeros(rank)) + np.append(np.zeros(rank), chances))
    positive = int(twice[d > 0.0].sum())
    return float(min(1.0, 2.0 * min(chances[: positive + 1].sum(), chances[positive:].sum())))


def mann_whitney(a: Array, b: Array) -> float:
    """The two-sided p of the U test as the paper has it: SciPy's, for independent samples."""
    from scipy import stats  # takes a third of a second

    return float(stats.mannwhitneyu(a, b, alternative="two-sided").pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: below alpha means rejected with a family-wise error of alpha."""
    order = np.argsort(p, kind="stable")
    adjusted, largest = np.empty(len(p)), 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - place) * p[i]))
        adjusted[i] = largest
    return [float(each) for each in adjusted]
