"""Time suggestions of nonstop, BoTorch and Optuna's GPSampler in turn, on the same data."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import geometric_mean, median
from time import perf_counter, process_time

import numpy as np

import nonstop
from nonstop.surrogate.fit import log_posterior
from nonstop.surrogate.gp import GP
from nonstop_bench.peers import botorch, optuna, own
from nonstop_bench.peers.datasets import history

# Repeats: at least, at most; between them as many as fit into the budget of seconds.
REPEATS = {
    "nonstop": (5, 15),
    "nonstop logei": (5, 15),
    "nonstop default": (9, 15),
    "BoTorch": (1, 5),
    "Optuna": (5, 9),
}
STARTS = ("scratch", "warm")

Job = Callable[[], object]


@dataclass(frozen=True)
class Timing:
    """All times of one contender in one cell. `seconds` and `cpu_seconds` are medians; where they differ, the machine
    was doing something else."""

    d: int
    n: int
    start: str
    who: str
    seconds: float
    cpu_seconds: float
    all_seconds: list[float]


@dataclass(frozen=True)
class Quality:
    """Ours minus BoTorch's, at equal hyperparameters for the UCB; positive is better."""

    d: int
    n: int
    log_posterior: float
    ucb: float


def warm_up() -> None:
    """Call every contender once, so that imports and caches are not timed."""
    for prepare in contenders(2, 12, "scratch").values():
        prepare(0)()


def measured(d: int, n: int, start: str, budget: float) -> list[Timing]:
    """Time all contenders in turn, so that other load on the machine affects them alike."""
    prepare = contenders(d, n, start)
    wall: dict[str, list[float]] = {who: [] for who in prepare}
    cpu: dict[str, list[float]] = {who: [] for who in prepare}
    for turn in range(max(most for _, most in REPEATS.values())):
        for who, (least, most) in REPEATS.items():
            if turn < least or (turn < most and sum(wall[who]) * (turn + 1) / turn < budget):
                job = prepare[who](turn)
                began, cpu_began = perf_counter(), process_time()
                job()
                wall[who].append(perf_counter() - began)
                cpu[who].append(process_time() - cpu_began)
    print(f"d={d} n={n} {start}: " + "  ".join(f"{who} {1e3 * median(each):.1f} ms" for who, each in wall.items()))
    sys.stdout.flush()
    return [Timing(d, n, start, who, median(each), median(cpu[who]), each) for who, each in wall.items()]


def contenders(d: int, n: int, start: str) -> dict[str, Callable[[int], Job]]:
    """Functions seed -> job. Warm means: the suggestion before the last datum was made by the same contender."""
    data = history(d, n)
    X, y = data.X, data.y
    warm = start == "warm"
    before = own.fitted(X[:-1], y[:-1]) if warm else None
    default_before = nonstop.propose(X[:-1], y[:-1]).hyperparameters if warm else None
    state = botorch.state_of(X[:-1], y[:-1]) if warm else None

    def optuna_job(seed: int) -> Job:
        study = optuna.warmed_study(X, y, seed) if warm else optuna.study_of(X, y, optuna.sampler_of(seed))
        return partial(optuna.ask, study)

    return {
        "nonstop": lambda seed: partial(nonstop.propose, X, y, rule="ucb", seed=seed, surrogate="paper", warm=before),
        "nonstop logei": lambda seed: partial(
            nonstop.propose, X, y, rule="logei", seed=seed, surrogate="paper", warm=before
        ),
        "nonstop default": lambda seed: partial(nonstop.propose, X, y, seed=seed, warm=default_before),
        "BoTorch": lambda seed: partial(botorch.suggest, X, y, warm=state, seed=seed),
        "Optuna": optuna_job,
    }


def quality(d: int, n: int) -> Quality:
    """Both fits judged by one objective; both maxima, at BoTorch's hyperparameters, judged by BoTorch."""
    data = history(d, n)
    X, y = data.X, data.y
    model = botorch.fit(X, y)
    theirs = own.hyperparameters(*botorch.hyper_of(model))
    fits = [log_posterior(X, y, phi) for phi in (own.fitted(X, y), theirs)]
    points = np.stack([own.maximise(GP.of(X, y, theirs), "ucb").x, botorch.maximise(model, "ucb", y).x])
    values = botorch.evaluate(model, "ucb", y, points)
    return Quality(d, n, fits[0] - fits[1], float(values[0] - values[1]))


def speedups(timings: list[Timing], start: str, peer: str, cpu: bool = False) -> dict[tuple[int, int], float]:
    """The peer's median over ours, cell by cell."""
    chosen = [each for each in timings if each.start == start]
    seconds = {(each.d, each.n, each.who): each.cpu_seconds if cpu else each.seconds for each in chosen}
    return {(d, n): seconds[d, n, peer] / seconds[d, n, "nonstop"] for d, n, who in seconds if who == peer}


def overall(timings: list[Timing], start: str, peer: str) -> float:
    """The geometric mean of the speed-ups over all cells."""
    return geometric_mean(speedups(timings, start, peer).values())
