"""Median lines with interquartile bands: regret over time, and any column of the records over iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from nonstop_bench import score
from nonstop_bench.figures.style import STYLES, Dashes
from nonstop_bench.records import Array, Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

#: The columns of a record that are drawn over iterations.
Column: TypeAlias = Literal["delta", "recent", "lengthscale", "change"]

#: The label of the axis of such curves.
QUERY: Final = "query"
#: Queries that are combined in curves over iterations.
BLOCK: Final = 6
_INSTANTS = 121  # points of a regret curve: more are not visible in print


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A band over x."""

    x: Array
    band: score.Band


def regret(runs: Sequence[Record], until: float) -> Curve:
    """The natural logarithm of the simple regret over virtual time."""
    times = np.linspace(0.0, until, _INSTANTS)
    return Curve(times, score.band([np.log(score.regret_curve(run, times)) for run in runs]))


def horizon(runs: Sequence[Record]) -> float:
    """The time up to which all runs have data; a run without a horizon ends with its last evaluation."""
    ends = [run.case.ends if np.isfinite(run.case.ends) else float(np.nanmax(run.finished)) for run in runs]
    return min(ends)


def over_iterations(runs: Sequence[Record], column: Column) -> Curve | None:
    """A column by the number of the query after the initial data, BLOCK queries at a time: their numbers in all runs
    make one band, drawn over their mean. Single iterations of twenty runs are mostly noise.

    Left out are the first q queries, which are quasi-random, the queries that not all runs have, and blocks without
    numbers; None: that is everything."""
    first = runs[0].case.q
    length = min(len(run.started) - run.initial for run in runs)
    table = np.array([getattr(run, column)[run.initial : run.initial + length] for run in runs])
    blocks = [range(start, min(start + BLOCK, length)) for start in range(first, length, BLOCK)]
    known = [block for block in blocks if np.isfinite(table[:, block]).any()]
    if not known:
        return None
    bands = [score.band(table[:, block].ravel()) for block in known]
    low, median, high = (np.array([getattr(each, part) for each in bands]) for part in ("low", "median", "high"))
    return Curve(np.array([np.mean(block) + 1.0 for block in known]), score.Band(low, median, high))


def draw(axes: Axes, curve: Curve, rule: str, *, dashes: Dashes | None = None, label: str | None = None) -> Line2D:
    """Draw in the style of the rule, or in other dashes for a counterpart of it."""
    style = STYLES[rule]
    axes.fill_between(
        curve.x,
        curve.band.low,
        curve.band.high,
        color=style.colour,
        alpha=style.shade,
        linewidth=0,
        zorder=style.order - 2,
    )
    (line,) = axes.plot(
        curve.x,
        curve.band.median,
        color=style.colour,
        linestyle=style.dashes if dashes is None else dashes,
        linewidth=style.width if dashes is None else 1.2,
        label=label or style.name,
        zorder=style.order,
    )
    return line


def by_rule(runs: Sequence[Record]) -> dict[str, list[Record]]:
    """The runs of each rule, in the order of the legend."""
    groups = score.by_label(runs)
    return {rule: groups[rule] for rule in STYLES if rule in groups}


def key(lines: Sequence[Line2D]) -> list[Line2D]:
    """One line for each label, rules first and in the order of the styles."""
    order = {style.name: position for position, style in enumerate(STYLES.values())}
    unique = {str(line.get_label()): line for line in lines}
    return sorted(unique.values(), key=lambda line: order.get(str(line.get_label()), len(order)))
