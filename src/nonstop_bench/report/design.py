"""The designed experiment, analysed: what each factor does to the advantage of believing.

The response is the mean, over the evaluations after those that started the workers, of the log regret, regrets below a
thousandth counting as a thousandth: it says how fast a run gets there, and does not care how close to zero it ends. D
is that of the plain rule minus that of another on the same cell and seed: D > 0 speaks against the plain rule. The
effect of a factor is the mean of D over the cells where it is high, minus that where it is low. Intervals are
bootstraps over seeds, all cells of a seed drawn together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nonstop_bench import designed, score
from nonstop_bench.case import Case
from nonstop_bench.designed import FACTORS, levels_of
from nonstop_bench.records import Array, Record
from nonstop_bench.report import words
from nonstop_bench.report.pairs import Pairs
from nonstop_bench.report.results import Results
from nonstop_bench.report.verdicts import above
from nonstop_bench.statistics import Estimate, mean

_LEAST = 1e-3
_INNER = ("ucb", "logei")


def response(run: Record) -> float:
    """The mean log regret over the evaluations that had a model behind them."""
    last = score.evaluations(run)
    regrets = [score.regret_after(run, n) for n in range(run.case.q, last + 1)]
    return float(np.mean(np.log(np.maximum(regrets, _LEAST))))


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """D (cells, seeds) of two rules, and the levels (cells, factors) of the cells."""

    D: Array
    high: Array

    def where(self, factor: int, high: bool) -> Estimate:
        """The mean of D over the cells where a factor is high, or low."""
        return mean(self.D[self.high[:, factor] == high].mean(axis=0))

    def effect(self, factor: int) -> Estimate:
        """The effect of a factor."""
        up, down = (self.D[self.high[:, factor] == level].mean(axis=0) for level in (True, False))
        return mean(up - down)

    def overall(self) -> Estimate:
        """The mean of D over all cells."""
        return mean(self.D.mean(axis=0))


def differences(results: Results, first: str, other: str) -> Differences | None:
    """D of two rules, over the seeds that all cells have; None if there are none."""
    found = {
        rule: {(run.case.by("ucb"), run.case.seed): run for run in results.runs(designed.NAME).get(rule, [])}
        for rule in (first, other)
    }
    keys = found[first].keys() & found[other].keys()
    cells = [cell for cell in designed.CELLS if any(_plain(case) == cell for case, _ in keys)]
    if len(cells) < len(designed.CELLS):
        return None
    by = {rule: {(_plain(case), seed): run for (case, seed), run in runs.items()} for rule, runs in found.items()}
    both = by[first].keys() & by[other].keys()
    seeds = sorted(set.intersection(*({seed for case, seed in both if case == cell} for cell in cells)))
    if not seeds:
        return None
    rows = [[response(by[first][c, s]) - response(by[other][c, s]) for s in seeds] for c in cells]
    return Differences(np.array(rows), np.array([levels_of(cell) for cell in cells], dtype=np.float64))


def _plain(case: Case) -> Case:
    """The case as the design lists it: of no seed and no rule."""
    return designed.case_of(levels_of(case))


def experiment(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """The tables of effects and levels, the adaptive rule, and the rule of thumb."""
    return {
        "seeds": results.seeds(designed.NAME),
        "cells": str(len(designed.CELLS)),
        "evaluations": str(designed.EVALUATIONS),
        "effects": _effects(results),
        "adaptive": _adaptive(results),
        "thumb": _thumb(results),
        "factors": words.grid(["factor", "low", "high"], [[f.name, f.low, f.high] for f in FACTORS]),
    }


def _effects(results: Results) -> str:
    rows = []
    for inner in _INNER:
        found = differences(results, inner, f"kb-{inner}")
        if found is not None:
            pair = f"{words.named(inner)} – {words.named(f'kb-{inner}')}"
            rows.append([pair, "all cells", "", words.interval(found.overall())])
            for i, factor in enumerate(FACTORS):
                levels = f"{words.signed(found.where(i, False).value)}, {words.signed(found.where(i, True).value)}"
                rows.append([pair, factor.name, levels, words.interval(found.effect(i))])
    return words.grid(["D", "factor", "mean where low, high", "effect"], rows)


def _adaptive(results: Results) -> str:
    rows = []
    for inner in _INNER:
        for first, other in (
            (inner, f"kb-{inner}"),
            (inner, f"adaptive-{inner}"),
            (f"kb-{inner}", f"adaptive-{inner}"),
        ):
            found = differences(results, first, other)
            if found is not None:
                each = [above(mean(row)) for row in found.D]
                decided = f"{sum(d > 0 for d in each)}, {sum(d < 0 for d in each)}"
                rows.append([words.named(first), words.named(other), words.interval(found.overall(), 3), decided])
    return words.grid(["first", "other", "mean of D", "cells with D > 0, with D < 0"], rows)


def _thumb(results: Results) -> str:
    """Where believing is better, where the plain rule is, in a sentence for each."""
    said = []
    for inner in _INNER:
        found = differences(results, inner, f"kb-{inner}")
        if found is None:
            continue
        levels = {
            f"{factor.name} {factor.high if high else factor.low}": above(found.where(i, high))
            for i, factor in enumerate(FACTORS)
            for high in (False, True)
        }
        overall = {1: "better", -1: "worse", 0: "no different"}[above(found.overall())]
        matters = [factor.name for i, factor in enumerate(FACTORS) if above(found.effect(i))]
        better, worse = ([level for level, d in levels.items() if d == sign] for sign in (1, -1))
        said.append(
            f"For {words.named(inner)}, believing is {overall} over all cells. It is better with "
            f"{words.listed(better, 'no level of any factor')}, and worse with {words.listed(worse)}. "
            f"Factors whose effect is decided: {words.listed(matters)}."
        )
    return " ".join(said) or words.ABSENT
