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
from nonstop_bench.report.queries import share_of, taken
from nonstop_bench.report.results import Results
from nonstop_bench.report.verdicts import above
from nonstop_bench.statistics import Estimate, mean

_LEAST = 1e-3
_INNER = ("ucb", "logei")


def response(run: Record) -> float:
    """The mean log regret at the ends of the evaluations that had a model behind them."""
    ends = np.sort(run.finished[run.initial :][np.isfinite(run.finished[run.initial :])])[run.case.q - 1 :]
    return float(np.mean(np.log(np.maximum(score.regret_curve(run, ends), _LEAST))))


@dataclass(frozen=True, slots=True)
class Contender:
    """A rule in the designed experiment, or in that without the guard."""

    rule: str
    experiment: str = designed.NAME

    @property
    def name(self) -> str:
        """In print."""
        return f"{words.named(self.rule)}{', no guard' if self.experiment == designed.BARE else ''}"


def comparisons() -> list[tuple[Contender, Contender]]:
    """Plain against believing, with the guard of every study and without it."""
    firsts = [Contender(inner, experiment) for inner in _INNER for experiment in (designed.NAME, designed.BARE)]
    return [(first, Contender(f"kb-{first.rule}")) for first in firsts]


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


def differences(results: Results, first: Contender, other: Contender) -> Differences | None:
    """D of two contenders, over the seeds that all cells have; None if there are none."""
    one, two = (_responses(results, contender) for contender in (first, other))
    both = one.keys() & two.keys()
    seeds = sorted(set.intersection(*({seed for case, seed in both if case == cell} for cell in designed.CELLS)))
    if not seeds:
        return None
    rows = [[one[cell, seed] - two[cell, seed] for seed in seeds] for cell in designed.CELLS]
    return Differences(np.array(rows), np.array([levels_of(cell) for cell in designed.CELLS], dtype=np.float64))


def _responses(results: Results, contender: Contender) -> dict[tuple[Case, int], float]:
    """By the cell, as the design lists it, and the seed."""
    runs = results.runs(contender.experiment).get(contender.rule, [])
    return {(designed.case_of(levels_of(run.case)), run.case.seed): response(run) for run in runs}


def experiment(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """The tables of effects and levels, the adaptive rule, and the rule of thumb."""
    return {
        "seeds": results.seeds(designed.NAME),
        "cells": str(len(designed.CELLS)),
        "evaluations": str(designed.EVALUATIONS),
        "effects": _effects(results),
        "adaptive": _adaptive(results),
        "firings": _firings(results),
        "thumb": _thumb(results),
        "factors": words.grid(["factor", "low", "high"], [[f.name, f.low, f.high] for f in FACTORS]),
    }


def _effects(results: Results) -> str:
    rows = []
    for first, other in comparisons():
        found = differences(results, first, other)
        if found is not None:
            pair = f"{first.name} – {other.name}"
            rows.append([pair, "all cells", "", words.interval(found.overall())])
            for i, factor in enumerate(FACTORS):
                levels = f"{words.signed(found.where(i, False).value)}, {words.signed(found.where(i, True).value)}"
                rows.append([pair, factor.name, levels, words.interval(found.effect(i))])
    return words.grid(["D", "factor", "mean where low, high", "effect"], rows)


def _adaptive(results: Results) -> str:
    rows = []
    for inner in _INNER:
        plain, bare = Contender(inner), Contender(inner, designed.BARE)
        believing, adaptive = Contender(f"kb-{inner}"), Contender(f"adaptive-{inner}")
        for first, other in (
            (bare, plain),
            (bare, believing),
            (bare, adaptive),
            (plain, believing),
            (plain, adaptive),
            (believing, adaptive),
        ):
            found = differences(results, first, other)
            if found is not None:
                each = [above(mean(row)) for row in found.D]
                decided = f"{sum(d > 0 for d in each)}, {sum(d < 0 for d in each)}"
                rows.append([first.name, other.name, words.interval(found.overall(), 3), decided])
    return words.grid(["first", "other", "mean of D", "cells with D > 0, with D < 0"], rows)


def _firings(results: Results) -> str:
    """How often the first choice of a plain rule was a taken point, at each level of each factor."""
    rows = []
    for i, factor in enumerate(FACTORS):
        for high in (False, True):
            cells = [
                [run for run in results.runs(designed.NAME).get(inner, []) if levels_of(run.case)[i] == high]
                for inner in _INNER
            ]
            shares = [share_of(runs, taken) for runs in cells]
            if all(shares):
                level = factor.high if high else factor.low
                rows.append(
                    [factor.name, level, *(words.percent(each.estimate) for each in shares if each is not None)]
                )
    return words.grid(["factor", "level", *map(words.named, _INNER)], rows)


def _thumb(results: Results) -> str:
    """Where believing is better, and where the plain rule is, in a few sentences for each comparison."""
    said = []
    for first, other in comparisons():
        found = differences(results, first, other)
        if found is None:
            continue
        levels = {
            f"{factor.name} {factor.high if high else factor.low}": above(found.where(i, high))
            for i, factor in enumerate(FACTORS)
            for high in (False, True)
        }
        overall = {1: "better", -1: "worse", 0: "not decided to be better or worse"}[above(found.overall())]
        matters = [factor.name for i, factor in enumerate(FACTORS) if above(found.effect(i))]
        better, worse = ([level for level, d in levels.items() if d == sign] for sign in (1, -1))
        said.append(
            f"- {other.name} against {first.name}: {overall} over all cells. Decided better with "
            f"{words.listed(better, 'no level of any factor')}; decided worse with {words.listed(worse, 'none')}. "
            f"Factors whose effect is decided: {words.listed(matters)}."
        )
    return "\n".join(said) or words.ABSENT
