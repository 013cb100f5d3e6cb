"""Ten thousand results: how long a proposal takes, and how good it is, beside thinning, Optuna's TPE and random search.

Two questions. *Going on*: all contenders get the same results, half of them quasi-random and half random steps around
the best ones, and make the last 96 of 10,000 evaluations. *From the start*: each makes all 10,000 by itself. Eight
workers on a virtual clock, evaluations of one second on average (going on) or of 20 ms (from the start, where they are
cheap); each suggestion costs the processor time that it takes. "Thinned" is the default before it had close-ups: a
model of the best thousand results and of a thousand others, even in time.

Regret is of the exact value, as a part of the range: at the best result, or, with noise, at the one that a model of all
results believes best, the same model for all.

python benchmarks/large.py                  # about an hour and a half of one core; needs Optuna
python benchmarks/large.py --only times     # a minute; wants a quiet machine
"""

from __future__ import annotations

import argparse
import heapq
import json
import multiprocessing
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from nonstop import Hyperparameters, Surrogate, propose
from nonstop.numerics.quasirandom import halton
from nonstop.numerics.threads import limit_threads
from nonstop.space.encoding import cube_of, decode
from nonstop.surrogate.fitted import fitted
from nonstop.surrogate.model import NONSTOP
from nonstop.types import Array
from nonstop_bench.origin import origin
from nonstop_bench.problems.catalogue import find

RESULTS: Final = Path(__file__).parent / "results" / "large.jsonl"
#: Tasks and their noise, as a part of the range of their values. None of them played a part in choosing close-ups.
TASKS: Final = (("bbob-f9-20", 0.0), ("bbob-f17-20", 0.0), ("rotated-styblinski-tang-8", 0.03), ("gp-6-1", 0.1))
WHOLE: Final = (("bbob-f20-10", 0.0), ("rotated-styblinski-tang-8", 0.1))
CONTENDERS: Final = ("nonstop", "thinned", "optuna-tpe", "random")
#: From the start, a proposal by thinning takes too long for ten thousand of them.
FROM_THE_START: Final = ("nonstop", "optuna-tpe", "random")
THINNED: Final = replace(NONSTOP, max_points=2000, close_ups=False)
SIZE: Final = 10_000
WORKERS: Final = 8


