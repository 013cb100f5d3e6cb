"""Ten thousand results: how long a proposal takes, and how good it is, beside thinning, Optuna's TPE and random search.

Every contender gets the same prefix, half of it quasi-random and half random steps around its best points, and goes on
from there with q = 8 workers on a virtual clock: evaluations of one second on average, and the processor time of each
suggestion. Regret is of the exact value at two results: the best observed one, and the one that a model of all results
believes best (the same model for all). "Thinned" is what nonstop did before: the best thousand results and an even
choice of a thousand others.

python benchmarks/large.py                  # about half an hour of one core; needs Optuna
python benchmarks/large.py --only-times     # a minute; wants a quiet machine
"""

from __future__ import annotations

import argparse
import heapq
import json
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from nonstop import Hyperparameters, propose
from nonstop.acquisition.aim import Aim
from nonstop.acquisition.focus import modelled
from nonstop.numerics.quasirandom import halton
from nonstop.numerics.threads import limit_threads
from nonstop.space.embedding import PLAIN
from nonstop.space.encoding import cube_of, decode
from nonstop.surrogate.model import NONSTOP
from nonstop.surrogate.thinning import best_and_even
from nonstop.types import Array
from nonstop_bench.problems.catalogue import find

RESULTS: Final = Path(__file__).parent / "results"
#: A task and its noise, as a part of the range of its values.
TASKS: Final = (("hartmann-6", 0.1), ("shifted-ackley-10", 0.0))
CONTENDERS: Final = ("nonstop", "thinned", "optuna-tpe", "random")
TURNS: Final = ("kb-ucb", "kb-ucb", "kb-logei")
SIZE: Final = 10_000
WORKERS: Final = 8


class Run(NamedTuple):
    """One run."""

    task: str
    noise: float
    contender: str
    seed: int
    evaluations: int


class Contender(Protocol):
    """Something that suggests points to maximise."""

    def ask(self, X: Array, y: Array, busy: Array, seed: int) -> Array:
        """The next point."""

    def tell(self, x: Array, value: float) -> None:
        """What came out at a point that was asked for."""


class Ours:
    """The default, of all results or of those that thinning leaves."""

    def __init__(self, thinned: bool) -> None:
        self.thinned = thinned
        self.warm: Hyperparameters | None = None

    def ask(self, X: Array, y: Array, busy: Array, seed: int) -> Array:
        # The turn is that of all results, thinned or not.
        rule = TURNS[(len(X) + len(busy)) % len(TURNS)]
        if self.thinned:
            rows = best_and_even(y, NONSTOP.max_points)
            X, y = X[rows], y[rows]
        made = propose(X, y, busy, rule, seed, warm=self.warm)
        self.warm = made.hyperparameters
        return made.x

    def tell(self, x: Array, value: float) -> None:
        """Nothing to remember."""


class Anywhere:
    """Random search."""

    def ask(self, X: Array, y: Array, busy: Array, seed: int) -> Array:  # noqa: ARG002
        return np.random.default_rng(seed).random(X.shape[1])

    def tell(self, x: Array, value: float) -> None:
        """Nothing to remember."""


