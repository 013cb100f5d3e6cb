"""Regret over tasks: who is significantly better where, with more workers, with more time, on real tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from nonstop_bench.records import Record
from nonstop_bench.report import words
from nonstop_bench.report.pairs import Pairs
from nonstop_bench.report.results import EMULATED, LONG, PURPOSE_BUILT, REAL, STANDARD, TASKS, Results, finals, matched
from nonstop_bench.report.verdicts import Measured, above, all_above, judged, own, tally, unrefuted, worded
from nonstop_bench.statistics import ALPHA, compared, holm

#: A standard rule is not outperformed if its regret is at most so many times that of the other.
TWICE: Final = 2.0
_WORKERS = (1, 4, 8, 16, 20)
_SCALED = {"ackley-10": "paper/ackley-10-q{}", "hartmann-6": "paper/hartmann-6-q{}"}
#: The standard rule and what it is held against, as more workers come.
_RIVALS = (("ucb", "kb-ucb"), ("ucb", "ts"), ("logei", "kb-logei"), ("logei", "ts"))


def standing(pairs: Pairs, name: str, rule: str, over_tasks: bool) -> int | None:
    """1 if a standard rule is decided better than this one and none worse, -1 if both are decided worse, 0 if that is
    open; None if it was not run."""
    found = [pairs.get((name, row, rule)) for row in STANDARD]
    decided = [pair.decided(pair.holm_tasks if over_tasks else None) for pair in found if pair is not None]
    if not decided:
        return None
    if max(decided) < 0:
        return -1
    return 1 if max(decided) > 0 and min(decided) >= 0 else 0


def holds(pairs: Pairs, name: str, rule: str, over_tasks: bool) -> int | None:
    """-1 if both standard rules are decided worse than this one; 1 if one of them is at most TWICE worse, with
    confidence; 0 if neither can be said; None if it was not run."""
    stands = standing(pairs, name, rule, over_tasks)
    if stands is None or stands < 0:
        return stands
    found = [pairs.get((name, row, rule)) for row in STANDARD]
    return int(any(pair.found.difference.high < math.log(TWICE) for pair in found if pair is not None))


def _standings(
    pairs: Pairs, names: Sequence[str], over_tasks: bool, how: Callable[[Pairs, str, str, bool], int | None] = standing
) -> dict[tuple[str, str], int]:
    found = {(name, rule): how(pairs, name, rule, over_tasks) for name in names for rule in PURPOSE_BUILT}
    return {key: value for key, value in found.items() if value is not None}


def synthetic(results: Results, pairs: Pairs) -> dict[str, str]:
    """Who is better on the synthetic tasks, and by how much UCB and KB-UCB differ."""
    found = _standings(pairs, TASKS, over_tasks=True)
    held = _standings(pairs, TASKS, over_tasks=True, how=holds)
    seeds = results.seeds(*(name for name in TASKS if results.runs(name)))
    return {
        "medians": medians(results, TASKS),
        "believing": _believing(pairs, TASKS),
        "beaten": words.listed(
            f"{words.named(rule)} on {words.task(name)}" for (name, rule), s in found.items() if s < 0
        ),
        "worse": str(sum(s > 0 for s in found.values())),
        "better": str(sum(s < 0 for s in found.values())),
        "open": str(sum(s == 0 for s in found.values())),
        "all": str(len(found)),
        "outperformed": worded(judged(held.values()), seeds),
        "outperformed.tally": tally(held.values()),
        "dominates.tally": tally(found.values()),
        "twice": f"{TWICE:g}",
        "dominates": worded(judged(found.values()), seeds),
        **_believers(pairs, seeds),
    }


def _believers(pairs: Pairs, seeds: str) -> dict[str, str]:
    """On how many tasks KB-UCB is decided better than UCB, and the other way round."""
    found = [pairs[name, "ucb", "kb-ucb"] for name in TASKS if (name, "ucb", "kb-ucb") in pairs]
    decided = [pair.decided(pair.holm_tasks) for pair in found]
    return {
        "kb.better": str(sum(d < 0 for d in decided)),
        "kb.worse": str(sum(d > 0 for d in decided)),
        "kb.open": str(sum(d == 0 for d in decided)),
        "kb.tasks": str(len(decided)),
        "kb.where": words.listed(words.task(p.experiment) for p, d in zip(found, decided, strict=True) if d < 0),
        "kb.safer": own(judged(-d for d in decided), seeds),
    }


def medians(results: Results, names: Sequence[str]) -> str:
    """Median log regret at the end, a row for each task."""
    rules = [*STANDARD, *PURPOSE_BUILT, "random"]
    ran = [rule for rule in rules if any(rule in results.runs(name) for name in names)]
    rows = []
    for name in names:
        groups = results.runs(name)
        if groups:
            cells = [words.median(finals(groups[rule])) if rule in groups else words.NOTHING for rule in ran]
            rows.append([words.task(name), results.seeds(name).split(" seed")[0], *cells])
    return words.grid(["task", "seeds", *map(words.named, ran)], rows)


def _believing(pairs: Pairs, names: Sequence[str]) -> str:
    rows = []
    for name in names:
        for row, column in (("ucb", "kb-ucb"), ("logei", "kb-logei")):
            pair = pairs.get((name, row, column))
            if pair is not None:
                p = pair.holm_tasks if name in TASKS else pair.holm
                decision = {1: words.named(row), -1: words.named(column), 0: words.NOTHING}[pair.decided(p)]
                numbers = [f"{pair.found.win_share:.2f}", words.interval(pair.found.difference)]
                tested = [words.interval(pair.found.a12), words.p_value(p)]
                rows.append(
                    [words.task(name), f"{words.named(row)} – {words.named(column)}", *numbers, *tested, decision]
                )
    return words.grid(["task", "pair", "win share", "difference", "A12", "Holm", "decided for"], rows)


def real(results: Results, pairs: Pairs) -> dict[str, str]:
    """The real tasks."""
    found = _standings(pairs, REAL, over_tasks=False)
    held = _standings(pairs, REAL, over_tasks=False, how=holds)
    return {
        "medians": medians(results, REAL),
        "believing": _believing(pairs, REAL),
        "emulated": medians(results, EMULATED),
        "beaten": words.listed(
            f"{words.named(rule)} on {words.task(name)}" for (name, rule), s in found.items() if s < 0
        ),
        "worse": str(sum(s > 0 for s in found.values())),
        "all": str(len(found)),
        "absent": words.listed(words.task(name) for name in REAL if not results.runs(name)),
        "open": str(sum(s == 0 for s in found.values())),
        "verdict": worded(judged(held.values()), results.seeds(*REAL)),
        "tally": tally(held.values()),
    }


def scaling(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """Who gains more from more workers."""
    rows: list[list[str]] = []
    gains: list[list[str]] = []
    family: list[Measured] = []
    for problem, pattern in _SCALED.items():
        there = {q: results.runs(pattern.format(q)) for q in _WORKERS if results.runs(pattern.format(q))}
        for q, groups in there.items():
            shown = [
                words.median(finals(groups[r])) if r in groups else words.NOTHING for r in ("ucb", "logei", *_OTHERS)
            ]
            rows.append([problem, str(q), results.seeds(pattern.format(q)).split(" seed")[0], *shown])
        several = [q for q in there if q > 1]
        if len(several) < 2:
            continue
        few, many = there[several[0]], there[several[-1]]
        for row, column in _RIVALS:
            if all(rule in groups for rule in (row, column) for groups in (few, many)):
                gain = [matched(finals(few[rule]), finals(many[rule])) for rule in (row, column)]
                family.append(Measured.by_median((gain[0][0] - gain[0][1]) - (gain[1][0] - gain[1][1])))
                between, more = f"{several[0]} to {several[-1]}", words.interval(family[-1].estimate)
                gains.append([problem, between, f"{words.named(row)} – {words.named(column)}", more])
    decisions = all_above(family)
    names = [pattern.format(q) for pattern in _SCALED.values() for q in _WORKERS]
    head = ["task", "q", "seeds", *map(words.named, ("ucb", "logei", *_OTHERS))]
    return {
        "medians": words.grid(head, rows),
        "gains": words.grid(["task", "q", "rules", "gain of the first beyond that of the other"], gains),
        "verdict": worded(judged(decisions), results.seeds(*(name for name in names if results.runs(name)))),
        "tally": tally(decisions),
    }


_OTHERS = ("kb-ucb", "kb-logei", "ts", "random")


def longer(results: Results, pairs: Pairs, early: float = 30.0) -> dict[str, str]:  # noqa: ARG001
    """The same runs after 30 s and at their end: does a decided comparison change?"""
    rows, decisions = [], []
    for name in LONG:
        groups = results.runs(name)
        keys = [
            (row, column)
            for row in STANDARD
            for column in groups
            if row in groups and column not in STANDARD and _share_seeds(groups[row], groups[column])
        ]
        then, now = (_decisions(groups, keys, at) for at in (early, None))
        for key in keys:
            decisions.append(then[key][0] * now[key][0])  # 1: decided the same way both times
            rows.append([words.task(name), f"{words.named(key[0])} – {words.named(key[1])}", then[key][1], now[key][1]])
    return {
        "medians": medians(results, LONG),
        "table": words.grid(["task", "rules", f"difference after {early:g} s", "difference at the end"], rows),
        "changed": str(sum(d < 0 for d in decisions)),
        "seeds": results.seeds(*LONG),
        "verdict": worded(judged(decisions), results.seeds(*LONG)),
        "tally": tally(decisions),
    }


def _share_seeds(first: Sequence[Record], other: Sequence[Record]) -> bool:
    return bool({run.case.seed for run in first} & {run.case.seed for run in other})


def _decisions(
    groups: dict[str, list[Record]], keys: Sequence[tuple[str, str]], at: float | None
) -> dict[tuple[str, str], tuple[int, str]]:
    """The decision and the difference of each comparison at a time, with Holm's correction over them."""
    found = {key: compared(*matched(finals(groups[key[0]], at), finals(groups[key[1]], at))) for key in keys}
    adjusted = holm([each.wilcoxon for each in found.values()])
    return {
        key: (-above(each.difference) if p < ALPHA else 0, words.interval(each.difference))
        for (key, each), p in zip(found.items(), adjusted, strict=True)
    }


