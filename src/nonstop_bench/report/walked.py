"""From the paper's text to its code, one switch at a time: the experiments walk/TASK/STEP."""

from __future__ import annotations

from nonstop_bench.published import PUBLISHED
from nonstop_bench.records import Record
from nonstop_bench.report import words
from nonstop_bench.report.pairs import Pairs
from nonstop_bench.report.results import STANDARD, Results, finals, matched
from nonstop_bench.report.verdicts import Verdict, judged, tally, worded
from nonstop_bench.report.wins import agree
from nonstop_bench.walk import STEPS, WALKERS, at_step


def at(results: Results, task: str) -> dict[str, dict[str, list[Record]]]:
    """For each step that was run, the runs of every rule as they are there."""
    return {
        step.name: {rule: results.runs(at_step(task, step.name, rule)).get(rule, []) for rule in WALKERS}
        for step in STEPS
        if results.runs(f"walk/{task}/{step.name}")
    }


def walk(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """Win-rates at every step beside the paper's, and whether the last one has the paper's tables."""
    said: dict[str, str] = {}
    last = []
    for key, name in (("ackley", "paper/ackley-10-q8"), ("michalewicz", "paper/michalewicz-5-q16")):
        printed = PUBLISHED[name].win_rate
        found = at(results, name.removeprefix("paper/"))
        for row in STANDARD:
            cells = {column: value for (of, column), value in printed.items() if of == row}
            rows = [["the paper", *(f"{value:.2f}" for value in cells.values()), words.NOTHING]] if found else []
            for step, groups in found.items():
                shares = {column: _wins(groups, row, column) for column in cells}
                same = [agree(*won, cells[column]) for column, won in shares.items() if won is not None]
                shown = [words.NOTHING if won is None else f"{won[0] / won[1]:.2f}" for won in shares.values()]
                rows.append([step, *shown, f"{sum(same)} of {len(same)}"])
                if step == STEPS[-1].name:
                    last += [1 if each else -1 for each in same]
            said[f"{key}.{row}"] = words.grid([f"{words.named(row)} against", *map(words.named, cells), "agree"], rows)
    verdict = judged(last) if last else Verdict.ABSENT
    return {**said, "verdict": worded(verdict, "the seeds there are"), "tally": tally(last)}


def _wins(groups: dict[str, list[Record]], row: str, column: str) -> tuple[float, int] | None:
    """How many seeds the row wins, a tie counting half, of how many."""
    a, b = matched(finals(groups.get(row, [])), finals(groups.get(column, [])))
    return (float((a < b).sum() + 0.5 * (a == b).sum()), len(a)) if len(a) else None
