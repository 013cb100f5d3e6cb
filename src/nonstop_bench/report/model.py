"""Lengthscales, workers that wait, and the theory's own experiment."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nonstop_bench import score
from nonstop_bench.records import Record
from nonstop_bench.report import words
from nonstop_bench.report.pairs import Pairs
from nonstop_bench.report.results import PURPOSE_BUILT, STANDARD, Results, chosen, finals, matched
from nonstop_bench.report.verdicts import (
    Measured,
    Verdict,
    above,
    all_above,
    all_within,
    judged,
    own,
    tally,
    unrefuted,
    worded,
)
from nonstop_bench.statistics import Estimate
from nonstop_bench.walk import STEPS, Step, at_step

_TASK = "paper/ackley-10-q8"
#: What "about two orders of magnitude" has to mean, in decades.
_ABOUT = (1.5, 2.5)
_FIRST, _LAST = 5, 40  # fits at the beginning and at the end


def lengthscales(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """By how many decades the mean lengthscale falls, and how much its changes do."""
    rows: list[list[str]] = []
    falls: list[Measured] = []
    calms: list[Measured] = []
    for rule in (*STANDARD, *PURPOSE_BUILT):
        runs = results.runs(_TASK).get(rule, [])
        if not runs:
            continue
        decades, changes = (_fallen(runs, column) for column in ("lengthscale", "change"))
        rows.append([words.named(rule), words.interval(decades.estimate), words.interval(changes.estimate)])
        if rule in STANDARD:
            falls.append(decades)
            calms.append(changes)
    fall, calm = all_within(falls, *_ABOUT), all_above(calms)
    released = [fallen for rule in STANDARD if (fallen := _at(results, STEPS[-1], rule)) is not None]
    seeds = results.seeds(_TASK)
    return {
        "table": words.grid(["rule", "fall of the lengthscale, decades", "fall of its change, decades"], rows),
        "walked": _walked(results),
        "about": f"{_ABOUT[0]:g} to {_ABOUT[1]:g} decades",
        "verdict": worded(judged(fall), seeds),
        "tally": tally(fall),
        "released": worded(
            judged(all_within(released, *_ABOUT)), f"{len(released[0].seeds)} seeds" if released else ""
        ),
        "calm": worded(judged(calm), seeds),
        "calm.tally": tally(calm),
    }


def _walked(results: Results) -> str:
    """By how many decades the lengthscale falls at every step from the text to the published code that changes it."""
    rows = []
    for step in (step for step in STEPS if step is STEPS[0] or set(STANDARD) <= set(step.rules)):
        fallen = [_at(results, step, rule) for rule in STANDARD]
        if any(fallen):
            rows.append([step.name, *(words.NOTHING if it is None else words.interval(it.estimate) for it in fallen)])
    return words.grid(["step", *map(words.named, STANDARD)], rows)


def _at(results: Results, step: Step, rule: str) -> Measured | None:
    """The fall of a rule's lengthscale at a step of the walk; None if that was not run."""
    runs = results.runs(at_step(_TASK.removeprefix("paper/"), step.name, rule)).get(rule, [])
    return _fallen(runs, "lengthscale") if runs else None


def _fallen(runs: Sequence[Record], column: str) -> Measured:
    return Measured.by_median(np.array([_decades(run, column) for run in runs]))


def _decades(run: Record, column: str) -> float:
    values = getattr(run, column)[chosen(run)]
    values = values[np.isfinite(values)]
    if len(values) < _FIRST + _LAST:
        return math.nan
    # A change may be zero, where a fit was used again.
    first, last = (max(float(np.mean(part)), 1e-9) for part in (values[:_FIRST], values[-_LAST:]))
    return math.log10(first / last)


def synchronous(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """What waiting costs: evaluations, and regret."""
    waiting, free = results.runs(f"{_TASK}-synchronous"), results.runs(_TASK)
    rows: list[list[str]] = []
    ratios: list[Measured] = []
    losses: list[Measured] = []
    for rule in STANDARD:
        if rule not in waiting or rule not in free:
            continue
        counts = [{run.case.seed: float(score.evaluations(run)) for run in runs[rule]} for runs in (free, waiting)]
        ratios.append(Measured.by_mean(np.divide(*matched(*counts))))
        losses.append(Measured.by_median(np.subtract(*matched(finals(waiting[rule]), finals(free[rule])))))
        rows.append([words.named(rule), *(words.interval(each[-1].estimate) for each in (ratios, losses))])
    more, lower = all_above(ratios, 1.0), all_above(losses)
    head = ["rule", "evaluations, not waiting over waiting", "log regret, waiting minus not waiting"]
    return {
        "table": words.grid(head, rows),
        "more": worded(judged(more), results.seeds(_TASK)),
        "tally": tally(more),
        "lower": worded(judged(lower), results.seeds(_TASK)),
    }


def theory(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """The bounds beside each other, and measured regret of functions from the prior."""
    path = results.folder / "theory.json"
    studies: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["studies"] if path.is_file() else []
    rows, equal, below, vacuous = [], [], [], []
    for study in studies:
        curves = study["bounds"]["curves"]
        equal.append(abs(curves["asynchronous UCB"][-1] / curves["asynchronous Thompson"][-1] - 1.0))
        n = study["setting"]["evaluations"]
        ucb, ts = (_end(study, name) for name in ("asynchronous UCB, beta of the theory", "asynchronous Thompson"))
        two = _end(study, "asynchronous UCB, beta = 2")
        below.append(-above(_minus(ts, ucb)))
        at = int(np.argmin(np.abs(np.array(study["bounds"]["n"]) - n)))
        vacuous.append(curves["asynchronous UCB"][at] > study["blind"])
        rows.append(
            [
                f"d = {study['setting']['d']}",
                str(n),
                *(_error(each) for each in (ucb, two, ts, _end(study, "sequential Thompson"))),
                f"{ucb[0] / ts[0]:.3g}",
                f"{two[0] / ts[0]:.3g}",
                f"{curves['asynchronous UCB'][at]:.2f}",
            ]
        )
    head = [
        "",
        "n",
        "UCB, theory's beta",
        "UCB, beta = 2",
        "TS",
        "TS, sequential",
        "UCB / TS",
        "UCB (2) / TS",
        "bound of UCB",
    ]
    guarantee = Verdict.ABSENT if not equal else unrefuted([1 if off < 0.01 else -1 for off in equal])
    functions = f"{studies[0]['setting']['functions']} functions" if studies else "no functions"
    return {
        "table": words.grid(head, rows),
        "equal": f"{100 * max(equal):.2f} %" if equal else words.ABSENT,
        "vacuous": f"{sum(vacuous)} of {len(vacuous)}",
        "functions": functions,
        "guarantee": worded(guarantee, functions),
        "tally": tally(1 if off < 0.01 else -1 for off in equal),
        "below.tally": tally(below),
        "below": own(judged(below), functions),
    }


def _end(study: dict[str, Any], name: str) -> tuple[float, float]:
    measured = study["measured"][name]
    return measured["mean"][-1], measured["error"][-1]


def _minus(a: tuple[float, float], b: tuple[float, float]) -> Estimate:
    """A difference of means with its normal interval (the functions are the same, so this is wider than need be)."""
    value, error = a[0] - b[0], math.hypot(a[1], b[1])
    return Estimate(value, value - 1.96 * error, value + 1.96 * error)


def _error(number: tuple[float, float]) -> str:
    return f"{number[0]:.2g} ± {number[1]:.1g}"
