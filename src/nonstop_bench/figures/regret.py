"""Simple regret over virtual time, one panel for each experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nonstop_bench.figures import curves, wording
from nonstop_bench.figures.canvas import Drawing, label_outside, legend_below, note, panels, sheet
from nonstop_bench.figures.results import Found, collect
from nonstop_bench.figures.style import STYLES, SYNCHRONOUS, TEXT
from nonstop_bench.records import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

SYNTHETIC: Final = (
    "paper/ackley-10-q8",
    "paper/michalewicz-5-q16",
    "paper/hartmann-6-q4",
    "paper/hartmann-6-q8",
    "paper/egg-holder-q4",
    "paper/rosenbrock-4-q4",
    "paper/powell-20-q8",
    "paper/ackley-20-q8",
    "paper/shifted-ackley-10-q8",
)
#: By rows: fewer workers above, more below.
REAL: Final = ("paper/pest-control-q4", "paper/xgboost-300-q4", "paper/pest-control-q8", "paper/xgboost-300-q8")
LONGER: Final = ("paper/hartmann-6-q4-long", "paper/egg-holder-q4-long")
WAITING: Final = ("paper/ackley-10-q8", "paper/ackley-10-q8-synchronous")

TIME: Final = "virtual time (s)"
LOG_REGRET: Final = "log simple regret"
MEASURED: Final = "Natural logarithm of the simple regret of the best value observed"


def synthetic(results: Path) -> Drawing:
    """Regret on the synthetic tasks."""
    return _multiples(collect(results, SYNTHETIC), columns=3)


def real(results: Path) -> Drawing:
    """Regret on the real tasks."""
    return _multiples(collect(results, REAL), columns=2)


def longer(results: Path) -> Drawing:
    """Regret with longer budgets."""
    return _multiples(collect(results, LONGER), columns=2)


def _multiples(found: Found, columns: int) -> Drawing:
    rows = -(-len(found.runs) // columns)
    figure = sheet(TEXT, 1.75 * rows + 0.55)
    axes = panels(figure, len(found.runs), columns)
    lines = [line for each, runs in zip(axes, found.runs.values(), strict=True) for line in panel(each, runs)]
    label_outside(axes, columns)
    legend_below(figure, curves.key(lines), columns=5)
    return Drawing(figure, _caption(found), found.absent)


def panel(axes: Axes, runs: Sequence[Record]) -> list[Line2D]:
    """The regret of every rule; the number of seeds is in the corner."""
    groups = curves.by_rule(runs)
    end = curves.horizon(runs)
    lines = [curves.draw(axes, curves.regret(group, end), rule) for rule, group in groups.items()]
    axes.set(title=wording.title(runs), xlabel=TIME, ylabel=LOG_REGRET, xlim=(0.0, end))
    note(axes, wording.seeds(runs))
    return lines


def _caption(found: Found) -> str:
    runs = found.together()
    return (
        f"{MEASURED}, median and interquartile range over {wording.seeds(runs)}, against virtual time after the "
        f"initial 3 d evaluations, where {wording.overhead(runs)}{wording.left_out(found.absent)}."
    )


def waiting(results: Path) -> Drawing:
    """Workers that wait for each other against workers that do not, for the standard rules."""
    found = collect(results, WAITING)
    asynchronous, synchronous = (found.runs.get(name, []) for name in WAITING)
    if not asynchronous or not synchronous:
        collect(results, found.absent)  # raises NoResultsError with the missing names
    figure = sheet(TEXT / 2, 2.5)
    (axes,) = panels(figure, 1, 1)
    waits = curves.by_rule(synchronous)
    free = {rule: runs for rule, runs in curves.by_rule(asynchronous).items() if rule in waits}
    end = curves.horizon([*asynchronous, *synchronous])
    lines = [curves.draw(axes, curves.regret(runs, end), rule) for rule, runs in free.items()]
    for rule, runs in waits.items():
        name = f"{STYLES[rule].name}, synchronous"
        lines.append(curves.draw(axes, curves.regret(runs, end), rule, dashes=SYNCHRONOUS, label=name))
    drawn = [run for runs in (*free.values(), *waits.values()) for run in runs]
    axes.set(title=wording.title(asynchronous), xlabel=TIME, ylabel=LOG_REGRET, xlim=(0.0, end))
    note(axes, wording.seeds(drawn))
    legend_below(figure, curves.key(lines), columns=2)
    caption = (
        f"{MEASURED}, median and interquartile range over {wording.seeds(drawn)}: workers that start again at once "
        f"(solid) and workers that wait for the whole batch (dotted), where {wording.overhead(synchronous)}."
    )
    return Drawing(figure, caption)
