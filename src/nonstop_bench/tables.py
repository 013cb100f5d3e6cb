"""Markdown tables from records: a summary of any experiment, and the paper's tables with its numbers beside ours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from nonstop_bench import records as files
from nonstop_bench import score
from nonstop_bench.presets import PRESETS, PRICED, STANDARD, Preset
from nonstop_bench.published import PUBLISHED, Cells
from nonstop_bench.records import Record

_NOTHING = "–"


def stored(results: Path, name: str) -> list[Record]:
    """The runs of an experiment in the folder; FileNotFoundError if there are none."""
    runs = files.stored(results, name)
    if not runs:
        raise FileNotFoundError(f"no results of {name} in {results}: run it first (nonstop-bench run {name})")
    return runs


def document(results: Path) -> str:
    """Every experiment of the paper that has results in the folder, and the command that makes this text."""
    names = [name for name in PRESETS if name.startswith("paper/") and files.stored(results, name)]
    if not names:
        raise FileNotFoundError(f"no results of any experiment of the paper in {results}")
    return "\n".join([made_by("table --all", results), *(section(results, PRESETS[name]) for name in names)])


def made_by(command: str, results: Path) -> str:
    """An invisible Markdown comment with the command."""
    return f"<!-- nonstop-bench {command} --results {results.as_posix()} -->\n"


def section(results: Path, preset: Preset) -> str:
    """The experiment in Markdown, from its results in the folder."""
    free = files.stored(results, preset.name.removesuffix(PRICED)) if preset.name.endswith(PRICED) else []
    return report(preset, stored(results, preset.name), free)


def report(preset: Preset, records: Sequence[Record], free: Sequence[Record] = ()) -> str:
    """The experiment in Markdown. `free` are the runs of the same experiment without a cost of suggestions."""
    parts = [f"## {preset.name}", _setting(preset, records), summary(records)]
    published = PUBLISHED.get(preset.name.removesuffix(PRICED))
    if published is not None:
        parts += [
            "Win-rate: in what fraction of the seeds the row has the lower regret (in brackets: the paper's).",
            beside(records, published.win_rate, score.win_rate, "{:.2f}"),
            "Mann-Whitney U, p-values, two-sided (in brackets: the paper's).",
            beside(records, published.mann_whitney, score.mann_whitney, "{:.1e}"),
        ]
    if published is not None and free:
        unequal = [run for run in free if run.case.label in STANDARD]
        unequal += [run for run in records if run.case.label not in STANDARD]
        parts += [
            f"Win-rate if only the other rules pay, and {' and '.join(STANDARD)} suggest in no time.",
            beside(unequal, published.win_rate, score.win_rate, "{:.2f}"),
        ]
    return "\n\n".join(parts) + "\n"


def _setting(preset: Preset, records: Sequence[Record]) -> str:
    case = preset.base
    count = len({record.case.seed for record in records})
    seeds = f"{count} seed{'s' if count > 1 else ''}"
    budget = [f"{case.horizon:g} s"] if case.horizon is not None else []
    budget += [f"{case.evaluations} evaluations"] if case.evaluations is not None else []
    overhead = "measured" if case.overhead == "measured" else f"{case.overhead:g} s"
    return (
        f"{preset.about[:1].upper()}{preset.about[1:]}. {case.problem}, {case.mode}, q = {case.q}, "
        f"{', '.join(budget)}, {seeds}, {records[0].initial} initial points, suggestion overhead {overhead}"
        f"{'' if case.guard else ', busy points not replaced'}. Made by {made_by_commits(records)}."
    )


def made_by_commits(records: Sequence[Record]) -> str:
    """The commits of the records in words, the most frequent first."""
    counts = Counter(record.made_by for record in records)
    return ", ".join(f"{name}" if len(counts) == 1 else f"{name} ({n} runs)" for name, n in counts.most_common())


def summary(records: Sequence[Record]) -> str:
    """One row for each rule or peer, the lowest median regret first."""
    groups = score.by_label(records)
    final = {label: [_final(record) for record in group] for label, group in groups.items()}
    rows = [
        [
            label,
            f"{np.median(final[label]):.2f}",
            f"{np.quantile(final[label], 0.25):.2f} to {np.quantile(final[label], 0.75):.2f}",
            _against(groups[label], groups.get("ucb")),
            f"{np.mean([score.evaluations(record) for record in groups[label]]):.0f}",
            milliseconds([score.suggestion_seconds(record) for record in groups[label]]),
            f"{100 * np.mean([score.utilisation(record) for record in groups[label]]):.0f} %",
        ]
        for label in sorted(groups, key=lambda label: (float(np.median(final[label])), label))
    ]
    head = ["rule", "log regret, median", "quartiles", "better than ucb", "evaluations", "suggestion, ms", "evaluating"]
    return markdown(head, rows)


def _final(record: Record) -> float:
    return score.log_regret_at(record, record.case.ends)


def _against(group: Sequence[Record], other: Sequence[Record] | None) -> str:
    if not other or group[0].case.label == other[0].case.label:
        return _NOTHING
    pairs = score.paired(group, other)
    return f"{score.win_rate([_final(a) for a, _ in pairs], [_final(b) for _, b in pairs]):.2f}" if pairs else _NOTHING


def milliseconds(seconds: Sequence[float]) -> str:
    """The median of the finite ones, in milliseconds."""
    known = [value for value in seconds if math.isfinite(value)]
    return f"{1e3 * np.median(known):.1f}" if known else _NOTHING


def beside(
    records: Sequence[Record], cells: Cells, measure: Callable[[Sequence[float], Sequence[float]], float], form: str
) -> str:
    """A table of the paper: our number in each cell, the printed one in brackets."""
    groups = score.by_label(records)
    columns = list(dict.fromkeys(column for _, column in cells))

    def cell(row: str, column: str) -> str:
        printed = cells.get((row, column))
        pairs = score.paired(groups.get(row, ()), groups.get(column, ()))
        if row == column or not pairs:
            return _NOTHING
        ours = form.format(measure([_final(a) for a, _ in pairs], [_final(b) for _, b in pairs]))
        return ours if printed is None else f"{ours} ({form.format(printed)})"

    rows = [[row, *(cell(row, column) for column in columns)] for row in dict.fromkeys(row for row, _ in cells)]
    return markdown(["", *columns], rows)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
