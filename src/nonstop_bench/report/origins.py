"""Which commit each set of results is of, and which results the present code would not make again."""

from __future__ import annotations

from collections import Counter

from nonstop_bench import designed
from nonstop_bench.aged import aged
from nonstop_bench.records import Record
from nonstop_bench.report import words
from nonstop_bench.report.pairs import Pairs
from nonstop_bench.report.results import Results


def origins(results: Results, pairs: Pairs) -> dict[str, str]:  # noqa: ARG001
    """A row for each experiment, and how many of them are of an older code."""
    rows, old = [], aged(results.folder)
    own = [name for name in (designed.NAME, designed.BARE) if results.runs(name)]
    for name in [*results.names(), *own]:
        groups = results.runs(name)
        runs = [run for group in groups.values() for run in group]
        by = f"{made(runs)}: {old[name]}" if name in old else made(runs)
        rows.append([words.task(name), str(len(groups)), results.seeds(name).split(" seed")[0], by])
    return {
        "table": words.grid(["experiment", "rules", "seeds", "made by"], rows),
        "aged": f"{len(old.keys() & {*results.names(), *own})} of {len(rows)}",
    }


def made(runs: list[Record]) -> str:
    """The commits of some runs in words, the most frequent first."""
    counts = Counter(run.made_by for run in runs)
    return ", ".join(name if len(counts) == 1 else f"{name} ({n} runs)" for name, n in counts.most_common())