class TPE:
    """Optuna's TPE as it comes."""

    def __init__(self, X: Array, y: Array, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        unit = optuna.distributions.FloatDistribution(0.0, 1.0)
        space = {f"x{j}": unit for j in range(X.shape[1])}
        self.study.add_trials(
            [
                optuna.trial.create_trial(
                    params=dict(zip(space, x.tolist(), strict=True)), distributions=space, value=value
                )
                for x, value in zip(X, y.tolist(), strict=True)
            ]
        )
        self.open: dict[bytes, Any] = {}

    def ask(self, X: Array, y: Array, busy: Array, seed: int) -> Array:  # noqa: ARG002
        trial = self.study.ask()
        x = np.array([trial.suggest_float(f"x{j}", 0.0, 1.0) for j in range(X.shape[1])])
        self.open[x.tobytes()] = trial
        return x

    def tell(self, x: Array, value: float) -> None:
        self.study.tell(self.open.pop(x.tobytes()), value)


def prefix(function: Callable[[Array], float], d: int, n: int, noise: float, seed: int) -> tuple[Array, Array]:
    """n results: half of them quasi-random, half at random steps from one of the best twenty so far."""
    rng = np.random.default_rng([seed, 1])
    X = halton(n // 2, d, seed=seed)
    y = np.array([function(x) for x in X]) + noise * rng.standard_normal(len(X))
    while len(X) < n:
        size = min(50, n - len(X))
        centers = X[np.argsort(-y, kind="stable")[:20]][rng.integers(20, size=size)]
        steps = np.exp(rng.uniform(np.log(0.01), np.log(0.3), size=(size, 1)))
        more = (centers + steps * rng.standard_normal((size, d))).clip(0.0, 1.0)
        X = np.concatenate([X, more])
        y = np.append(y, [function(x) for x in more] + noise * rng.standard_normal(size))
    return X, y


def played(run: Run) -> dict[str, Any]:
    """The run: when each evaluation ended, its exact value, and the results."""
    task = find(run.task)
    d = cube_of(task.space).dim

    def function(x: Array) -> float:
        return -task.objective(decode(task.space, x))

    sample = [function(x) for x in halton(1000, d, seed=0)]
    scale = max(sample) - min(sample)
    noise = run.noise * scale
    X, y = prefix(function, d, SIZE - run.evaluations, noise, run.seed)
    contender = _contender(run, X, y)
    rng = np.random.default_rng([run.seed, 2])
    busy: dict[int, Array] = {}
    ends: list[tuple[float, int]] = []
    asked, seconds, trace = 0, [], []

    def start(now: float) -> None:
        nonlocal asked
        started = time.process_time()
        x = contender.ask(X, y, np.array(list(busy.values())).reshape(-1, d), 1000 * run.seed + asked)
        seconds.append(time.process_time() - started)
        busy[asked] = x
        heapq.heappush(ends, (now + seconds[-1] + float(rng.gamma(4.0, 0.25)), asked))
        asked += 1

    for _ in range(WORKERS):
        start(0.0)
    while len(trace) < run.evaluations:
        now, number = heapq.heappop(ends)
        x = busy.pop(number)
        value = function(x) + noise * float(rng.standard_normal())
        contender.tell(x, value)
        X, y = np.concatenate([X, x[None]]), np.append(y, value)
        trace.append(now)
        if len(trace) < run.evaluations:
            start(now)
    exact = np.array([function(x) for x in X])
    regret = (-task.optimum - exact) / scale
    cuts = {str(k): _judged(X[:k], y[:k], regret) for k in _cuts(run.evaluations)}
    return {
        **run._asdict(),
        "ends": [round(end, 4) for end in trace],
        "seconds": float(np.median(seconds)),
        "before": _judged(X[: SIZE - run.evaluations], y[: SIZE - run.evaluations], regret),
        "regrets": cuts,
    }


def _contender(run: Run, X: Array, y: Array) -> Contender:
    if run.contender == "optuna-tpe":
        return TPE(X, y, run.seed)
    return Anywhere() if run.contender == "random" else Ours(run.contender == "thinned")


def _cuts(evaluations: int) -> list[int]:
    """After how many results regrets are taken: every quarter of the run."""
    return [SIZE - evaluations + evaluations * i // 4 for i in range(1, 5)]


def _judged(X: Array, y: Array, regret: Array) -> tuple[float, float]:
    """The regrets of the best observed and of the best believed result."""
    with limit_threads(1):
        (model,) = modelled(NONSTOP, Aim.of(None), X, y[None], (None,), PLAIN)
    believed = model.rows[model.gp.at_data().argmax()]
    return float(regret[y.argmax()]), float(regret[believed])


def timed() -> list[dict[str, Any]]:
    """Processor seconds and megabytes of proposals from ten thousand results, in a process of its own for each task."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        return list(pool.map(_timed, TASKS))


def _timed(task: tuple[str, float]) -> dict[str, Any]:
    problem = find(task[0])
    d = cube_of(problem.space).dim
    X, y = prefix(lambda x: -problem.objective(decode(problem.space, x)), d, SIZE, task[1], 0)
    busy = halton(WORKERS - 1, d, seed=1)
    cold, warm = [], []

    def seconds(n: int, seed: int, known: Hyperparameters | None) -> tuple[float, Hyperparameters | None]:
        started = time.process_time()
        made = propose(X[:n], y[:n], busy, seed=seed, warm=known)
        return time.process_time() - started, made.hyperparameters

    for seed in range(3):
        took, found = seconds(SIZE, seed, None)
        cold.append(took)
        # The turns change with the number of results; the last of these is 21 results away, and so a new fit.
        warm += [seconds(SIZE - k, seed + k, found)[0] for k in (1, 2, 3, 21)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "task": task[0],
        "cold": max(cold),
        "warm": float(np.median(warm)),
        "slowest warm": max(warm),
        "peak MB": peak,
    }


def page(times: list[dict[str, Any]], runs: list[dict[str, Any]]) -> str:
    """The tables."""
    text = f"""# Ten thousand results

`python benchmarks/large.py`, or `make bench-large`. One thread.

## A proposal from {SIZE} results, in processor time

| task | cold, slowest of 3 (s) | warm, median of 12 (s) | warm, slowest (s) | peak of the process (MB) |
|---|---|---|---|---|
"""
    for row in times:
        cells = [f"{row[key]:.2f}" for key in ("cold", "warm", "slowest warm")]
        text += f"| {row['task']} | {' | '.join(cells)} | {row['peak MB']:.0f} |\n"
    seeds = sorted({run["seed"] for run in runs})
    for task, noise in TASKS:
        mine = {(run["contender"], run["seed"]): run for run in runs if run["task"] == task}
        if not mine:
            continue
        evaluations = next(iter(mine.values()))["evaluations"]
        text += f"""
## {task}, noise of {100 * noise:g} % of the range

The last {evaluations} of {SIZE} evaluations, {len(seeds)} seeds: medians of the regret as a part of the range, of the
best observed and of the best believed result; and in which share of pairs nonstop's is smaller (a draw is half). At
equal time all stop when the first contender has made all its evaluations.

| contender | suggestion (ms) | before | equal evaluations | nonstop wins | equal time | nonstop wins |
|---|---|---|---|---|---|---|
"""
        last = {key: run["regrets"][str(SIZE)] for key, run in mine.items()}
        timely = {
            key: _at(run, min(mine[other, key[1]]["ends"][-1] for other in CONTENDERS)) for key, run in mine.items()
        }
        for contender in CONTENDERS:
            own = [mine[contender, seed] for seed in seeds]
            cells = [
                f"{1000 * np.median([run['seconds'] for run in own]):.0f}",
                _medians([run["before"] for run in own]),
            ]
            for found in (last, timely):
                cells.append(_medians([found[contender, seed] for seed in seeds]))
                cells.append("–" if contender == "nonstop" else _won(found, contender, seeds))
            text += f"| {contender} | {' | '.join(cells)} |\n"
    return text


def _at(run: dict[str, Any], when: float) -> tuple[float, float]:
    """The regrets at a time: those of the last cut before it."""
    done = SIZE - run["evaluations"] + sum(end <= when for end in run["ends"])
    cuts = [cut for cut in _cuts(run["evaluations"]) if cut <= done]
    found = run["regrets"][str(cuts[-1])] if cuts else run["before"]
    return found[0], found[1]


def _medians(pairs: Sequence[Sequence[float]]) -> str:
    return " / ".join(f"{value:.1e}" for value in np.median(pairs, axis=0))


def _won(found: dict[tuple[str, int], Sequence[float]], contender: str, seeds: Sequence[int]) -> str:
    gains = np.array([np.subtract(found[contender, seed], found["nonstop", seed]) for seed in seeds])
    return " / ".join(f"{share:.2f}" for share in (0.5 + 0.5 * np.sign(gains)).mean(axis=0))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, keep the raw results, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--evaluations", type=int, default=96, help="how many of the ten thousand are made here")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only-times", action="store_true", help="measure the times; make no runs")
    parser.add_argument("--only-runs", action="store_true", help="make the runs that are missing; keep the times")
    options = parser.parse_args(arguments)
    path = RESULTS / "large.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    times, runs = [line for line in lines if "cold" in line], [line for line in lines if "cold" not in line]
    if not options.only_runs:
        times = timed()
    known = {tuple(run[name] for name in Run._fields) for run in runs}
    wanted = [
        Run(*task, contender, seed, options.evaluations)
        for seed, task, contender in product(range(options.seeds), TASKS, CONTENDERS)
    ]
    missing = [] if options.only_times else [run for run in wanted if tuple(run) not in known]
    with ProcessPoolExecutor(options.workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        for run in pool.map(played, missing):
            runs.append(run)
            path.write_text("".join(json.dumps(line) + "\n" for line in [*times, *runs]))
    path.write_text("".join(json.dumps(line) + "\n" for line in [*times, *runs]))
    text = page(times, [run for run in runs if tuple(run[name] for name in Run._fields) in set(wanted)])
    print(text)
    path.with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
