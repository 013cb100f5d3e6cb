"""Where queries are: at busy points, next to them, as far from them as sequential optimisation would be.

Shares are means over seeds of the share in each run, with intervals over seeds: queries of one run are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from nonstop_bench.records import Array, Record
from nonstop_bench.report import words
from nonstop_bench.report.pairs import Pairs
from nonstop_bench.report.results import PURPOSE_BUILT, STANDARD, TASKS, Results, chosen, matched
from nonstop_bench.report.verdicts import Measured, all_above, all_within, judged, tally, worded
from nonstop_bench.statistics import Estimate

#: A query nearer than this to a busy point repeats it: proposals are exact to about so much.
SAME: Final = 1e-6
NEAR: Final = 0.001
CLOSE: Final = 0.01
#: What "does not" and "rarely" have to mean: at most so large a share of the queries.
NEVER, RARELY = 0.01, 0.05
#: By which factor distances may differ and still match "very closely".
ALIKE: Final = 1.5
_FLOOR = 1e-6  # distances below count as this in logarithms
UNGUARDED: Final = "-unguarded"


def share_of(runs: Sequence[Record], hit: Callable[[Record], Array]) -> Measured | None:
    """The share of hits (1, 0, NaN: no answer) among the queries that the rule chose."""
    rows = [hit(run)[chosen(run)] for run in runs]
    shares = [float(np.nanmean(row)) for row in rows if np.isfinite(row).any()]
    return Measured.by_mean(np.array(shares)) if shares else None


def nearer(bound: float, column: str = "delta") -> Callable[[Record], Array]:
    """Is the query (or what the rule chose first) nearer than this to a busy point?"""

    def hit(run: Record) -> Array:
        found = getattr(run, column)
        distances = np.full(len(run.delta), np.nan) if found is None else found
        return np.where(np.isnan(distances), np.nan, distances < bound)

    return hit


def taken(run: Record) -> Array:
    """Was the rule's first choice a taken point, so that the guard had to act?"""
    return np.full(len(run.delta), np.nan) if run.repeated is None else np.where(run.repeated > 0, 1.0, 0.0)


