"""How far queries are from where the other workers are: Delta of asynchronous runs, and Delta_seq of sequential ones.

Delta is the distance in the unit cube from a query to the nearest point being evaluated when it was chosen; Delta_seq
that of a sequential query to the nearest of the q - 1 queries before it (the paper's section 5.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nonstop_bench.figures import curves, wording
from nonstop_bench.figures.canvas import Drawing, label_outside, legend_below, note, panels, sheet
from nonstop_bench.figures.results import Found, collect
from nonstop_bench.figures.style import SEQUENTIAL, STYLES, TEXT
from nonstop_bench.records import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

#: Asynchronous experiments and their sequential counterparts.
PAIRS: Final = (
    ("paper/ackley-10-q8", "paper/ackley-10-sequential"),
    ("paper/hartmann-6-q8", "paper/hartmann-6-sequential"),
)
BOTH_WAYS: Final = tuple(name for pair in PAIRS for name in pair)
SYNTHETIC: Final = (
    "paper/michalewicz-5-q16",
    "paper/hartmann-6-q4",
    "paper/egg-holder-q4",
    "paper/rosenbrock-4-q4",
    "paper/powell-20-q8",
    "paper/ackley-20-q8",
)
REAL: Final = ("paper/pest-control-q4", "paper/xgboost-300-q4", "paper/pest-control-q8", "paper/xgboost-300-q8")

DELTA: Final = r"distance to busy, $\Delta$"
BOTH: Final = r"$\Delta$ and $\Delta_{seq}$"
QUERIES: Final = "Distance in the unit cube from each query to the nearest one that was being evaluated"
BETWEEN: Final = "in sequential runs: to the nearest of the last few queries, as many as would have been busy"


def pairs(results: Path) -> Drawing:
    """A row for each task: all rules, and the standard ones beside their sequential counterparts."""
    collect(results, [name for name, _ in PAIRS])  # or there is nothing to compare with
    found = collect(results, BOTH_WAYS)
    shown = [(found.runs[name], found.runs.get(alone, [])) for name, alone in PAIRS if name in found.runs]
    count = sum(2 if alone else 1 for _, alone in shown)
    figure = sheet(TEXT, 2.0 * -(-count // 2) + 0.6)
    axes, lines = iter(panels(figure, count, 2)), []
    for runs, alone in shown:
        lines += panel(next(axes), runs)
        if alone:
            lines += counterparts(next(axes), runs, alone)
    legend_below(figure, curves.key(lines), columns=6)
    drawn = [run for pair in shown for runs in pair for run in runs]
    return Drawing(figure, _caption(drawn, found.absent, f"{QUERIES} ({BETWEEN})"), found.absent)


def synthetic(results: Path) -> Drawing:
    """Distances on the synthetic tasks."""
    return _multiples(collect(results, SYNTHETIC), columns=3)


def real(results: Path) -> Drawing:
    """Distances on the real tasks."""
    return _multiples(collect(results, REAL), columns=2)


def _multiples(found: Found, columns: int) -> Drawing:
    figure = sheet(TEXT, 1.75 * -(-len(found.runs) // columns) + 0.55)
    axes = panels(figure, len(found.runs), columns)
    lines = [line for each, runs in zip(axes, found.runs.values(), strict=True) for line in panel(each, runs)]
    label_outside(axes, columns)
    legend_below(figure, curves.key(lines), columns=5)
    return Drawing(figure, _caption(found.together(), found.absent, QUERIES), found.absent)


def panel(axes: Axes, runs: Sequence[Record]) -> list[Line2D]:
    """Delta of every rule."""
    groups = curves.by_rule(runs)
    lines = _lines(axes, groups)
    axes.set(title=wording.title(runs), xlabel=curves.QUERY, ylabel=DELTA, xlim=(0.0, None), ylim=(0.0, None))
    note(axes, wording.seeds(runs))
    return lines


def counterparts(axes: Axes, asynchronous: Sequence[Record], sequential: Sequence[Record]) -> list[Line2D]:
    """Delta of the rules that also ran sequentially, and their Delta_seq, as far as the first goes."""
    alone = curves.by_rule(sequential)
    groups = {rule: runs for rule, runs in curves.by_rule(asynchronous).items() if rule in alone}
    lines = _lines(axes, groups)
    shown = max(float(line.get_xdata()[-1]) for line in lines)  # type: ignore[index,arg-type]
    for rule, runs in alone.items():
        curve = curves.over_iterations(runs, "recent")
        if curve is not None:
            name = f"{STYLES[rule].name}, sequential"
            lines.append(curves.draw(axes, curve, rule, dashes=SEQUENTIAL, label=name))
    axes.set(title=wording.title(asynchronous), xlabel=curves.QUERY, ylabel=BOTH, xlim=(0.0, shown), ylim=(0.0, None))
    note(axes, wording.seeds([*(run for runs in groups.values() for run in runs), *sequential]))
    return lines


def _lines(axes: Axes, groups: dict[str, list[Record]]) -> list[Line2D]:
    found = {rule: curves.over_iterations(runs, "delta") for rule, runs in groups.items()}
    return [curves.draw(axes, curve, rule) for rule, curve in found.items() if curve is not None]


def _caption(runs: Sequence[Record], absent: Sequence[str], what: str) -> str:
    return (
        f"{what}, median and interquartile range over {wording.seeds(runs)} and {curves.BLOCK} queries at a time, by "
        f"the number of the query after the initial data, where {wording.overhead(runs)}{wording.left_out(absent)}."
    )
