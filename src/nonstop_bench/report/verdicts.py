"""From numbers to verdicts, by one rule for all claims.

A comparison is decided if its 95 % interval excludes no difference (and, between rules, if Holm's p is below 0.05 too).
A claim reproduces if all of its comparisons are decided for it, does not if one is decided against it, and cannot be
decided otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from nonstop_bench.statistics import Estimate


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