class Run(NamedTuple):
    """One run: `given` results come with the task, and `evaluations` are made."""

    task: str
    noise: float
    contender: str
    seed: int
    given: int
    evaluations: int
    seconds: float

    @property
    def cuts(self) -> list[int]:
        """After how many of all results regrets are taken: powers of two from the start, else every sixth part."""
        last = self.given + self.evaluations
        if self.given < self.evaluations:
            return [*(cut for cut in (2**i * 125 for i in range(10)) if self.given < cut < last), last]
        return [self.given + self.evaluations * i // 6 for i in range(1, 7)]


class Contender(Protocol):
    """Something that suggests points to maximise."""

    def ask(self, X: Array, y: Array, busy: Array, seed: int) -> Array:
        """The next point."""

    def tell(self, x: Array, value: float) -> None:
        """What came out at a point that was asked for."""


class Ours:
    """The default rule on a surrogate, each fit warm from the last."""

    def __init__(self, surrogate: Surrogate) -> None:
        self.surrogate = surrogate
        self.warm: Hyperparameters | None = None

    def ask(self, X: Array, y: Array, busy: Array, seed: int) -> Array:
        made = propose(X, y, busy, seed=seed, warm=self.warm, surrogate=self.surrogate)
        self.warm = made.hyperparameters
        return made.x

    def tell(self, x: Array, value: float) -> None:
        """Nothing to remember."""


class Anywhere:
    """Random search."""

    def ask(self, X: Array, y: Array, busy: Array, seed: int) -> Array:  # noqa: ARG002
        return np.asarray(np.random.default_rng(seed).random(X.shape[1]))

    def tell(self, x: Array, value: float) -> None:
        """Nothing to remember."""


class TPE:
    """Optuna's TPE as it comes."""

    def __init__(self, X: Array, y: Array, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        unit = optuna.distributions.FloatDistribution(0.0, 1.0)
        space: dict[str, Any] = {f"x{j}": unit for j in range(X.shape[1])}
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


def contender_of(run: Run, X: Array, y: Array) -> Contender:
    """The contender, which knows the results that are given."""
    match run.contender:
        case "optuna-tpe":
            return TPE(X, y, run.seed)
        case "random":
            return Anywhere()
        case name:
            return Ours(NONSTOP if name == "nonstop" else THINNED)


class Task(NamedTuple):
    """A function to maximise on the unit cube, its maximum, and the range and noise of its values."""

    function: Callable[[Array], float]
    d: int
    most: float
    scale: float
    noise: float

    @classmethod
    def of(cls, name: str, noise: float, seed: int) -> Task:
        task = find(name, seed)
        d = cube_of(task.space).dim

        def function(x: Array) -> float:
            return -task.objective(decode(task.space, x))

        sample = [function(x) for x in halton(1000, d, seed=0)]
        scale = max(sample) - min(sample)
        return cls(function, d, -task.optimum, scale, noise * scale)

    def results(self, n: int, seed: int) -> tuple[Array, Array]:
        """n results: half of them quasi-random, half at random steps from one of the best twenty so far."""
        rng = np.random.default_rng([seed, 1])
        X = halton(max(n // 2, min(n, 40)), self.d, seed=seed)
        y = np.array([self.function(x) for x in X]) + self.noise * rng.standard_normal(len(X))
        while len(X) < n:
            size = min(50, n - len(X))
            centers = X[np.argsort(-y, kind="stable")[:20]][rng.integers(20, size=size)]
            steps = np.exp(rng.uniform(np.log(0.01), np.log(0.3), size=(size, 1)))
            more = (centers + steps * rng.standard_normal((size, self.d))).clip(0.0, 1.0)
            X = np.concatenate([X, more])
            y = np.append(y, [self.function(x) for x in more] + self.noise * rng.standard_normal(size))
        return X, y

    def regret(self, X: Array, y: Array) -> float:
        """Of the best result, or of the one that is believed best."""
        best = int(y.argmax())
        if self.noise:
            with limit_threads(1):
                model = fitted(THINNED, X, y)
            best = int(model.rows[model.gp.at_data().argmax()])
        return (self.most - self.function(X[best])) / self.scale


def played(run: Run) -> dict[str, Any]:
    """The run: its regrets, and when they were reached."""
    task = Task.of(run.task, run.noise, run.seed)
    X, y = task.results(run.given, run.seed)
    before = task.regret(X, y)
    contender = contender_of(run, X, y)
    rng = np.random.default_rng([run.seed, 2])
    busy: dict[int, Array] = {}
    ends: list[tuple[float, int]] = []
    asked, seconds, cuts = 0, [], []

    def start(now: float) -> None:
        nonlocal asked
        started = time.process_time()
        x = contender.ask(X, y, np.array(list(busy.values())).reshape(-1, task.d), 100_000 * run.seed + asked)
        seconds.append(time.process_time() - started)
        busy[asked] = x
        heapq.heappush(ends, (now + seconds[-1] + run.seconds * float(rng.gamma(4.0, 0.25)), asked))
        asked += 1

    for _ in range(WORKERS):
        start(0.0)
    while len(X) < run.given + run.evaluations:
        now, number = heapq.heappop(ends)
        x = busy.pop(number)
        value = task.function(x) + task.noise * float(rng.standard_normal())
        contender.tell(x, value)
        X, y = np.concatenate([X, x[None]]), np.append(y, value)
        if len(X) in run.cuts:
            cuts.append({"results": len(X), "time": round(now, 3), "regret": task.regret(X, y)})
        if asked < run.evaluations:
            start(now)
    made = origin()
    cost = {"suggestion": float(np.median(seconds)), "total": float(np.sum(seconds))}
    return {**run._asdict(), "commit": made.commit, "clean": made.clean, "before": before, **cost, "cuts": cuts}


def timed() -> list[dict[str, Any]]:
    """Processor seconds and megabytes of proposals from ten thousand results, in a process of its own for each task."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        return list(pool.map(_timed, TASKS))


def _timed(known: tuple[str, float]) -> dict[str, Any]:
    task = Task.of(*known, seed=0)
    X, y = task.results(SIZE, seed=0)
    busy = halton(WORKERS - 1, task.d, seed=1)
    cold, warm = [], []

    def seconds(n: int, seed: int, start: Hyperparameters | None) -> tuple[float, Hyperparameters | None]:
        started = time.process_time()
        made = propose(X[:n], y[:n], busy, seed=seed, warm=start)
        return time.process_time() - started, made.hyperparameters

    for seed in range(3):
        took, found = seconds(SIZE, seed, None)
        cold.append(took)
        warm += [seconds(SIZE - k, 10 * seed + k, found)[0] for k in range(1, 9)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    times = {"cold": max(cold), "warm": float(np.median(warm)), "slowest": max(warm)}
    return {"task": known[0], "d": task.d, **times, "peak": peak}


def page(times: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]]) -> str:
    """The tables."""
    text = f"""# Ten thousand results

`make bench-large`, one thread; the raw results are in `large.jsonl`.

## A proposal from {SIZE} results, in processor time

| task | d | cold, slowest of 3 (s) | warm, median of 24 (s) | warm, slowest (s) | peak of the process (MB) |
|---|---|---|---|---|---|
"""
    for row in times:
        cells = " | ".join(f"{row[key]:.2f}" for key in ("cold", "warm", "slowest"))
        text += f"| {row['task']} | {row['d']} | {cells} | {row['peak']:.0f} |\n"
    going_on = [run for run in runs if run["given"] > run["evaluations"]]
    whole = [run for run in runs if run["given"] <= run["evaluations"]]
    return text + _going_on(going_on) + _whole(whole)


def _going_on(runs: Sequence[Mapping[str, Any]]) -> str:
    text = """
## Going on: the last 96 of 10,000 evaluations

Medians of the regret as a part of the range, and in which share of seeds nonstop's is the smaller one (a draw is half).
At equal time all stop when the first contender has made all its evaluations.

| task | noise | contender | suggestion (ms) | before | equal evaluations | nonstop wins | equal time | nonstop wins |
|---|---|---|---|---|---|---|---|---|
"""
    for task, noise in TASKS:
        found = {(run["contender"], run["seed"]): run for run in runs if run["task"] == task}
        seeds = sorted({seed for _, seed in found})
        seeds = [seed for seed in seeds if all((name, seed) in found for name in CONTENDERS)]
        if not seeds:
            continue
        limit = {seed: min(found[name, seed]["cuts"][-1]["time"] for name in CONTENDERS) for seed in seeds}
        last = {key: run["cuts"][-1]["regret"] for key, run in found.items() if key[1] in seeds}
        timely = {key: _at(found[key], limit[key[1]]) for key in last}
        for name in CONTENDERS:
            before = _median(found[name, seed]["before"] for seed in seeds)
            cells = [f"{1000 * np.median([found[name, seed]['suggestion'] for seed in seeds]):.0f}", before]
            for regrets in (last, timely):
                cells += [_median(regrets[name, seed] for seed in seeds), _won(regrets, name, seeds)]
            text += f"| {task} | {noise:.0%} | {name} (seeds: {len(seeds)}) | {' | '.join(cells)} |\n"
    return text


def _whole(runs: Sequence[Mapping[str, Any]]) -> str:
    text = """
## From the start: all 10,000 evaluations

Evaluations of 20 ms on average. Medians of the regret as a part of the range after so many results, and the minutes
that 8 workers need for all of them, suggestions included. Equal time: when the quickest has made all.

"""
    for task, noise in WHOLE:
        found = {(run["contender"], run["seed"]): run for run in runs if run["task"] == task}
        seeds = [seed for seed in range(100) if all((name, seed) in found for name in FROM_THE_START)]
        if not seeds:
            continue
        cuts = [cut["results"] for cut in found["nonstop", seeds[0]]["cuts"]]
        text += f"{task}, noise of {noise:.0%}; seeds: {len(seeds)}\n\n"
        text += (
            f"| contender | {' | '.join(map(str, cuts))} | minutes | equal time |\n|---|{'---|' * (len(cuts) + 2)}\n"
        )
        limit = {seed: min(found[name, seed]["cuts"][-1]["time"] for name in FROM_THE_START) for seed in seeds}
        for name in FROM_THE_START:
            own = [found[name, seed] for seed in seeds]
            cells = [_median(run["cuts"][i]["regret"] for run in own) for i in range(len(cuts))]
            minutes = np.median([run["cuts"][-1]["time"] for run in own]) / 60.0
            timely = _median(_at(run, limit[run["seed"]]) for run in own)
            text += f"| {name} | {' | '.join(cells)} | {minutes:.1f} | {timely} |\n"
        text += "\n"
    return text


def _at(run: Mapping[str, Any], when: float) -> float:
    """The regret at a time: that of the last cut before it."""
    reached = [cut["regret"] for cut in run["cuts"] if cut["time"] <= when]
    return float(reached[-1] if reached else run["before"])


def _median(values: Any) -> str:
    return f"{np.median(list(values)):.1e}"


def _won(regrets: Mapping[tuple[str, int], float], name: str, seeds: Sequence[int]) -> str:
    if name == "nonstop":
        return "–"
    signs = [np.sign(regrets[name, seed] - regrets["nonstop", seed]) for seed in seeds]
    return f"{0.5 + 0.5 * np.mean(signs):.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, keep the raw results, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="of the runs that go on")
    parser.add_argument("--whole", type=int, default=2, help="seeds of the runs from the start")
    parser.add_argument("--evaluations", type=int, default=96, help="how many of the ten thousand are made, going on")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=("times", "runs", "page"), help="measure nothing else")
    options = parser.parse_args(arguments)
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    times, runs = [line for line in lines if "cold" in line], [line for line in lines if "cold" not in line]
    if options.only in (None, "times"):
        times = timed()
    given = SIZE - options.evaluations
    wanted = [
        Run(*task, contender, seed, given, options.evaluations, 1.0)
        for seed, task, contender in product(range(options.seeds), TASKS, CONTENDERS)
    ] + [
        Run(*task, contender, seed, 30, SIZE - 30, 0.02)
        for seed, task, contender in product(range(options.whole), WHOLE, FROM_THE_START)
    ]
    known = {tuple(run[name] for name in Run._fields) for run in runs}
    missing = [run for run in wanted if tuple(run) not in known] if options.only in (None, "runs") else []

    def keep() -> None:
        RESULTS.write_text("".join(json.dumps(line) + "\n" for line in [*times, *runs]))

    keep()
    with ProcessPoolExecutor(options.workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done, run in enumerate(pool.map(played, missing), 1):
            runs.append(run)
            keep()
            print(f"{done} of {len(missing)}: {run['task']} {run['contender']} seed {run['seed']}", flush=True)
    text = page(times, runs)
    print(text)
    RESULTS.with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
