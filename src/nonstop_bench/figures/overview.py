"""The paper's first figure: regret, distances, and distances beside the sequential counterparts, on one task."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from nonstop_bench.figures import curves, distances, regret, wording
from nonstop_bench.figures.canvas import Drawing, legend_below, panels, sheet
from nonstop_bench.figures.results import collect
from nonstop_bench.figures.style import TEXT
from nonstop_bench.records import Record

TASK: Final = "paper/ackley-10-q8"
SEQUENTIAL: Final = "paper/ackley-10-sequential"
NEEDS: Final = (TASK, SEQUENTIAL)


def overview(results: Path) -> Drawing:
    """Three panels: regret, distances, and distances beside sequential runs."""
    runs = collect(results, [TASK]).runs[TASK]
    found = collect(results, NEEDS)
    alone = found.runs.get(SEQUENTIAL)
    count = 3 if alone else 2
    figure = sheet(TEXT, 2.75)
    axes = panels(figure, count, count)
    lines = [*regret.panel(axes[0], runs), *distances.panel(axes[1], runs)]
    if alone:
        lines += distances.counterparts(axes[2], runs, alone)
    for number, each, said in zip(("I", "II", "III"), axes, ("regret", "all rules", "standard rules"), strict=False):
        each.set_title(f"({number}) {said}")
    figure.suptitle(wording.title(runs), fontsize=9)
    legend_below(figure, curves.key(lines), columns=6)
    return Drawing(figure, _caption(runs, alone or [], found.absent), found.absent)


def _caption(runs: list[Record], alone: list[Record], absent: tuple[str, ...]) -> str:
    third = (
        " and (III) that distance for the standard rules beside the distance of their sequential counterparts to the "
        f"nearest of the last {alone[0].case.looks_back} queries"
        if alone
        else ""
    )
    seeds = wording.seeds([*runs, *alone])
    return (
        f"{wording.title(runs)}: (I) natural logarithm of the simple regret over virtual time, (II) "
        f"distance in the unit cube from each query to the nearest one that was being evaluated{third}; medians and "
        f"interquartile ranges over {seeds} (in the distances also over {curves.BLOCK} queries at a "
        f"time), where {wording.overhead(runs)}{wording.left_out(absent)}."
    )