def repeats(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """Repeated queries, with the guard and without it, and queries close to busy points."""
    rows: list[list[str]] = []
    at: list[Measured] = []
    close: list[Measured] = []
    for name in TASKS:
        for rule in (*STANDARD, "kb-ucb"):
            guarded, bare = results.runs(name).get(rule, []), results.runs(name + UNGUARDED).get(rule, [])
            found = (
                share_of(guarded, taken),
                share_of(bare, nearer(SAME)),
                share_of(bare, nearer(NEAR)),
                share_of(guarded, nearer(NEAR)),
                share_of(guarded, nearer(CLOSE)),
            )
            if not any(found):
                continue
            rows.append([words.task(name), words.named(rule), *(_percent(each) for each in found)])
            if rule in STANDARD:
                exact = found[1] or found[0]
                at += [] if exact is None else [exact]
                close += [] if found[4] is None else [found[4]]
    never, rarely = (
        [-decision for decision in all_above(family, bound)] for family, bound in ((at, NEVER), (close, RARELY))
    )
    head = ["task", "rule", "first choice taken", "repeated, no guard", f"within {NEAR:g}, no guard"]
    seeds = results.seeds(*(name for name in TASKS if results.runs(name)))
    return {
        "table": words.grid([*head, f"within {NEAR:g}", f"within {CLOSE:g}"], rows),
        "never": f"{100 * NEVER:.0f} %",
        "rarely": f"{100 * RARELY:.0f} %",
        "close": f"{CLOSE:g}",
        "near": f"{NEAR:g}",
        "at.verdict": worded(judged(never), seeds),
        "at.tally": tally(never),
        "close.verdict": worded(judged(rarely), seeds),
        "close.tally": tally(rarely),
    }


def _percent(share: Measured | None) -> str:
    return words.NOTHING if share is None else words.percent(share.estimate)


def transition(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """Do distances to busy points fall from the first third of a run to the last?"""
    rows: list[list[str]] = []
    falls: dict[str, list[Measured]] = {rule: [] for rule in STANDARD}
    for name in TASKS:
        for rule in STANDARD:
            runs = results.runs(name).get(rule, [])
            if runs:
                fall = Measured.by_median(np.array([_third(run, 0) - _third(run, 2) for run in runs]))
                falls[rule].append(fall)
                rows.append([words.task(name), words.named(rule), _factor(fall.estimate)])
    decisions = {rule: all_above(family) for rule, family in falls.items()}
    seeds = results.seeds(*(name for name in TASKS if results.runs(name)))
    return {
        "table": words.grid(["task", "rule", "first third over last third"], rows),
        "verdict": worded(judged(decisions["ucb"]), seeds),
        "tally": tally(decisions["ucb"]),
        "ucb": _count(decisions["ucb"]),
        "logei": _count(decisions["logei"]),
    }


def _count(decisions: list[int]) -> str:
    return f"{sum(d > 0 for d in decisions)} of {len(decisions)}"


def _third(run: Record, part: int) -> float:
    """The log of the median distance in a third of the queries that the rule chose."""
    return _log_median(np.array_split(run.delta[chosen(run)], 3)[part])


def _log_median(distances: Array) -> float:
    return math.log(max(float(np.nanmedian(distances)), _FLOOR)) if np.isfinite(distances).any() else math.nan


def _factor(logs: Estimate) -> str:
    """An estimate of logarithms, as factors."""
    if math.isinf(logs.high):
        return _short(logs.value)
    return f"{_short(logs.value)} [{_short(logs.low)}, {_short(logs.high)}]"


def _short(log: float) -> str:
    if math.isnan(log):
        return words.NOTHING
    return f"{math.exp(log):.3g}"


def sequential(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """Asynchronous distances over sequential ones, seed by seed, and the regret after as many evaluations."""
    rows: list[list[str]] = []
    ratios: list[Measured] = []
    for name in TASKS:
        for rule in STANDARD:
            runs, alone = results.runs(name).get(rule, []), _alone(results, name, rule)
            a, b = matched(
                {run.case.seed: _log_median(run.delta[chosen(run)]) for run in runs},
                {run.case.seed: _log_median(run.recent[chosen(run)]) for run in alone},
            )
            if len(a):
                ratios.append(Measured.by_median(a - b))
                rows.append([words.task(name), words.named(rule), _factor(ratios[-1].estimate)])
    decisions = all_within(ratios, -math.log(ALIKE), math.log(ALIKE))
    seeds = results.seeds(*(name for name in TASKS if results.runs(name)))
    return {
        "table": words.grid(["task", "rule", "asynchronous over sequential distance"], rows),
        "alike": f"{ALIKE:g}",
        "tally": tally(decisions),
        "verdict": worded(judged(decisions), seeds),
    }


def _alone(results: Results, name: str, rule: str) -> list[Record]:
    """The sequential runs whose distances go back as far as this experiment has busy points."""
    runs = results.runs(name).get(rule, [])
    if not runs:
        return []
    case = runs[0].case
    sequential = results.runs(f"paper/{case.problem}-sequential").get(rule, [])
    return [run for run in sequential if run.case.looks_back == case.looks_back]


def further(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """Do the purpose-built rules query further from busy points than UCB?"""
    rows: list[list[str]] = []
    family: list[Measured] = []
    for name in TASKS:
        groups = results.runs(name)
        if "ucb" not in groups:
            continue
        of = {
            rule: {run.case.seed: _log_median(run.delta[chosen(run)]) for run in runs} for rule, runs in groups.items()
        }
        ratios = {
            rule: Measured.by_median(np.subtract(*matched(of[rule], of["ucb"]))) for rule in PURPOSE_BUILT if rule in of
        }
        family += ratios.values()
        cells = [_short(ratios[rule].estimate.value) if rule in ratios else words.NOTHING for rule in PURPOSE_BUILT]
        rows.append([words.task(name), *cells])
    decisions = all_above(family)
    seeds = results.seeds(*(name for name in TASKS if results.runs(name)))
    return {
        "table": words.grid(["task", *map(words.named, PURPOSE_BUILT)], rows),
        "tally": tally(decisions),
        "verdict": worded(judged(decisions), seeds),
    }
