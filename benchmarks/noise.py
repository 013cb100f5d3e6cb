"""Does the default hold when values are noisy? Noise of 0, 1, 10 and 30 % of the objective's range.

Regret is of the exact value at two trials: the best observed one, and the one that the model believes best at the end.
100 evaluations after 3 d initial ones, q = 8, on the virtual clock.

python benchmarks/noise.py                  # about ten minutes on two cores
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from nonstop.types import Array
from nonstop_bench.case import OURS, Case
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.noisy import spread
from nonstop_bench.run import setup_of
from nonstop_bench.simulate import simulate

RESULTS = Path(__file__).parent / "results" / "noise.md"
TASKS: Final = ("hartmann-6", "branin", "rotated-levy-6")
LEVELS: Final = (0.0, 0.01, 0.1, 0.3)
CONTENDERS: Final = (OURS, "kb-ucb", "logei", "random")


class Run(NamedTuple):
    """One run: a task, a noise level as a part of the range, a contender and a seed."""

    task: str
    level: float
    label: str
    seed: int


def regrets(run: Run) -> tuple[float, float]:
    """Regrets of the best observed and of the best believed trial, as parts of the range."""
    task = find(run.task)
    scale = spread(task)
    case = Case(run.task, q=8, seed=run.seed, horizon=None, evaluations=100, noise=run.level * scale).by(run.label)
    done = simulate(setup_of(case, task))
    trials = (done.study.best_trial, done.study.best_believed.trial)
    observed, believed = ((done.exact[trial.number] - task.optimum) / scale for trial in trials)
    return max(observed, 1e-10), max(believed, 1e-10)


def won(found: Mapping[Run, tuple[float, float]], level: float, label: str) -> Array:
    """The share of pairs in which our regret is the smaller one: observed, believed."""
    ours = [(run, regret) for run, regret in found.items() if (run.level, run.label) == (level, OURS)]
    gains = np.array([np.subtract(found[run._replace(label=label)], regret) for run, regret in ours])
    return np.asarray((0.5 + 0.5 * np.sign(gains)).mean(axis=0))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run everything, print the page and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    runs = [Run(*each) for each in product(TASKS, LEVELS, CONTENDERS, range(options.seeds))]
    with ProcessPoolExecutor(options.workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = dict(zip(runs, pool.map(regrets, runs), strict=True))
    page = f"""# Noise

`python benchmarks/noise.py --seeds {options.seeds}`: median regret as a part of the range of the objective
(its values at 1000 quasi-random points), after 100 evaluations by 8 workers, {options.seeds} seeds. First of the best
observed trial, then of the one that the model believes best.

"""
    for task in TASKS:
        page += f"## {task}\n\n| noise, of the range | {' | '.join(CONTENDERS)} |\n|---|{'---|' * len(CONTENDERS)}\n"
        for level in LEVELS:
            cells = []
            for label in CONTENDERS:
                pairs = np.array([found[Run(task, level, label, seed)] for seed in range(options.seeds)])
                cells.append(" / ".join(f"{value:.1e}" for value in np.median(pairs, axis=0)))
            page += f"| {100 * level:g} % | {' | '.join(cells)} |\n"
        page += "\n"
    page += f"""## Pairs of task and seed that {OURS} wins

Of {len(TASKS) * options.seeds}: by the best observed trials, then by those believed best; a draw is half.

| noise, of the range | {" | ".join(f"against {label}" for label in CONTENDERS[1:])} |
|---|{"---|" * len(CONTENDERS[1:])}
"""
    for level in LEVELS:
        cells = [" / ".join(f"{share:.2f}" for share in won(found, level, label)) for label in CONTENDERS[1:]]
        page += f"| {100 * level:g} % | {' | '.join(cells)} |\n"
    print(page)
    options.out.write_text(page.rstrip() + "\n")


if __name__ == "__main__":
    main()
