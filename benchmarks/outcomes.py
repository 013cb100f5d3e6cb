"""Several outcomes: nonstop beside BoTorch, Optuna's samplers and quasi-random points, on sixteen problems.

With --speed it only times suggestions with several outcomes beside those with one: outcomes-speed.md.

Runs are appended to benchmarks/results/outcomes.jsonl, one line each; started again, it goes on where it was. The table
is made of that file: benchmarks/results/outcomes.md.

python benchmarks/outcomes.py                  # some hours on one core
python benchmarks/outcomes.py --only-table
python benchmarks/outcomes.py --speed
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import Final

from nonstop_bench.outcomes import speed
from nonstop_bench.outcomes.catalogue import PROBLEMS
from nonstop_bench.outcomes.field import NAMES, OURS, entered, make
from nonstop_bench.outcomes.race import Run, race, start
from nonstop_bench.outcomes.report import page
from nonstop_bench.outcomes.speed import table

RESULTS: Final = Path(__file__).parent / "results"
DIGITS: Final = 9
SPEED: Final = speed.__doc__ or ""


def stored(path: Path) -> list[Run]:
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Run(**{"version": ""} | row | {"reached": tuple(row["reached"])}) for row in rows]


def line(run: Run) -> str:
    reached = [None if value is None else float(f"{value:.{DIGITS}g}") for value in run.reached]
    return json.dumps(asdict(run) | {"reached": reached, "seconds": round(run.seconds, 4)})


def done(name: str, contender: str, seed: int) -> Run:
    problem = PROBLEMS[name]
    return race(problem, contender, seed, lambda: make(contender, problem, seed, start(problem)), version(contender))


def version(contender: str) -> str:
    """Name and version of the package that proposes; of nonstop the commit."""
    package = contender.split("-")[0]
    if package == "random":
        return ""
    if package != OURS:
        return f"{package} {metadata.version(package)}"
    git = ["git", "-C", str(RESULTS), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return f"{OURS} {metadata.version(OURS)} {commit}".strip()


def timed() -> str:
    text = ["# Suggestions with several outcomes", "Made by `make bench-outcomes`. " + " ".join(SPEED.split()), table()]
    return "\n\n".join(text) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=100, help="the first seed; what was chosen was chosen on 0 to 4")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--contenders", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--only-table", action="store_true")
    parser.add_argument("--speed", action="store_true", help="only time suggestions")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    path = options.out / "outcomes.jsonl"
    if options.speed:
        text, name = timed(), "outcomes-speed.md"
    else:
        if not options.only_table:
            complete(path, options)
        text, name = page(stored(path)), "outcomes.md"
    (options.out / name).write_text(text, encoding="utf-8")
    print(text)


def complete(path: Path, options: argparse.Namespace) -> None:
    """Run what is missing."""
    known = {run.key for run in stored(path)}
    seeds = range(options.first, options.first + options.seeds)
    for seed, contender, problem in product(seeds, options.contenders, options.problems):
        if (problem, contender, seed) not in known and contender in entered(PROBLEMS[problem]):
            run = done(problem, contender, seed)
            with path.open("a", encoding="utf-8") as file:
                file.write(line(run) + "\n")
            regret = PROBLEMS[problem].regret(run.reached[-1])
            print(f"{problem} {contender} {seed}: {regret:.3g}, {run.seconds:.3f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
