"""Fitted lengthscales, and how fast they change (the paper's section 4.2)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from nonstop_bench.figures import curves, wording
from nonstop_bench.figures.canvas import Drawing, legend_below, log_axis, note, panels, sheet
from nonstop_bench.figures.curves import QUERY, Column
from nonstop_bench.figures.results import collect
from nonstop_bench.figures.style import COLUMN
from nonstop_bench.records import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

TASK: Final = "paper/ackley-10-q8"
_BELOW = 0.1  # of the least median: where the axis ends


def lengthscales(results: Path) -> Drawing:
    """Mean lengthscale and its mean change over the queries."""
    runs = collect(results, [TASK]).runs[TASK]
    groups = curves.by_rule(runs)
    figure = sheet(COLUMN, 4.1)
    top, bottom = panels(figure, 2, 1)
    lines = [*_panel(top, groups, "lengthscale"), *_panel(bottom, groups, "change")]
    top.set(title=wording.title(runs), ylabel=r"mean lengthscale, $\overline{\ell_n}$")
    bottom.set(xlabel=QUERY, ylabel=r"mean change, $\overline{\Delta\ell_n}$")
    note(top, wording.seeds(runs))
    legend_below(figure, curves.key(lines), columns=3)
    caption = (
        f"{wording.title(runs)}: mean over the dimensions of the fitted lengthscales (top; in units of the unit cube) "
        "and of their absolute change since the fit before (bottom) by the number of the query after the initial data, "
        f"median and interquartile range over {wording.seeds(runs)} and {curves.BLOCK} queries at a "
        f"time, where {wording.overhead(runs)}."
    )
    return Drawing(figure, caption)


def _panel(axes: Axes, groups: dict[str, list[Record]], column: Column) -> list[Line2D]:
    """Rules that fit no model have no line."""
    found = {rule: curves.over_iterations(runs, column) for rule, runs in groups.items()}
    lines = [curves.draw(axes, curve, rule) for rule, curve in found.items() if curve is not None]
    log_axis(axes)
    # A fit that stays where it was changes by 1e-17: a band may reach there, the axis need not.
    medians = np.array([value for line in lines for value in np.asarray(line.get_ydata()) if value > 0.0])
    if len(medians):
        axes.set_ylim(bottom=max(axes.get_ylim()[0], _BELOW * medians.min()))
    return lines
