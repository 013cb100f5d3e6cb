"""The exported trials of both rules -> the figure and a table of what was measured.

    python examples/proteus/figure.py FOLDER        (ucb.jsonl, random.jsonl -> regret.png, regret.svg, summary.md)

The least misfit is 0, so the best misfit is the regret. Time counts from the moment the rule's first trial started.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

# Okabe and Ito: to be told apart by everyone; the dashes are for print without colours.
COLOURS = {"ucb": "#0072B2", "random": "#D55E00"}
DASHES = {"ucb": "-", "random": "--"}


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The completed trials of one rule in the order of their results; times in minutes."""

    rule: str
    started: NDArray[np.float64]
    finished: NDArray[np.float64]
    value: NDArray[np.float64]
    worker: tuple[str, ...]
    initial: int  # how many of them were quasi-random
    failed: tuple[tuple[str, float, float], ...]  # worker, start and end

    @property
    def best(self) -> NDArray[np.float64]:
        """The best value so far, after each result."""
        return np.minimum.accumulate(self.value)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """The duration of each evaluation."""
        return 60.0 * (self.finished - self.started)


def read(path: Path) -> Run:
    """The trials that `nonstop export --format jsonl` wrote."""
    trials = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    done = sorted((trial for trial in trials if trial["state"] == "completed"), key=lambda trial: trial["order"])
    begin = min(trial["started_at"] for trial in done)
    return Run(
        rule=path.stem,
        started=np.array([trial["started_at"] - begin for trial in done]) / 60.0,
        finished=np.array([trial["finished_at"] - begin for trial in done]) / 60.0,
        value=np.array([trial["value"] for trial in done]),
        worker=tuple(trial["worker"] for trial in done),
        initial=sum(trial["diagnostics"].get("rung") == "quasi-random" for trial in done),
        failed=tuple(
            (trial["worker"], *((trial[end] - begin) / 60.0 for end in ("started_at", "finished_at")))
            for trial in trials
            if trial["state"] == "failed"
        ),
    )


def draw(runs: list[Run], stem: Path) -> None:
    """Write stem.png and stem.svg."""
    matplotlib.rcParams["svg.hashsalt"] = "nonstop"  # the same figure, the same bytes
    figure = Figure(figsize=(11.0, 5.0), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(3, 2))
    regret, lanes, times = (figure.add_subplot(cell) for cell in (grid[:, 0], grid[0, 1], grid[1, 1]))
    _regret(regret, runs)
    _lanes(lanes, runs)
    _times(times, runs)
    figure.suptitle("PROTEUS (dummy + CALLIOPE), our nine inputs: two asynchronous workers, real time", fontsize=11)
    figure.savefig(stem.with_suffix(".png"), dpi=150)
    figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})


def _regret(axes: Axes, runs: list[Run]) -> None:
    last = max(run.finished.max() for run in runs)
    for run in runs:
        colour = COLOURS[run.rule]
        axes.plot(run.finished, run.value, ".", color=colour, alpha=0.35, markersize=6)
        axes.step(
            [*run.finished, last],
            [*run.best, run.best[-1]],
            where="post",
            color=colour,
            linestyle=DASHES[run.rule],
            linewidth=2.0,
            label=f"{run.rule}: best of {len(run.value)} is {run.best[-1]:.3g}",
        )
    model = next(run for run in runs if run.rule != "random")
    if 0 < model.initial < len(model.value):
        begin = model.started[model.initial :].min()
        axes.axvline(begin, color="black", linewidth=0.8, linestyle=":")
        axes.annotate(
            "first proposal\nof the model",
            (begin, 0.80),
            xycoords=("data", "axes fraction"),
            xytext=(-4, 0),
            textcoords="offset points",
            ha="right",
            fontsize=8,
        )
    axes.set_yscale("log")
    axes.set_xlim(left=0.0)
    axes.set_ylim(top=40.0)  # no misfit is above 13: room for the legend
    axes.set_xlabel("wall-clock minutes")
    axes.set_ylabel("misfit = regret (log scale)")
    axes.set_title("best misfit so far (lines) and every evaluation (dots)", fontsize=10)
    axes.legend(frameon=False, loc="upper right", fontsize=9, ncols=2)


def _lanes(axes: Axes, runs: list[Run]) -> None:
    """One lane for each worker: bars are evaluations, hatched ones failed; in the gaps it did something else."""
    lanes = [(run, worker) for run in runs for worker in sorted(set(run.worker))]
    for height, (run, worker) in enumerate(lanes):
        mine = [i for i, name in enumerate(run.worker) if name == worker]
        bars = [(run.started[i], run.finished[i] - run.started[i]) for i in mine]
        axes.broken_barh(bars, (height - 0.4, 0.8), facecolor=COLOURS[run.rule], edgecolor="white", linewidth=0.8)
        lost = [(start, end - start) for name, start, end in run.failed if name == worker]
        axes.broken_barh(lost, (height - 0.4, 0.8), facecolor="white", edgecolor=COLOURS[run.rule], hatch="////")
    numbers = {pair: number for run in runs for number, pair in enumerate((p for p in lanes if p[0] is run), start=1)}
    axes.set_yticks(range(len(lanes)), [f"{pair[0].rule} {numbers[pair]}" for pair in lanes])
    axes.invert_yaxis()
    axes.set_xlabel("wall-clock minutes")
    axes.set_title(
        "what each worker evaluated" + (" (hatched: failed)" if any(r.failed for r in runs) else ""), fontsize=10
    )


def _times(axes: Axes, runs: list[Run]) -> None:
    edges = np.histogram_bin_edges(np.concatenate([run.seconds for run in runs]), bins=16)
    for run in runs:
        axes.hist(
            run.seconds,
            bins=list(edges),
            histtype="step",
            linewidth=1.8,
            color=COLOURS[run.rule],
            linestyle=DASHES[run.rule],
            label=run.rule,
        )
    axes.set_xlabel("seconds of an evaluation")
    axes.set_ylabel("evaluations")
    axes.legend(frameon=False)


def summary(runs: list[Run]) -> str:
    """A Markdown table, one row for each rule."""
    head = (
        "| rule | completed | failed | best misfit | best of the initial | seconds each: mean (least, most) |"
        " minutes | time spent evaluating |\n|---|---|---|---|---|---|---|---|\n"
    )
    return head + "".join(_row(run) for run in runs)


def _row(run: Run) -> str:
    workers, minutes = len(set(run.worker)), run.finished.max()
    early = run.best[run.initial - 1] if run.initial else float("nan")
    evaluating = run.seconds.sum() / 60.0 + sum(end - start for _, start, end in run.failed)
    share = evaluating / (workers * minutes)
    return (
        f"| {run.rule} | {len(run.value)} | {len(run.failed)} | {run.best[-1]:.4g} | {early:.4g} (of {run.initial}) | "
        f"{run.seconds.mean():.0f} ({run.seconds.min():.0f}, {run.seconds.max():.0f}) | {minutes:.1f} | {share:.1%} |\n"
    )


def main(folder: Path) -> None:
    """Write the figure and the table into the folder of the exported trials."""
    runs = [read(folder / f"{rule}.jsonl") for rule in COLOURS]
    draw(runs, folder / "regret")
    table = summary(runs)
    (folder / "summary.md").write_text(f"# PROTEUS, `make proteus`\n\n{table}", encoding="utf-8")
    print(table, end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
