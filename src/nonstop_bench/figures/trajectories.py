"""The queries of rules in two dimensions, from the same initial data; rows are seeds, columns are rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from nonstop.space.encoding import encode
from nonstop_bench.figures.canvas import Drawing, legend_below, sheet
from nonstop_bench.figures.style import GREY, INK, STYLES, TEXT, VERMILLION
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.problem import Problem
from nonstop_bench.records import Array
from nonstop_bench.simulate import Setup, simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

TASK: Final = "toy-2"
WORKERS: Final = 4
QUERIES: Final = 15
SEEDS: Final = (0, 1)
#: Rule and number of workers.
MAIN: Final = (("ucb", 1), ("ucb", WORKERS), ("lp-ucb", WORKERS))
MORE: Final = (("logei", WORKERS), ("llp-ucb", WORKERS), ("ts", WORKERS), ("aegis", WORKERS))


@dataclass(frozen=True, slots=True, eq=False)
class Path2d:
    """Points in the unit square: the initial data, where workers started, and what the rule asked for, in order."""

    rule: str
    workers: int
    initial: Array
    started: Array
    queries: Array
    regret: float


def walk(rule: str, workers: int, seed: int) -> Path2d:
    """Simulate one run and collect its points."""
    problem = _problem()
    setup = Setup(problem, rule=rule, q=workers, seed=seed, horizon=np.inf, max_trials=workers + QUERIES)
    simulated = simulate(setup)
    trials = sorted(simulated.study.trials, key=lambda trial: trial.number)
    X = np.array([encode(problem.space, trial.params or {}) for trial in trials])
    first = simulated.initial
    begun = first + workers
    best = min(simulated.exact.values())
    return Path2d(rule, workers, X[:first], X[first:begun], X[begun:], problem.regret(best))


def main(results: Path) -> Drawing:  # noqa: ARG001
    """The queries of UCB and LP-UCB."""
    return _draw(MAIN)


def more(results: Path) -> Drawing:  # noqa: ARG001
    """The queries of other rules."""
    return _draw(MORE)


def _draw(columns: Sequence[tuple[str, int]]) -> Drawing:
    side = (TEXT - 0.8) / len(columns)  # of a panel, beside the colour bar
    figure = sheet(TEXT, len(SEEDS) * (side + 0.25) + 0.5)
    grid = figure.add_gridspec(len(SEEDS), len(columns))
    panels = []
    for row, seed in enumerate(SEEDS):
        for column, (rule, workers) in enumerate(columns):
            axes = figure.add_subplot(grid[row, column])
            panels.append(axes)
            points = _panel(axes, walk(rule, workers, seed))
            if row == 0:
                axes.set_title(_title(rule, workers))
            if column == 0:
                axes.set_ylabel(f"seed {seed}")
    bar = figure.colorbar(points, ax=panels, shrink=0.8, pad=0.015, aspect=30, ticks=[1, 5, 10, QUERIES])
    bar.set_label("query")
    bar.outline.set_visible(False)
    handles, _ = panels[0].get_legend_handles_labels()
    legend_below(figure, handles, columns=4)
    return Drawing(figure, _caption(columns))


def _panel(axes: Axes, path: Path2d) -> PathCollection:
    problem = _problem()
    ticks = np.linspace(0.0, 1.0, 61)
    first, second = np.meshgrid(ticks, ticks)
    values = problem.at(np.column_stack([first.ravel(), second.ravel()])).reshape(first.shape)
    axes.contour(ticks, ticks, values, levels=12, colors="#C4C4C4", linewidths=0.6, linestyles="solid", zorder=1)
    best = problem.to_unit(np.array(problem.optimizers))
    axes.plot(*path.initial.T, "o", color="white", markeredgecolor=GREY, markersize=3.6, label="initial data", zorder=3)
    axes.plot(*path.started.T, "s", color=GREY, markersize=3.4, label="workers' first points", zorder=3)
    axes.plot(*path.queries.T, color=INK, linewidth=0.5, alpha=0.55, label="order of queries", zorder=2)
    axes.plot(*best.T, "*", markerfacecolor="none", markeredgecolor=VERMILLION, markersize=10,
              linestyle="none", label="optimum", zorder=6)  # fmt: skip
    order = np.arange(1, len(path.queries) + 1)
    points = axes.scatter(
        path.queries[:, 0],
        path.queries[:, 1],
        c=order,
        cmap="viridis_r",
        s=20,
        edgecolors="white",
        linewidths=0.4,
        zorder=5,
    )
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xticks=[], yticks=[], aspect="equal")
    axes.set_xlabel(f"regret {path.regret:.2g}")
    axes.grid(visible=False)
    axes.spines[:].set(visible=True, color=GREY)
    return points


def _title(rule: str, workers: int) -> str:
    return f"{STYLES[rule].name}, sequential" if workers == 1 else f"{STYLES[rule].name}, q = {workers}"


def _caption(columns: Sequence[tuple[str, int]]) -> str:
    names = "; ".join(_title(rule, workers) for rule, workers in columns)
    return (
        f"The first {QUERIES} queries that the model chose ({names}) on a function of two variables, coloured in their "
        f"order, from the same initial data in each row (seeds {SEEDS[0]} and {SEEDS[1]}), and the simple regret of "
        "the best point evaluated; durations are half-normal and suggestions take no virtual time."
    )


def _problem() -> Problem:
    problem = find(TASK)
    assert isinstance(problem, Problem)
    return problem
