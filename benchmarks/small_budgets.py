"""How many quasi-random trials should come first when the budget is small? Optuna's TPE beside it.

Studies from scratch, of 20, 40, 60 and 100 results, with one worker and with eight, on the virtual clock. Four tasks
have nine mixed parameters (one is real: gradient boosting on the diabetes data of scikit-learn), four are continuous.
The designs differ in how many trials are quasi-random before the model proposes: "quarter" is what nonstop does where
the budget is known, "3 per axis" what it does where it is not. TPE is Optuna's as it comes, with ten random trials of
its own, and constant_liar.

python benchmarks/small_budgets.py                  # about ten minutes on two cores; started again, it goes on
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from scipy.stats import binomtest

import nonstop
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.space.encoding import cube_of
from nonstop.trials.spec import Spec
from nonstop.types import Array
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.task import BlackBox, Task
from nonstop_bench.simulate import Optimizer, Setup, simulate

RESULTS: Final = Path(__file__).parent / "results" / "small-budgets.md"
RUNS: Final = Path("runs") / "small-budgets.jsonl"
BUDGETS: Final = (20, 40, 60, 100)
WORKERS: Final = (1, 8)
FIRST_SEED: Final = 100  # seeds from 0 were looked at before
TRIED: Final = 5  # designs compared on those: these, two per axis, and an eighth of the budget

#: How many quasi-random trials a study of that space and budget has.
DESIGNS: Final[Mapping[str, Callable[[nonstop.Space, int], int]]] = {
    "quarter": lambda space, budget: Spec(space).initial_within(budget),
    "3 per axis": lambda space, _budget: Spec(space).initial_within(None),
    "axes + 1": lambda space, _budget: cube_of(space).axes + 1,
}
OURS: Final = "quarter"
TPE: Final = "optuna-tpe"
CONTENDERS: Final = (*DESIGNS, TPE)


def network(params: Mapping[str, Any]) -> float:
    """What tuning a neural network looks like: two or three of nine parameters matter most, and the best learning rate
    depends on the optimiser. The least value is 0."""
    best_rate = {"sgd": -1.2, "adam": -3.0, "rmsprop": -3.4}[params["optimizer"]]
    rate = math.log10(params["lr"]) - best_rate - 0.3 * math.log2(params["batch"] / 64.0) * 0.5
    capacity = math.log2(params["width"]) + 1.5 * params["layers"] - 11.5
    decay = math.log10(params["decay"]) + 4.0
    return (
        1.5 * (1.0 - math.exp(-0.35 * rate * rate))
        + 0.04 * capacity**2
        + 0.5 * (params["dropout"] - 0.1 - 0.04 * max(capacity, 0.0)) ** 2
        + 0.02 * decay**2
        + 0.05 * (params["momentum"] - 0.9) ** 2
        + {"sgd": 0.05, "adam": 0.0, "rmsprop": 0.08}[params["optimizer"]]
        + {"relu": 0.0, "gelu": 0.02, "tanh": 0.1, "sigmoid": 0.4}[params["activation"]]
    )


_NETWORK = nonstop.Space(
    {
        "lr": nonstop.Float(1e-6, 1.0, log=True),
        "momentum": nonstop.Float(0.0, 0.99),
        "decay": nonstop.Float(1e-8, 1e-1, log=True),
        "dropout": nonstop.Float(0.0, 0.8),
        "batch": nonstop.Int(8, 1024, log=True),
        "layers": nonstop.Int(1, 8),
        "width": nonstop.Int(8, 2048, log=True),
        "optimizer": nonstop.Categorical(["sgd", "adam", "rmsprop"]),
        "activation": nonstop.Categorical(["relu", "gelu", "tanh", "sigmoid"]),
    }
)


def boosting(params: Mapping[str, Any]) -> float:
    """The error of gradient boosting that learns from a third of 442 rows, in units of the target."""
    from sklearn.ensemble import GradientBoostingRegressor

    X, y = _diabetes()
    start = {"mean": None, "zero": "zero"}[params["start"]]
    settings = {name: value for name, value in params.items() if name != "start"}
    model = GradientBoostingRegressor(**settings, init=start, random_state=0).fit(X[::3], y[::3])
    held_out = np.arange(len(y)) % 3 != 0
    return float(np.sqrt(np.mean(np.square(model.predict(X[held_out]) - y[held_out]))))


@lru_cache(maxsize=1)
def _diabetes() -> tuple[Array, Array]:
    from sklearn.datasets import load_diabetes

    return load_diabetes(return_X_y=True)  # type: ignore[no-any-return]


_BOOSTING = nonstop.Space(
    {
        "n_estimators": nonstop.Int(1, 15),
        "learning_rate": nonstop.Float(1e-3, 1.0, log=True),
        "max_depth": nonstop.Int(1, 8),
        "subsample": nonstop.Float(0.1, 1.0),
        "min_samples_leaf": nonstop.Int(1, 40),
        "max_features": nonstop.Float(0.1, 1.0),
        "alpha": nonstop.Float(0.5, 0.99),
        "loss": nonstop.Categorical(["squared_error", "absolute_error", "huber", "quantile"]),
        "start": nonstop.Categorical(["mean", "zero"]),
    }
)
#: Regret of boosting is counted from here, a little below the least value that any run has found.
_LEAST_ERROR: Final = 54.0
MIXED: Final = ("network", "boosting", "mixed-ackley-9", "integer-rosenbrock-9")
CONTINUOUS: Final = ("hartmann-6", "log-rosenbrock-4", "rotated-levy-6", "shifted-ackley-10")
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {"nine mixed parameters": MIXED, "continuous tasks": CONTINUOUS}


@cache
def task_of(name: str) -> Task:
    """The task of that name."""
    if name == "network":
        return BlackBox(name, _NETWORK, network, 0.0)
    if name == "boosting":
        return BlackBox(name, _BOOSTING, boosting, _LEAST_ERROR)
    return find(name)


@dataclass(frozen=True, slots=True)
class Run:
    """One run. It may stand for several contenders and budgets: the first 40 trials of a run of 100 are a run of 40."""

    task: str
    q: int
    seed: int
    #: How many of its trials are quasi-random; None: it is Optuna's TPE.
    initial: int | None
    #: The regret of the best of so many trials, by the budget.
    regrets: Mapping[str, float] = field(default_factory=dict)
    budget: int = 0

    @property
    def key(self) -> Key:
        """What identifies it."""
        return self.task, self.q, self.seed, self.initial


#: Task, workers, seed, quasi-random trials.
Key: TypeAlias = tuple[str, int, int, int | None]


def initial_of(contender: str, task: str, budget: int) -> int | None:
    """How many quasi-random trials this contender begins with; None if it is TPE."""
    return None if contender == TPE else DESIGNS[contender](task_of(task).space, budget)


def wanted(seeds: Iterable[int], tasks: Iterable[str]) -> Iterator[Run]:
    """The runs to make, each as long as the largest budget that it stands for, seed by seed."""
    for seed, q, task in product(seeds, WORKERS, tasks):
        longest: dict[int | None, int] = {}
        for contender, budget in product(CONTENDERS, BUDGETS):
            initial = initial_of(contender, task, budget)
            longest[initial] = max(budget, longest.get(initial, 0))
        yield from (Run(task, q, seed, initial, budget=budget) for initial, budget in longest.items())


def done(run: Run) -> Run:
    """Make it."""
    task = task_of(run.task)
    simulated = simulate(
        Setup(
            task,
            rule=DEFAULT_RULE,
            surrogate="nonstop",
            q=run.q,
            seed=run.seed,
            horizon=math.inf,
            max_trials=run.budget,
            optimizer=_tpe(task, run.seed) if run.initial is None else None,
            initial=run.initial or 0,
        )
    )
    best = np.minimum.accumulate([simulated.exact[number] for number in range(run.budget)])
    regrets = {str(n): max(float(best[n - 1]) - task.optimum, 1e-6) for n in BUDGETS if n <= run.budget}
    return replace(run, regrets=regrets)


def _tpe(task: Task, seed: int) -> Optimizer:
    from nonstop_bench.peers.optimizers.optuna import Optuna

    return Optuna(task.space, seed, "tpe", startup=10)


@dataclass(frozen=True, slots=True)
class Logs:
    """The log10 regrets of complete seeds."""

    runs: Mapping[Key, Run]
    seeds: Sequence[int]

    @classmethod
    def of(cls, runs: Iterable[Run], tasks: Sequence[str]) -> Logs:
        """Those of the seeds that have all runs on these tasks."""
        found = {run.key: run for run in runs}
        seeds = sorted({run.seed for run in found.values()})
        return cls(found, [seed for seed in seeds if all(run.key in found for run in wanted([seed], tasks))])

    def regrets(self, contender: str, task: str, q: int, budget: int) -> Array:
        """By seed."""
        initial = initial_of(contender, task, budget)
        return np.log10([self.runs[task, q, seed, initial].regrets[str(budget)] for seed in self.seeds])


def page(runs: Sequence[Run]) -> str:
    """Tables in Markdown."""
    logs = {title: Logs.of(runs, tasks) for title, tasks in GROUPS.items()}
    counts = ", ".join(f"{len(logs[title].seeds)} on {title}" for title in GROUPS)
    lines = [
        "# Small budgets\n",
        f"Made by `make bench-small`: seeds from {FIRST_SEED}, which nothing was chosen with ({counts});",
        f"{TRIED} designs were compared on others. Studies from scratch; a budget counts results. `quarter` is what",
        "nonstop does: three quasi-random ones per axis, but at most a quarter of the budget; `3 per axis` is what it",
        "does where no budget is known, and did always. Optuna's TPE is as it comes (ten random trials of its own,",
        "constant_liar). Ahead: by how much `quarter` is ahead of the other, in powers of ten, paired by task",
        "and seed, with a 95 % bootstrap interval; the share of pairs that it wins; p of a sign test.",
    ]
    for (title, tasks), q in product(GROUPS.items(), WORKERS):
        lines += [f"\n## {'One worker' if q == 1 else f'{q} workers'}, {title}\n", f"{', '.join(tasks)}:\n"]
        lines += _table(logs[title], tasks, q)
    lines += ["\n## By task\n", "Mean log10 regret.\n"]
    lines += ["| task | workers | budget | " + " | ".join(CONTENDERS) + " |", "|---" * (len(CONTENDERS) + 3) + "|"]
    for title, tasks in GROUPS.items():
        for task, q, budget in product(tasks, WORKERS, BUDGETS):
            means = (logs[title].regrets(name, task, q, budget).mean() for name in CONTENDERS)
            lines.append(f"| {task} | {q} | {budget} | {' | '.join(f'{mean:.2f}' for mean in means)} |")
    return "\n".join(lines) + "\n"


def _table(logs: Logs, tasks: Sequence[str], q: int) -> list[str]:
    others = [name for name in CONTENDERS if name != OURS]
    lines = ["| budget | " + " | ".join(f"ahead of {name} | won | p" for name in others) + " |"]
    lines.append("|---" * (3 * len(others) + 1) + "|")
    for budget in BUDGETS:
        cells = []
        for name in others:
            gains = np.array([logs.regrets(name, t, q, budget) - logs.regrets(OURS, t, q, budget) for t in tasks])
            won, lost = int((gains > 0.0).sum()), int((gains < 0.0).sum())
            p = binomtest(won, won + lost).pvalue if won + lost else 1.0
            cells += [_interval(gains), f"{(won + 0.5 * (gains == 0.0).sum()) / gains.size:.2f}", f"{p:.2g}"]
        lines.append(f"| {budget} | {' | '.join(cells)} |")
    return lines


def _interval(gains: Array) -> str:
    """The mean, and a 95 % bootstrap interval of it: seeds are drawn, tasks are not."""
    drawn = np.random.default_rng(0).integers(gains.shape[1], size=(4000, *gains.shape))
    low, high = np.quantile(np.take_along_axis(gains[None], drawn, axis=2).mean(axis=(1, 2)), (0.025, 0.975))
    return f"{gains.mean():.2f} ({low:.2f} to {high:.2f})"


def stored(path: Path) -> list[Run]:
    """The runs that a file holds."""
    return [Run(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing, print the page and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=Path, default=RUNS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    options.runs.parent.mkdir(parents=True, exist_ok=True)
    known = {run.key for run in stored(options.runs)}
    seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
    missing = [run for tasks in GROUPS.values() for run in wanted(seeds, tasks) if run.key not in known]
    with (
        ProcessPoolExecutor(options.workers, mp_context=multiprocessing.get_context("spawn")) as pool,
        options.runs.open("a", encoding="utf-8") as file,
    ):
        for run in pool.map(done, missing):
            file.write(json.dumps(asdict(run)) + "\n")
            file.flush()
    text = page(stored(options.runs))
    options.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
