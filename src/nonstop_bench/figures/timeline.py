"""Idle time: the same evaluations on workers that wait for the whole batch and on workers that never wait.

Both runs are real simulations with the same seed, so trial k takes the same time in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nonstop_bench.figures.canvas import Drawing, bar, legend_below, panels, sheet
from nonstop_bench.figures.style import BLUE, GREY, INK, LIGHT, ORANGE, SMALL, TEXT
from nonstop_bench.problems.catalogue import find
from nonstop_bench.simulate import Mode, Setup, simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORKERS: Final = 3
HORIZON: Final = 8.0
SEED: Final = 0
TASK: Final = "toy-2"
MODES: Final[tuple[Mode, ...]] = ("synchronous", "asynchronous")


@dataclass(frozen=True, slots=True)
class Span:
    """An evaluation: which worker (0, 1, …), from when to when; `done` if that is within the horizon."""

    worker: int
    start: float
    end: float
    done: bool


def spans(mode: Mode) -> list[Span]:
    """The evaluations that begin before the horizon, after the initial data, cut off at it."""
    setup = Setup(find(TASK), q=WORKERS, seed=SEED, horizon=HORIZON, mode=mode)
    simulated = simulate(setup)
    found = []
    for trial in simulated.study.trials[simulated.initial :]:
        start = trial.started_at or 0.0
        end = HORIZON if trial.finished_at is None else trial.finished_at
        if start < HORIZON:
            found.append(Span(int((trial.worker or "w0")[1:]), start, min(end, HORIZON), trial.finished_at is not None))
    return found


def timeline(results: Path) -> Drawing:  # noqa: ARG001
    """Synchronous workers above asynchronous ones."""
    lanes = {mode: spans(mode) for mode in MODES}
    figure = sheet(TEXT, 2.5)
    counts = {}
    for axes, (mode, shown) in zip(panels(figure, 2, 1), lanes.items(), strict=True):
        counts[mode] = _panel(axes, mode, shown)
    figure.axes[0].tick_params(labelbottom=False)
    figure.axes[1].set_xlabel("virtual time (s)")
    keys = [bar(BLUE, "evaluation"), bar(ORANGE, "not finished in time"), bar(GREY, "idle", hatch="////")]
    legend_below(figure, keys, columns=3)
    caption = (
        f"Evaluations of {WORKERS} workers in {HORIZON:g} virtual seconds with half-normal durations of mean 1 s and "
        f"UCB on {TASK} (seed {SEED}), where suggestions take no time: workers that wait for the whole batch finish "
        f"{counts['synchronous']} of them, workers that never wait {counts['asynchronous']}."
    )
    return Drawing(figure, caption)


def _panel(axes: Axes, mode: Mode, shown: list[Span]) -> int:
    """A lane for each worker, the first on top; return the number of finished evaluations."""
    for worker in range(WORKERS):
        own = [span for span in shown if span.worker == worker]
        axes.barh(worker, HORIZON, height=0.34, color=LIGHT, edgecolor=GREY, hatch="////", linewidth=0, zorder=1)
        for span in own:
            axes.barh(
                worker,
                span.end - span.start,
                left=span.start,
                height=0.62,
                color=BLUE if span.done else ORANGE,
                edgecolor="white",
                linewidth=0.8,
                zorder=2,
            )
    done = sum(span.done for span in shown)
    axes.set_yticks(range(WORKERS), [f"$w_{worker + 1}$" for worker in range(WORKERS)])
    axes.set(xlim=(0.0, HORIZON), ylim=(WORKERS - 0.5, -0.5))
    axes.grid(visible=False)
    axes.set_title(f"{mode}: {done} evaluations finished", loc="left", fontsize=SMALL + 1, color=INK)
    return done
