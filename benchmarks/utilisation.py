"""How much of the workers' time is not spent evaluating: real processes on one SQLite file, evaluations of one second.

python benchmarks/utilisation.py            # 8 workers, 200 trials: about a minute and a half
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

import nonstop
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.history import utilisation
from nonstop.storage.sqlite import driver
from nonstop.surrogate.model import DEFAULT_SURROGATE
from nonstop.workers.usage import Usage, overall
from nonstop_bench.problems.hartmann import HARTMANN6

HEADER = (
    "| worker | evaluating (s) | evaluating | proposing | storing | not evaluating | idle (s) |\n"
    "|---|---|---|---|---|---|---|"
)
RESULTS = Path(__file__).parent / "results" / "utilisation.md"


@dataclass(frozen=True)
class Slow:
    """Hartmann-6, after sleeping for `seconds`."""

    seconds: float

    def __call__(self, params: Mapping[str, object]) -> float:
        time.sleep(self.seconds)
        return HARTMANN6.objective(params)


def run(
    url: str, how: tuple[str, str], workers: int, trials: int, seconds: float
) -> tuple[nonstop.Study, tuple[Usage, ...]]:
    """Optimise with this rule and surrogate; the study, and the usage of each worker."""
    rule, surrogate = how
    study = nonstop.create_study(url, " ".join(how), space=HARTMANN6.space, rule=rule, surrogate=surrogate, seed=0)
    return study, study.optimize(Slow(seconds), n_trials=trials, workers=workers, progress=False)


def row(usage: Usage) -> str:
    """One row of the table. Idle time for lack of budget is not overhead, and has its own column."""
    working = replace(usage, idle=0.0)
    shares = [100 * part / working.total for part in (usage.evaluating, usage.proposing, usage.storing)]
    cells = [f"{usage.evaluating:.2f}", *(f"{share:.2f} %" for share in shares), f"{100 - shares[0]:.2f} %"]
    return f"| {usage.worker} | {' | '.join(cells)} | {usage.idle:.2f} |"


def table(usages: Sequence[Usage]) -> str:
    """The table of all workers, with their sum."""
    return "\n".join([HEADER, *(row(usage) for usage in usages), row(overall(usages))])


def latencies(study: nonstop.Study) -> str:
    """The latencies of trials, from diagnostics and timestamps."""
    seconds = [t.diagnostics.seconds for t in study.trials if t.diagnostics is not None and t.diagnostics.proposed]
    between = [t.started_at - t.asked_at for t in study.trials if t.started_at and t.asked_at]
    return (
        f"Suggestion (fit and maximisation), median {1e3 * median(seconds):.1f} ms, 95 % below "
        f"{1e3 * np.quantile(seconds, 0.95):.1f} ms. From being granted a number to running: median "
        f"{1e3 * median(between):.1f} ms, 95 % below {1e3 * np.quantile(between, 0.95):.1f} ms."
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the page and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one evaluation")
    parser.add_argument("--storage", help="a URL (default: an SQLite file in a temporary folder)")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        url = options.storage or f"sqlite:///{folder}/runs.db"
        load, started = os.getloadavg()[0], time.perf_counter()
        study, usages = run(url, (DEFAULT_RULE, DEFAULT_SURROGATE), options.workers, options.trials, options.seconds)
        wall = time.perf_counter() - started
        seen = overall(utilisation(study.trials))
        paper, papers = run(url, ("ucb", "paper"), options.workers, options.trials, options.seconds)
        without, floor = run(url, ("random", "paper"), options.workers, options.trials, options.seconds)
        page = f"""# Utilisation

`python benchmarks/utilisation.py --workers {options.workers} --trials {options.trials} --seconds {options.seconds:g}`
on {platform.system()}, numpy {np.__version__}, SQLite {driver().sqlite_version}, {os.cpu_count()} cores
(load average {load:.1f} before the start, which should be 0): Hartmann-6 (d = 6), every evaluation sleeps
{options.seconds:g} s. Times are what the workers measured.

{table(usages)}

{latencies(study)}
Wall time {wall:.1f} s with starting the processes. From the timestamps of the trials alone, as `nonstop show` has it:
{100 * seen.utilisation:.2f} % evaluating.

The same with the paper's configuration, `rule="ucb", surrogate="paper"`:

{HEADER}
{row(overall(papers))}

{latencies(paper)}

The floor on this machine, the same with `rule="random"`, which fits and maximises nothing:

{HEADER}
{row(overall(floor))}

Target: at most 1 % not evaluating.
"""
        study.storage.close()
        paper.storage.close()
        without.storage.close()
    print(page)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(page)


if __name__ == "__main__":
    main()
