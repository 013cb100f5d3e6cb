"""The paper's four tables, its p-values, and what a price of suggestions does to them."""

from __future__ import annotations

from typing import Final

from nonstop_bench.presets import PRICED
from nonstop_bench.published import PUBLISHED
from nonstop_bench.report import words
from nonstop_bench.report.pairs import UNEQUAL, Pair, Pairs
from nonstop_bench.report.results import STANDARD, Results
from nonstop_bench.report.verdicts import Verdict, judged, own, tally, unrefuted, worded
from nonstop_bench.statistics import ALPHA, share

#: The tasks of the paper's tables, by the names that the page has for them.
TABLES: Final = {"ackley": "paper/ackley-10-q8", "michalewicz": "paper/michalewicz-5-q16"}
PRINTED_SEEDS: Final = 20
_ALWAYS = 0.9  # what "almost always" has to mean at least


def tables(results: Results, pairs: Pairs) -> dict[str, str]:
    """The win-rates: ours beside the paper's, and whether UCB is ahead of every rule."""
    said: dict[str, str] = {}
    for key, name in TABLES.items():
        seeds = results.seeds(name)
        ours = {column: pair for (row, column), pair in _row(pairs, name).items() if row == "ucb"}
        said[f"{key}.seeds"] = seeds
        said[f"{key}.verdict"] = worded(judged(pair.decided() for pair in ours.values()), seeds)
        said[f"{key}.tally"] = tally(pair.decided() for pair in ours.values())
        said[f"{key}.ahead"] = words.listed(words.named(c) for c, pair in ours.items() if pair.decided() > 0)
        said[f"{key}.behind"] = words.listed(words.named(c) for c, pair in ours.items() if pair.decided() < 0)
        said[f"{key}.open"] = words.listed(words.named(c) for c, pair in ours.items() if not pair.decided())
        for row in STANDARD:
            said[f"{key}.{row}"] = _table(pairs, name, row)
        same = [agrees(pair, PUBLISHED[name].win_rate[pair.row, pair.column]) for pair in _row(pairs, name).values()]
        said[f"{key}.agree"], said[f"{key}.cells"] = str(sum(same)), str(len(same))
    return said


def _row(pairs: Pairs, name: str) -> dict[tuple[str, str], Pair]:
    """The comparisons of an experiment that the paper prints, too."""
    printed = PUBLISHED[_base(name)].win_rate
    return {key: pairs[(name, *key)] for key in printed if (name, *key) in pairs}


def _base(name: str) -> str:
    return name.removesuffix(UNEQUAL).removesuffix(PRICED)


def agrees(pair: Pair, printed: float) -> bool:
    """Do the intervals of both win-rates overlap?"""
    return agree(pair.found.win_share * pair.found.n, pair.found.n, printed)


def agree(wins: float, n: int, printed: float) -> bool:
    """The same for a number of wins among n seeds. The paper has 20."""
    ours, theirs = share(wins, n), share(printed * PRINTED_SEEDS, PRINTED_SEEDS)
    return ours.low <= theirs.high and theirs.low <= ours.high


def _table(pairs: Pairs, name: str, row: str) -> str:
    published = PUBLISHED[name]
    rows = [
        [
            words.named(column),
            f"{published.win_rate[key]:.2f}",
            f"{pair.found.win_share:.2f}",
            words.interval(pair.found.difference),
            words.interval(pair.found.a12),
            words.p_value(pair.holm),
            words.p_value(pair.found.mann_whitney),
            words.p_value(published.mann_whitney.get(key, float("nan"))),
        ]
        for (of, column), pair in _row(pairs, name).items()
        if (key := (of, column)) and of == row
    ]
    head = [
        f"{words.named(row)} against",
        "paper, win-rate",
        "win share",
        "difference",
        "A12",
        "Wilcoxon, Holm",
        "U test",
        "paper, U",
    ]
    return words.grid(head, rows)


def rejections(results: Results, pairs: Pairs) -> dict[str, str]:
    """How often the U test rejects, in the paper's tables and in ours."""
    printed = [p for published in PUBLISHED.values() for p in published.mann_whitney.values()]
    ours = [
        pairs[(name, *key)].found.mann_whitney
        for name, published in PUBLISHED.items()
        for key in published.mann_whitney
        if (name, *key) in pairs
    ]
    rejected = sum(p < ALPHA for p in ours)
    verdict = Verdict.ABSENT if not ours else unrefuted([1 if rejected >= _ALWAYS * len(ours) else -1])
    return {
        "paper": f"{sum(p < ALPHA for p in printed)} of {len(printed)}",
        "ours": f"{rejected} of {len(ours)}",
        "own": own(unrefuted([1 if sum(p < ALPHA for p in printed) >= _ALWAYS * len(printed) else -1]), ""),
        "always": f"{100 * _ALWAYS:.0f} %",
        "alpha": f"{ALPHA:g}",
        "verdict": worded(verdict, results.seeds(*TABLES.values())),
    }


def price(results: Results, pairs: Pairs) -> dict[str, str]:
    """The tables where suggestions cost nothing, something for all, and something for all but the standard rules."""
    said: dict[str, str] = {}
    for key, name in TABLES.items():
        scenarios = {"for nothing": name, "0.5 s for all": name + PRICED, "0.5 s for the others": name + UNEQUAL}
        for row in STANDARD:
            said[f"{key}.{row}"] = _priced(pairs, name, row, scenarios)
            unequal = [pair for (of, _), pair in _row(pairs, name + UNEQUAL).items() if of == row]
            off = [agrees(pair, PUBLISHED[name].win_rate[pair.row, pair.column]) for pair in unequal]
            gaps = [abs(pair.found.win_share - PUBLISHED[name].win_rate[pair.row, pair.column]) for pair in unequal]
            said[f"{key}.{row}.gap"] = f"{max(gaps):.2f}" if gaps else words.ABSENT
            said[f"{key}.{row}.agree"] = f"{sum(off)} of {len(off)}"
            verdict = Verdict.ABSENT if not off else Verdict.REPRODUCES if all(off) else Verdict.FAILS
            said[f"{key}.{row}.verdict"] = own(verdict, results.seeds(name))
    return said


def _priced(pairs: Pairs, name: str, row: str, scenarios: dict[str, str]) -> str:
    printed = {column: value for (of, column), value in PUBLISHED[name].win_rate.items() if of == row}
    rows = [["the paper", *(f"{value:.2f}" for value in printed.values())]]
    for label, experiment in scenarios.items():
        found = [pairs.get((experiment, row, column)) for column in printed]
        if any(found):
            rows.append([label, *(f"{it.found.win_share:.2f}" if it else words.NOTHING for it in found)])
    return words.grid([f"{words.named(row)} against", *map(words.named, printed)], rows)
