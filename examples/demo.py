"""Eight worker processes on Hartmann-6, live, in less than half a minute.

Each evaluation takes a half-normal time, as in the paper. A worker that finishes proposes its next point at once, from
all results so far. The study is kept in an SQLite file, so it can be inspected while it runs, and replayed.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

import nonstop
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.cli.report import write_report
from nonstop.cli.run_summary import command_line
from nonstop.cli.running import open_display
from nonstop.cli.study_summary import usage_line, usage_of
from nonstop.history.board import Board
from nonstop.live.monitor import Monitor
from nonstop.storage import open_storage
from nonstop.wording import duration
from nonstop_bench.problems.hartmann import HARTMANN6 as PROBLEM


def objective(params: Mapping[str, object], seconds: float) -> float:
    """The value, after a half-normal time with this mean."""
    time.sleep(abs(np.random.default_rng().normal(scale=seconds * math.sqrt(math.pi / 2))))
    return PROBLEM.objective(params)


def main(arguments: list[str] | None = None) -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(description="Optimise Hartmann-6 with asynchronous worker processes.")
    parser.add_argument("--budget", type=int, default=120, help="evaluations (default: 120)")
    parser.add_argument("--workers", type=int, default=8, help="worker processes (default: 8)")
    parser.add_argument("--seconds", type=float, default=0.6, help="mean duration of an evaluation (default: 0.6)")
    parser.add_argument("--rule", default=DEFAULT_RULE, help="acquisition rule (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--storage", default="sqlite:///demo.db", help="where the study is kept (default: sqlite:///demo.db)"
    )
    options = parser.parse_args(arguments)

    storage = open_storage(options.storage)
    name = f"demo-{len(storage.list_studies()) + 1}"
    study = nonstop.create_study(storage, name, space=PROBLEM.space, rule=options.rule, seed=options.seed)
    print(
        f"minimising {PROBLEM.name} ({PROBLEM.dim} dimensions, {options.workers} workers that never wait)", flush=True
    )
    board = Board(study.spec.goals, study.trials)
    with (
        open_display(study, options.budget, quiet=False) as display,
        Monitor(study.storage, study.id, board, display) as monitor,
    ):
        evaluate = partial(objective, seconds=options.seconds)
        usages = study.optimize(evaluate, n_trials=options.budget, workers=options.workers, progress=False)

    point = ", ".join(f"{value:.4f}" for value in study.best_params.values())
    print(f"best point   ({point})")
    print(f"best value   {study.best_value:.6f}, regret {PROBLEM.regret(study.best_value):.1e}")
    print(f"workers      {usage_line(usage_of(usages)['workers'])}")
    print(
        f"time         {options.budget} evaluations of {options.seconds:g} s on average in {duration(monitor.elapsed)}"
    )
    write_report(options.storage, name, Path("report.html"))
    print(f"report       {Path('report.html').absolute()} (open it in a browser)")
    nonstop_here = "nonstop" if shutil.which("nonstop") else str(Path(sys.executable).with_name("nonstop"))
    print(f"next         {command_line(nonstop_here, 'show', options.storage, name)}")
    print(f"             {command_line(nonstop_here, 'replay', options.storage, name)}")


if __name__ == "__main__":
    main()
