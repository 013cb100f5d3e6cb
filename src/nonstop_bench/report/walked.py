"""From the paper's text to its code, one switch at a time: the experiments walk/TASK/STEP."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import numpy as np

from nonstop_bench import score
from nonstop_bench.published import PUBLISHED
from nonstop_bench.records import Record
from nonstop_bench.report import words
from nonstop_bench.report.pairs import Pairs
from nonstop_bench.report.results import STANDARD, Results, finals, matched
from nonstop_bench.report.verdicts import Measured, all_above, judged, tally, worded
from nonstop_bench.report.wins import TABLES, agree
from nonstop_bench.walk import STEPS, WALKERS, at_step

_MARKS: Final = {1: " ↑", -1: " ↓", 0: ""}


def at(results: Results, task: str) -> dict[str, dict[str, list[Record]]]:
    """For each step that was run, the runs of every rule as they are there."""
    return {
        step.name: {rule: results.runs(at_step(task, step.name, rule)).get(rule, []) for rule in WALKERS}
        for step in STEPS
        if results.runs(f"walk/{task}/{step.name}")
    }


def walk(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """Win-rates at every step beside the paper's; what each step changes; whether the last has the paper's tables."""
    said: dict[str, str] = {}
    last: list[int] = []
    for key, name in TABLES.items():
        decisions: dict[str, list[int]] = {}
        printed = PUBLISHED[name].win_rate
        found = at(results, name.removeprefix("paper/"))
        for row in STANDARD:
            cells = {column: value for (of, column), value in printed.items() if of == row}
            rows = [["the paper", *(f"{value:.2f}" for value in cells.values()), *[words.NOTHING] * 2]] if found else []
            for step, groups in found.items():
                shown, same = _beside(groups, row, cells)
                rows.append([step, *shown])
                decisions.setdefault(step, []).extend(same)
            head = [f"{words.named(row)} against", *map(words.named, cells), "agree", "off"]
            said[f"{key}.{row}"] = words.grid(head, rows)
        said[f"{key}.changes"] = _changes(results, name.removeprefix("paper/"))
        ends = [(step.name, decisions.get(step.name, [])) for step in (STEPS[0], STEPS[-1])]
        said[f"{key}.agree"] = ", ".join(f"{step} {_of(same)}" for step, same in ends if same) or words.ABSENT
        said[f"{key}.seeds"] = results.seeds(f"walk/{name.removeprefix('paper/')}/{STEPS[-1].name}")
        last += ends[-1][1]
    return {
        **said,
        "verdict": worded(judged(last), "the seeds there are"),
        "tally": tally(last),
        "seconds": _seconds(results),
    }


def _of(decisions: list[int]) -> str:
    return f"{sum(each > 0 for each in decisions)} of {len(decisions)}"


def _beside(groups: Mapping[str, list[Record]], row: str, printed: Mapping[str, float]) -> tuple[list[str], list[int]]:
    """The win-rates of a rule against others beside the printed ones, as cells of a table; and for each that was run: 1
    if it agrees, or else -1."""
    won = {column: _wins(groups, row, column) for column in printed}
    there = {column: wins for column, wins in won.items() if wins is not None}
    same = [agree(*wins, printed[column]) for column, wins in there.items()]
    off = [abs(wins / n - printed[column]) for column, (wins, n) in there.items()]
    shares = [words.NOTHING if wins is None else f"{wins[0] / wins[1]:.2f}" for wins in won.values()]
    mean = f"{np.mean(off):.2f}" if off else words.NOTHING
    return [*shares, f"{sum(same)} of {len(same)}", mean], [1 if each else -1 for each in same]


def _wins(groups: Mapping[str, list[Record]], row: str, column: str) -> tuple[float, int] | None:
    """How many seeds the row wins, a tie counting half, of how many."""
    a, b = matched(finals(groups.get(row, [])), finals(groups.get(column, [])))
    return (float((a < b).sum() + 0.5 * (a == b).sum()), len(a)) if len(a) else None


def _changes(results: Results, task: str) -> str:
    """The median log regret of each rule at every step that changed it, marked where it is decided to have moved since
    the step before; the family of Holm's correction is all moves on the task."""
    paths = {rule: _path(results, task, rule) for rule in WALKERS}
    moves = [
        (rule, after, Measured.by_median(np.subtract(*matched(path[after], path[before]))))
        for rule, path in paths.items()
        for before, after in pairwise(path)
        if path[before].keys() & path[after].keys()
    ]
    sides = all_above([move for _, _, move in moves])
    decided = {(rule, after): side for (rule, after, _), side in zip(moves, sides, strict=True)}

    def cell(step: str, rule: str) -> str:
        logs = paths[rule].get(step)
        return f"{words.median(logs)}{_MARKS[decided.get((rule, step), 0)]}" if logs else ""

    rows = [[step.name, *(cell(step.name, rule) for rule in WALKERS)] for step in STEPS]
    return words.grid(["median log regret", *map(words.named, WALKERS)], [row for row in rows if any(row[1:])])


def _path(results: Results, task: str, rule: str) -> dict[str, dict[int, float]]:
    """The log regret of every seed of a rule, at the first step and at those that changed it, if they were run."""
    steps = [step.name for step in STEPS if step is STEPS[0] or rule in step.rules]
    found = {step: finals(results.runs(at_step(task, step, rule)).get(rule, [])) for step in steps}
    return {step: logs for step, logs in found.items() if logs}


def _seconds(results: Results) -> str:
    """What a suggestion costs at the last step, in milliseconds of the processor: the median over runs."""
    rows = []
    for name in TABLES.values():
        groups = results.runs(f"walk/{name.removeprefix('paper/')}/{STEPS[-1].name}")
        if groups:
            medians = {rule: [score.suggestion_seconds(run) for run in groups.get(rule, [])] for rule in WALKERS}
            usual = [1000 * float(np.median(each)) if each else math.nan for each in medians.values()]
            rows.append([words.task(name), *(words.NOTHING if math.isnan(ms) else f"{ms:.2g}" for ms in usual)])
    return words.grid(["a suggestion, ms", *map(words.named, WALKERS)], rows)
