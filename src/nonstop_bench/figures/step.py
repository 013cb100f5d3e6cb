"""Asynchronous steps in one dimension, for UCB, LP-UCB and KB-UCB side by side.

Columns are rules, rows are moments: above, the posterior and the data; below, the acquisition, scaled to [0, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nonstop_bench.figures.canvas import Drawing, legend_below, sheet
from nonstop_bench.figures.moments import Moment, moments
from nonstop_bench.figures.style import BLUE, GREEN, GREY, INK, SMALL, STYLES, TEXT, VERMILLION
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.problem import Array, Problem
from nonstop_bench.simulate import Setup, simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TASK: Final = "toy-1"
RULES: Final = ("ucb", "lp-ucb", "kb-ucb")
WORKERS: Final = 2
#: The first seed in which, as in the paper, the second worker finishes first.
SEED: Final = 0
ROWS: Final = 2
CONTINUED: Final = 3

_GRID = np.linspace(0.0, 1.0, 201)
_BETA = 2.0  # of the UCB in all three rules
_CLOSE = 0.1  # names of workers nearer than this would overlap
_BUSY, _NEW, _QUERY = BLUE, GREEN, VERMILLION


def step(results: Path) -> Drawing:  # noqa: ARG001
    """The first asynchronous step."""
    shown = {rule: run(rule)[:ROWS] for rule in RULES}
    caption = (
        "One asynchronous step of UCB, LP-UCB and KB-UCB (columns) on a one-dimensional function with 3 initial "
        f"samples and {WORKERS} workers (seed {SEED}): the posterior when both workers have started (above), and "
        f"after the second has finished, with the next query of each rule ({_queries(shown)}); the acquisition is "
        "scaled to [0, 1]."
    )
    return Drawing(_draw(shown, first=0), caption)


def continued(results: Path) -> Drawing:  # noqa: ARG001
    """The steps after the first."""
    shown = {rule: run(rule)[ROWS : ROWS + CONTINUED] for rule in RULES}
    caption = (
        f"The {CONTINUED} steps that follow the one of step-1d, from above to below, with the queries "
        f"{_queries(shown)}; every rule has its own data by now."
    )
    return Drawing(_draw(shown, first=ROWS), caption)


def run(rule: str) -> list[Moment]:
    """All moments that the two figures show."""
    evaluations = WORKERS + ROWS - 1 + CONTINUED
    setup = Setup(find(TASK), rule=rule, q=WORKERS, seed=SEED, horizon=np.inf, max_trials=evaluations)
    return moments(simulate(setup), rule, WORKERS)


def _queries(shown: dict[str, list[Moment]]) -> str:
    texts = []
    for rule, column in shown.items():
        xs = ", ".join(f"{moment.query.x[0]:.2f}" for moment in column if moment.query is not None)
        texts.append(f"{STYLES[rule].name}: x = {xs}")
    return "; ".join(texts)


def _draw(shown: dict[str, list[Moment]], first: int) -> Figure:
    rows = len(next(iter(shown.values())))
    figure = sheet(TEXT, 1.7 * rows + 0.65)
    grid = figure.add_gridspec(2 * rows, len(shown), height_ratios=(3, 1) * rows)
    for column, (rule, found) in enumerate(shown.items()):
        for row, moment in enumerate(found):
            upper = figure.add_subplot(grid[2 * row, column])
            lower = figure.add_subplot(grid[2 * row + 1, column], sharex=upper)
            _cell(upper, lower, moment)
            upper.tick_params(labelbottom=False, labelleft=column == 0)
            lower.tick_params(labelbottom=row == rows - 1)
            if row == 0:
                upper.set_title(STYLES[rule].name, pad=12)
            if column == 0:
                upper.set_ylabel(f"step {first + row}\n$-f(x)$")
                lower.set_ylabel(r"$\alpha$")
            if row == rows - 1:
                lower.set_xlabel("$x$")
    _same_height(figure.axes[::2], [moment for found in shown.values() for moment in found])
    labels = {str(handle.get_label()): handle for axes in figure.axes for handle in axes.get_legend_handles_labels()[0]}
    legend_below(figure, list(labels.values()), columns=4)
    return figure


def _cell(upper: Axes, lower: Axes, moment: Moment) -> None:
    _model(upper, moment)
    _acquisition(lower, moment)
    for axes in (upper, lower):
        for busy in moment.busy:
            axes.axvline(float(busy.x[0]), color=_BUSY, linestyle=(0, (3, 2)), linewidth=0.9, label="busy", zorder=1.5)
        if moment.query is not None:
            axes.axvline(float(moment.query.x[0]), color=_QUERY, linewidth=1.2, label="next query", zorder=1.6)
    _names(upper, moment)


def _model(axes: Axes, moment: Moment) -> None:
    low, high = _reach(moment)
    axes.plot(
        _GRID, -_problem().at(_GRID[:, None]), color=GREY, linestyle=(0, (1, 1.2)), linewidth=1.0, label="function"
    )
    axes.plot(_GRID, 0.5 * (low + high), color=INK, linewidth=1.2, label="posterior mean")
    axes.fill_between(_GRID, low, high, color=INK, alpha=0.13, linewidth=0, label=r"$\pm\sqrt{\beta}$ sd")
    known = len(moment.y) if moment.query is None else len(moment.y) - 1
    style: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4.0, "zorder": 4}
    axes.plot(moment.X[:known, 0], moment.y[:known], color=INK, label="data", **style)
    if moment.query is not None:
        axes.plot(moment.X[known:, 0], moment.y[known:], color=_NEW, label="new datum", **style | {"markersize": 5.5})


def _acquisition(axes: Axes, moment: Moment) -> None:
    values = moment.acquisition(_GRID[:, None])
    scaled = (values - values.min()) / np.ptp(values)
    axes.fill_between(_GRID, scaled, color=STYLES[moment.rule].colour, alpha=0.25, linewidth=0)
    axes.plot(_GRID, scaled, color=STYLES[moment.rule].colour, linewidth=1.0, label="_acquisition")
    axes.set(ylim=(-0.05, 1.15), xlim=(-0.03, 1.03), yticks=[], xticks=[0.0, 0.25, 0.5, 0.75, 1.0])


def _names(axes: Axes, moment: Moment) -> None:
    """The names of the workers above the axes; close names are aligned away from each other."""
    marks = [(float(busy.x[0]), busy.worker, _BUSY) for busy in moment.busy]
    if moment.query is not None:
        marks.append((float(moment.query.x[0]), moment.query.worker, _QUERY))
    for x, worker, colour in marks:
        nearest = min((other - x for other, *_ in marks if other != x), key=abs, default=1.0)
        side = "center" if abs(nearest) > _CLOSE else ("right" if nearest > 0.0 else "left")
        axes.annotate(f"$w_{worker}$", (x, 1.0), xytext=(0, 1), xycoords=("data", "axes fraction"),
                      textcoords="offset points", ha=side, va="bottom", fontsize=SMALL, color=colour)  # fmt: skip


def _same_height(uppers: Sequence[Axes], shown: Sequence[Moment]) -> None:
    """The same range for all panels: that of data and model; the function itself may go below it."""
    reached = [np.concatenate([moment.y, *_reach(moment)]) for moment in shown]
    low, high = min(values.min() for values in reached), max(values.max() for values in reached)
    high = max(high, -_problem().optimum)
    room = 0.06 * (high - low)
    for axes in uppers:
        axes.set_ylim(low - room, high + room)


def _reach(moment: Moment) -> tuple[Array, Array]:
    """The confidence bounds on the grid."""
    mean, sd = moment.posterior(_GRID[:, None])
    return mean - np.sqrt(_BETA) * sd, mean + np.sqrt(_BETA) * sd


def _problem() -> Problem:
    problem = find(TASK)
    assert isinstance(problem, Problem)
    return problem
