"""The effect of a cost of suggestions: final regret without it and with it, for each rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from nonstop_bench import score
from nonstop_bench.figures import curves, wording
from nonstop_bench.figures.canvas import Drawing, legend_below, panels, sheet
from nonstop_bench.figures.results import collect
from nonstop_bench.figures.style import INK, STYLES, TEXT
from nonstop_bench.records import Array, Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

PAIRS: Final = (
    ("paper/ackley-10-q8", "paper/ackley-10-q8-overhead"),
    ("paper/michalewicz-5-q16", "paper/michalewicz-5-q16-overhead"),
)
NEEDS: Final = tuple(name for pair in PAIRS for name in pair)


def overhead(results: Path) -> Drawing:
    """Final regret of every rule, without and with a cost of suggestions."""
    found = collect(results, NEEDS)
    whole = [pair for pair in PAIRS if all(name in found.runs for name in pair)]
    if not whole:
        collect(results, found.absent)  # raises NoResultsError with the missing names
    shown = [(found.runs[free], found.runs[priced]) for free, priced in whole]
    figure = sheet(TEXT, 2.9)
    for axes, (free, priced) in zip(panels(figure, len(shown), 2), shown, strict=True):
        handles = _panel(axes, free, priced)
    legend_below(figure, handles, columns=2)
    drawn = [run for pair in shown for runs in pair for run in runs]
    end = f"{curves.horizon(shown[0][0]):g}"
    caption = (
        f"Natural logarithm of the simple regret at {end} virtual seconds for each rule where suggestions take no "
        f"virtual time (filled) and where each takes {shown[0][1][0].case.overhead} virtual seconds (open), median and "
        f"interquartile range over {wording.seeds(drawn)}{wording.left_out(found.absent)}."
    )
    return Drawing(figure, caption, found.absent)


def _panel(axes: Axes, free: Sequence[Record], priced: Sequence[Record]) -> list[Line2D]:
    """A dumbbell for each rule, the standard rules on top."""
    end = curves.horizon(free)
    before, after = curves.by_rule(free), curves.by_rule(priced)
    rules = [rule for rule in before if rule in after]
    for row, rule in enumerate(rules):
        a, b = _quartiles(before[rule], end), _quartiles(after[rule], end)
        colour = STYLES[rule].colour
        axes.plot([a[1], b[1]], [row - 0.13, row + 0.13], color=colour, linewidth=0.8, zorder=2)
        for quartiles, shift, face in ((a, -0.13, colour), (b, 0.13, "white")):
            axes.hlines(row + shift, quartiles[0], quartiles[2], color=colour, linewidth=2.4, alpha=0.35, zorder=1)
            axes.plot(quartiles[1], row + shift, "o", color=colour, markerfacecolor=face, markersize=4.5, zorder=3)
    axes.set_yticks(range(len(rules)), [STYLES[rule].name for rule in rules])
    axes.set(title=wording.title(free), xlabel=f"log simple regret at {end:g} s", ylim=(len(rules) - 0.4, -0.6))
    axes.grid(axis="y", visible=False)
    return [_handle(axes, INK, "suggestions are free"), _handle(axes, "white", _price(priced))]


def _price(runs: Sequence[Record]) -> str:
    return f"a suggestion costs {runs[0].case.overhead} s"


def _handle(axes: Axes, face: str, label: str) -> Line2D:
    return axes.plot([], [], "o", color=INK, markerfacecolor=face, markersize=4.5, label=label)[0]


def _quartiles(runs: Sequence[Record], end: float) -> Array:
    """Low, median and high log regret."""
    band = score.band(np.array([[score.log_regret_at(run, end)] for run in runs]))
    return np.concatenate([band.low, band.median, band.high])
