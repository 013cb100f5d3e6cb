"""How long a suggestion takes under each rule, with busy points; beside it BoTorch's counterparts, where installed.

    python -m nonstop_bench.rulespeed [--repeats 15] [--out benchmarks/results]        (rules.md)

All rules see the same data and the same warm start of the fit, as in a running study; rounds go through all rules in
turn, so that other load on the machine slows all of them alike. `ratio` is the median over rounds of the time
divided by that of ucb.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np

from nonstop.acquisition.rules import RULES
from nonstop.propose import propose
from nonstop_bench.peers.datasets import Array, Dataset, history

D, N, BUSY = 10, 200, 7
#: How many times ucb a rule may take (issue 4).
LIMITS = {"kb-ucb": 1.5, "kb-logei": 1.5, "ts": 3.0, "aegis": 3.0, "lp-ucb": 5.0, "llp-ucb": 5.0, "e-logei": 8.0}
_PEER_ROUNDS = 3  # they take seconds each


@dataclass(frozen=True, slots=True)
class Speed:
    """The median time of one suggestion, and its ratio to ucb in the same round."""

    name: str
    seconds: float
    ratio: float


def busy_points(data: Dataset, count: int = BUSY) -> Array:
    """Points around the best result, as late in a run."""
    best = data.X[np.argmax(data.y)]
    points: Array = best + 0.1 * np.random.default_rng(0).standard_normal((count, data.X.shape[1]))
    return np.clip(points, 0.0, 1.0)


def measure(repeats: int = 15) -> list[Speed]:
    """The speeds of all rules, and of the two of BoTorch if it can be imported."""
    data = history(D, N)
    busy = busy_points(data)
    warm = propose(data.X[:-1], data.y[:-1], busy, surrogate="paper").hyperparameters

    def suggestion(rule: str) -> Callable[[int], object]:
        return lambda seed: propose(data.X, data.y, busy, rule, seed, surrogate="paper", warm=warm)

    names = [name for name, rule in RULES.items() if getattr(rule, "objectives", 1) == 1]
    speeds = _raced({name: suggestion(name) for name in names}, repeats)
    if find_spec("botorch") is not None:
        from nonstop_bench.peers.botorchrules import counterparts

        peers = {"ucb": suggestion("ucb"), **counterparts(data, busy)}
        speeds += _raced(peers, _PEER_ROUNDS)[1:]
    return speeds


def _raced(contenders: dict[str, Callable[[int], object]], repeats: int) -> list[Speed]:
    times = np.empty((repeats, len(contenders)))
    for run in contenders.values():
        run(repeats)  # one-time work is not measured
    for seed in range(repeats):
        for column, run in enumerate(contenders.values()):
            started = perf_counter()
            run(seed)
            times[seed, column] = perf_counter() - started
    ucb = times[:, list(contenders).index("ucb")]
    return [
        Speed(name, float(np.median(column)), float(np.median(column / ucb)))
        for name, column in zip(contenders, times.T, strict=True)
    ]


def table(speeds: list[Speed]) -> str:
    """The speeds as a Markdown page."""
    lines = [f"One suggestion at d = {D}, n = {N}, {BUSY} busy points, warm fit included, one thread.", ""]
    lines += ["| rule | median | ratio to ucb | at most |", "|---|---|---|---|"]
    for speed in speeds:
        limit = f"{LIMITS[speed.name]:g}" if speed.name in LIMITS else ""
        lines.append(f"| {speed.name} | {1e3 * speed.seconds:.1f} ms | {speed.ratio:.2f} | {limit} |")
    lines += ["", f"`python -m nonstop_bench.rulespeed`; load average {os.getloadavg()[0]:.1f}: alone it would be 1."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print the table and write it."""
    parser = argparse.ArgumentParser(prog="python -m nonstop_bench.rulespeed", description="Time every rule.")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--out", type=Path, help="folder for rules.md")
    arguments = parser.parse_args()
    text = table(measure(arguments.repeats))
    print(text)
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "rules.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
