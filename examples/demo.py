"""Eight worker processes on Hartmann-6, live, in a quarter of a minute.

Each evaluation takes a half-normal time, as in the paper, with a mean of a second; whichever worker finishes first
proposes its next point from all that is known by then. The study is an SQLite file, so it can be looked at while it
runs, killed, and taken up again.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import nonstop
from nonstop.cli.running import display_of
from nonstop.live import Watch
from nonstop.usage import overall
from nonstop.wording import duration, share
from nonstop_bench.problems.hartmann import HARTMANN6 as PROBLEM

MEAN_SECONDS = 0.8


def objective(params: Mapping[str, object]) -> float:
    """The value, after a time that depends on nothing: the standard normal's absolute value has mean sqrt(2 / pi)."""
    time.sleep(abs(np.random.default_rng().normal(scale=MEAN_SECONDS * math.sqrt(math.pi / 2))))
    return PROBLEM.objective(params)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Optimise Hartmann-6 with asynchronous worker processes.")
    parser.add_argument("--budget", type=int, default=120, help="evaluations (default: 120)")
    parser.add_argument("--workers", type=int, default=8, help="worker processes (default: 8)")
    parser.add_argument("--rule", default="ucb", help="acquisition rule, such as ucb, logei or random (default: ucb)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--file", type=Path, default=Path("demo.db"), help="where the study is kept (default: demo.db)")
    options = parser.parse_args(arguments)

    options.file.unlink(missing_ok=True)
    print(f"minimising {PROBLEM.name} ({PROBLEM.dim} dimensions, {options.workers} workers that never wait)", flush=True)
    url = f"sqlite:///{options.file}"
    study = nonstop.create_study(url, "demo", space=PROBLEM.space, rule=options.rule, seed=options.seed)
    with display_of(study, options.budget, quiet=False) as display, Watch(study, display) as watch:
        usages = study.optimize(objective, n_trials=options.budget, workers=options.workers)

    point = ", ".join(f"{value:.4f}" for value in study.best_params.values())
    print(f"best point   ({point})")
    print(f"best value   {study.best_value:.6f}, regret {PROBLEM.regret(study.best_value):.1e}")
    print(f"utilisation  {share(overall(usages).utilisation)} of the workers' time was spent evaluating")
    print(f"time         {options.budget} evaluations of {MEAN_SECONDS} s on average in {duration(watch.elapsed)}")
    print(f"next         nonstop show {url} demo")
    print(f"             nonstop replay {url} demo")


if __name__ == "__main__":
    sys.exit(main())