def high_dimension(results: Results, pairs: Pairs) -> dict[str, str]:
    """Powell and Ackley in 20 dimensions: is LogEI the best, and do the others make progress?"""
    names = ("paper/powell-20-q8", "paper/ackley-20-q8")
    better: list[int] = []
    stuck: dict[tuple[str, str], Measured] = {}
    for name in names:
        found = [pairs.get((name, "logei", rule)) for rule in PURPOSE_BUILT]
        better += [pair.decided() for pair in found if pair is not None]
        for rule in ("ts", "lp-ucb", "llp-ucb"):
            groups = results.runs(name)
            if rule in groups and "random" in groups:
                off = np.subtract(*matched(finals(groups[rule]), finals(groups["random"])))
                stuck[name, rule] = Measured.by_median(off)
    off_random = dict(zip(stuck, all_above(list(stuck.values())), strict=True))
    ahead = [f"{words.named(rule)} on {words.task(name)}" for (name, rule), side in off_random.items() if side < 0]
    progress = [-1 if side < 0 else 1 for side in off_random.values()]
    seeds = results.seeds(*(name for name in names if results.runs(name)))
    return {
        "medians": medians(results, names),
        "superior": worded(judged(better), seeds),
        "tally": tally(better),
        "stuck.tally": tally(progress),
        "better": f"{sum(d > 0 for d in better)} of {len(better)}",
        "worse": f"{sum(d < 0 for d in better)}",
        "progress": words.listed(ahead),
        "stuck": worded(unrefuted(progress), seeds),
    }
