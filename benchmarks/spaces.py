"""Conditional and constrained spaces: nonstop beside Optuna's TPE, SMAC3 and random points, on nine tasks.

Runs are appended to benchmarks/results/spaces-quality.jsonl, one line each; started again, it goes on where it was. The
table is made of that file: benchmarks/results/spaces-quality.md.

python benchmarks/spaces.py                    # an hour or two on one core
python benchmarks/spaces.py --only-table
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Final

from nonstop_bench.spaces.catalogue import TASKS
from nonstop_bench.spaces.field import NAMES, make
from nonstop_bench.spaces.race import Run, race
from nonstop_bench.spaces.report import page

RESULTS: Final = Path(__file__).parent / "results"
DIGITS: Final = 12
#: Where seeds do not begin at 0: how conditional parameters are searched was chosen on the first ones of these tasks.
FIRST: Final = {"branches": 100, "nested": 100, "classifier": 100}


def stored(path: Path) -> list[Run]:
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Run(**row | {"values": tuple(row["values"])}) for row in rows]


def line(run: Run) -> str:
    values = [None if value is None else float(f"{value:.{DIGITS}g}") for value in run.values]
    return json.dumps(asdict(run) | {"values": values, "seconds": round(run.seconds, 3)})


def done(task: str, name: str, seed: int) -> Run:
    return race(TASKS[task], name, seed, lambda: make(name, TASKS[task].declared, seed))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--contenders", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--only-table", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    path = options.out / "spaces-quality.jsonl"
    known = {run.key for run in stored(path)}
    wanted = [] if options.only_table else product(range(options.seeds), options.contenders, options.tasks)
    for turn, name, task in wanted:
        seed = FIRST.get(task, 0) + turn
        if (task, name, seed) not in known:
            run = done(task, name, seed)
            with path.open("a", encoding="utf-8") as file:
                file.write(line(run) + "\n")
            print(f"{task} {name} {seed}: {run.seconds:.1f} s", file=sys.stderr, flush=True)
    text = page([run for run in stored(path) if run.seed >= FIRST.get(run.task, 0)])
    (options.out / "spaces-quality.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
