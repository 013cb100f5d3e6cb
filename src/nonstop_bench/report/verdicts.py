"""From numbers to verdicts, by one rule for all claims.

A comparison is decided if its 95 % interval excludes no difference and Holm's p is below 0.05. Between two rules, p is
Wilcoxon's for their differences; where a quantity is held against a bound, for the distances of the seeds from the
bound, and the family of Holm's correction is all comparisons of the claim.

A claim reproduces if all of its comparisons are decided for it, does not if one is decided against it, and cannot be
decided otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from nonstop_bench.statistics import ALPHA, Array, Estimate, holm, mean, median, wilcoxon


class Verdict(StrEnum):
    """What the data say of a claim."""

    REPRODUCES = "reproduces"
    FAILS = "does not reproduce"
    OPEN = "cannot be decided"
    ABSENT = "not measured"


def judged(decisions: Iterable[int]) -> Verdict:
    """Of decisions for (1) and against (-1) a claim that all of them have to support; 0: open."""
    given = list(decisions)
    if not given:
        return Verdict.ABSENT
    if min(given) < 0:
        return Verdict.FAILS
    return Verdict.REPRODUCES if min(given) > 0 else Verdict.OPEN


def unrefuted(decisions: Iterable[int]) -> Verdict:
    """The same for a claim that there is no significant exception: it stands as long as none is found."""
    given = list(decisions)
    if not given:
        return Verdict.ABSENT
    return Verdict.FAILS if min(given) < 0 else Verdict.REPRODUCES


def tally(decisions: Iterable[int]) -> str:
    """4 for, 1 against, 3 open"""
    given = list(decisions)
    counts = {word: sum(d == sign for d in given) for word, sign in (("for", 1), ("against", -1), ("open", 0))}
    return ", ".join(f"{count} {word}" for word, count in counts.items()) if given else "–"


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A number of every seed, and their mean or median."""

    seeds: Array
    estimate: Estimate

    @classmethod
    def by_mean(cls, seeds: Array) -> Measured:
        """With their mean."""
        return cls(seeds, mean(seeds))

    @classmethod
    def by_median(cls, seeds: Array) -> Measured:
        """With their median."""
        return cls(seeds, median(seeds))


def all_above(family: Sequence[Measured], bound: float = 0.0) -> list[int]:
    """Of each: 1 if it is decided to be above the bound, -1 if it is below, 0 if that is open."""
    adjusted = holm([wilcoxon(it.seeds - bound) for it in family])
    return [above(it.estimate, bound) if p < ALPHA else 0 for it, p in zip(family, adjusted, strict=True)]


def all_within(family: Sequence[Measured], low: float, high: float) -> list[int]:
    """Of each: 1 if it is decided to be inside, -1 if it is outside, 0 if that is open. Either way it is on one
    side of each border, and the test that is less certain counts."""
    adjusted = holm([max(wilcoxon(it.seeds - low), wilcoxon(it.seeds - high)) for it in family])
    return [within(it.estimate, low, high) if p < ALPHA else 0 for it, p in zip(family, adjusted, strict=True)]


def above(estimate: Estimate, bound: float = 0.0) -> int:
    """1 if the interval is above the bound, -1 if it is below, 0 if it holds the bound."""
    return 1 if estimate.low > bound else -1 if estimate.high < bound else 0


def within(estimate: Estimate, low: float, high: float) -> int:
    """1 if the interval is inside, -1 if it is outside, 0 if it crosses a border."""
    if low <= estimate.low and estimate.high <= high:
        return 1
    return -1 if estimate.high < low or estimate.low > high else 0


_OWN = {Verdict.REPRODUCES: "holds", Verdict.FAILS: "does not hold"}


def own(verdict: Verdict, seeds: str) -> str:
    """The same for a statement that is not the paper's: it holds, or does not."""
    return f"**{_OWN[verdict]}**" if verdict in _OWN else worded(verdict, seeds)


def worded(verdict: Verdict, seeds: str) -> str:
    """The verdict in bold, with the number of seeds where they are too few."""
    return f"**{verdict}{f' with {seeds}' if verdict is Verdict.OPEN else ''}**"
