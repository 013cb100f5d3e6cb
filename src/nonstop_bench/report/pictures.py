"""The pictures of the page: differences between rules, queries near busy points, effects of the designed experiment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nonstop_bench.designed import BARE, FACTORS
from nonstop_bench.figures.canvas import Drawing, label_outside, legend_below, panels, save, settings, sheet
from nonstop_bench.figures.style import GREY, INK, STYLES, TEXT
from nonstop_bench.report import words
from nonstop_bench.report.design import comparisons, differences
from nonstop_bench.report.pairs import Pairs, all_pairs
from nonstop_bench.report.queries import NEAR, UNGUARDED, nearer, share_of
from nonstop_bench.report.results import PURPOSE_BUILT, STANDARD, TASKS, Results
from nonstop_bench.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_FAR = 3.0  # differences are drawn up to here


def draw_all(results: Results, folder: Path) -> list[Path]:
    """Write all pictures as SVG."""
    compared = all_pairs(results)
    pictures = {
        "differences": rules(results, compared),
        "near": near(results),
        "designed": effects(results),
    }
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, drawing in pictures.items():
        png, svg = save(drawing, folder / f"paper-{name}")
        png.unlink()
        written.append(svg)
    return written


def rules(results: Results, compared: Pairs) -> Drawing:
    """UCB and LogEI minus every purpose-built rule, a panel for each task."""
    with settings():
        there = [name for name in TASKS if results.runs(name)]
        if not there:
            return _nothing("no synthetic task was run")
        figure = sheet(TEXT, 1.9 * -(-len(there) // 3) + 0.5)
        lines: list[Line2D] = []
        each_task = panels(figure, len(there), 3)
        for axes, name in zip(each_task, there, strict=True):
            columns = [rule for rule in PURPOSE_BUILT if any((name, row, rule) in compared for row in STANDARD)]
            lines = []
            for row, shift in zip(STANDARD, (-0.14, 0.14), strict=True):
                found = [
                    (i + shift, compared[name, row, rule].found.difference)
                    for i, rule in enumerate(columns)
                    if (name, row, rule) in compared
                ]
                lines.append(_dots(axes, found, row, _FAR))
            _rows(axes, list(map(words.named, columns)))
            axes.set(title=words.task(name), xlim=(-_FAR, _FAR), xlabel="difference of log regret")
        label_outside(each_task, 3)
        legend_below(figure, lines, columns=2)
        caption = (
            f"UCB and LogEI minus the other rule: median difference of log regrets, cut at {_FAR:g}; left of zero, "
        )
        return Drawing(figure, f"{caption}the standard rule is better.")


def near(results: Results) -> Drawing:
    """The share of queries within 0.001 of a busy point, with the guard and without."""
    with settings():
        there = [name for name in TASKS if results.runs(name)]
        if not there:
            return _nothing("no synthetic task was run")
        figure = sheet(TEXT, 0.42 * len(there) + 0.9)
        axes = panels(figure, 1, 1)[0]
        lines = []
        for k, (rule, suffix) in enumerate([(rule, s) for rule in (*STANDARD, "kb-ucb") for s in ("", UNGUARDED)]):
            found = [
                (i + 0.12 * (k - 2.5), each.estimate)
                for i, name in enumerate(there)
                if (each := share_of(results.runs(name + suffix).get(rule, []), nearer(NEAR))) is not None
            ]
            if found:
                label = f"{words.named(rule)}{', no guard' if suffix else ''}"
                lines.append(_dots(axes, found, rule, 1.0, label, hollow=bool(suffix)))
        _rows(axes, list(map(words.task, there)))
        axes.set(xlabel=f"share of queries within {NEAR:g} of a busy point", xlim=(-0.01, None))
        legend_below(figure, lines, columns=3)
        return Drawing(figure, f"Queries within {NEAR:g} of a busy point, mean share over seeds; 95 % intervals.")


def effects(results: Results) -> Drawing:
    """The effect of every factor on D, plain minus believing."""
    with settings():
        found = [(first, other, differences(results, first, other)) for first, other in comparisons()]
        there = [(first, other, each) for first, other, each in found if each is not None]
        if not there:
            return _nothing("the designed experiment was not run")
        figure = sheet(TEXT, 3.2)
        axes = panels(figure, 1, 1)[0]
        lines = []
        for k, (first, other, each) in enumerate(there):
            rows = [(0.0, each.overall()), *((i + 1.0, each.effect(i)) for i in range(len(FACTORS)))]
            shift, hollow = 0.18 * (k - 0.5 * (len(there) - 1)), first.experiment == BARE
            label = f"{first.name} – {other.name}"
            lines.append(_dots(axes, [(y + shift, it) for y, it in rows], first.rule, 9.0, label, hollow=hollow))
        _rows(axes, ["mean of D", *(f"{factor.name}: {factor.low} → {factor.high}" for factor in FACTORS)])
        axes.set(xlabel="mean of D, and effects on it; right of zero for believing")
        legend_below(figure, lines, columns=2)
        return Drawing(
            figure,
            "The designed experiment: D is the mean log regret of the plain rule minus that of the believing one.",
        )


def _dots(
    axes: Axes,
    found: Sequence[tuple[float, Estimate]],
    rule: str,
    most: float,
    label: str | None = None,
    hollow: bool = False,
) -> Line2D:
    """Estimates with their intervals at heights; what lies beyond `most` is drawn there."""
    colour = STYLES[rule].colour
    for y, estimate in found:
        if not math.isinf(estimate.high):  # there are seeds enough for an interval
            low, high = (min(max(x, -most), most) for x in (estimate.low, estimate.high))
            axes.hlines(y, low, high, color=colour, linewidth=1.2)
    xs, ys = [min(max(estimate.value, -most), most) for _, estimate in found], [y for y, _ in found]
    face = "white" if hollow else colour
    return axes.plot(xs, ys, "o", color=colour, markerfacecolor=face, markersize=3.2, label=label or words.named(rule))[
        0
    ]


def _rows(axes: Axes, labels: Sequence[str]) -> None:
    axes.axvline(0.0, color=INK, linewidth=0.6)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def _nothing(why: str) -> Drawing:
    """A picture that says why there is none, so that the page has something to show."""
    figure = sheet(TEXT, 0.6)
    figure.text(0.5, 0.5, f"not measured: {why}", ha="center", va="center", color=GREY)
    return Drawing(figure, "")
