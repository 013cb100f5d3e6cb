"""How many evaluations fail, and what is found, where a part of the space fails: nonstop, a penalty, Optuna.

Six tasks in which 26 to 62 % of the space fails, each in another shape, one in which a fifth fails at random, and one
in which nothing fails. "penalty" is nonstop again, but failures are told as the worst value of 500 quasi-random
points; "avoided" is nonstop that does not learn from failures, and only does not repeat them; Optuna is told that they
failed. 60 evaluations after 3 d initial ones, 8 workers on the virtual clock.

python benchmarks/failures.py                  # about half an hour on two cores; started again, it goes on
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

import nonstop
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.numerics.quasirandom import halton
from nonstop.numerics.seeds import seed_of
from nonstop.space.encoding import cube_of, decode, encode
from nonstop.types import Array
from nonstop_bench.peers.registry import make
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.task import BlackBox
from nonstop_bench.simulate import Optimizer, Setup, simulate

RESULTS: Final = Path(__file__).parent / "results" / "failures.md"
CONTENDERS: Final = ("nonstop", "penalty", "avoided", "optuna-tpe", "optuna-gp")
# Seeds from 0 were used to choose the settings, those from 100 before failures at random were told apart.
WORKERS, EVALUATIONS, FIRST_SEED = 8, 60, 200
RUNS: Final = Path("runs") / f"failures-{FIRST_SEED}.jsonl"
RESULTS_COUNTED: Final = 25
TRIED: Final = 32  # settings compared before these runs
BRANIN, HARTMANN = find("branin"), find("hartmann-6")
_UNIT: Final = nonstop.Float(0.0, 1.0)


def corner(params: Mapping[str, object]) -> float:
    """The best value lies at the border of a failing corner."""
    a, b, c, e = (float(str(value)) for value in params.values())
    fails = a + b > 1.2
    return math.nan if fails else (a - 0.8) ** 2 + (b - 0.8) ** 2 + 0.5 * (c - 0.3) ** 2 + 0.5 * (e - 0.6) ** 2


def diverging(params: Mapping[str, object]) -> float:
    """Training that diverges if learning rate times a power of the width is too large; the best is just below that."""
    rate = (math.log10(float(str(params["lr"]))) + 5.0) / 5.0
    width = math.log(float(str(params["width"])) / 8.0) / math.log(128.0)
    heat = rate + 0.6 * width
    loss = 4.0 * (heat - 0.92) ** 2 + 0.3 * (width - 0.7) ** 2 + 0.2 * (float(str(params["dropout"])) - 0.2) ** 2
    return math.nan if heat > 0.95 else loss


def disc(params: Mapping[str, object]) -> float:
    """Branin without the surroundings of one of its three minima."""
    x = encode(BRANIN.space, params)  # type: ignore[arg-type]
    return math.nan if math.hypot(x[0] - 0.543, x[1] - 0.152) < 0.32 else BRANIN.objective(params)


def half(params: Mapping[str, object]) -> float:
    """Hartmann-6, of which nearly a half fails by one of its parameters."""
    return math.nan if encode(HARTMANN.space, params)[5] < 0.45 else HARTMANN.objective(params)  # type: ignore[arg-type]


def kinds(params: Mapping[str, object]) -> float:
    """One of four kinds always fails, and looks best by its neighbours; another fails for large n."""
    kind, x, n, z = params["kind"], *(float(str(params[name])) for name in ("x", "n", "z"))
    if kind == "gpu" or (kind == "fast" and n > 6):
        return math.nan
    base = {"fast": 0.0, "safe": 0.3, "slow": 0.6}[str(kind)]
    return base + (x - 0.35) ** 2 + 0.02 * (n - 6) ** 2 + 0.5 * (z - 0.8) ** 2 * (1.0 + x)


def islands(params: Mapping[str, object]) -> float:
    """All fails but for a box and a ball; the best value is in the ball, which is smaller."""
    x = np.array([float(str(value)) for value in params.values()])
    box, ball = x - [0.3, 0.3, 0.4], x - [0.75, 0.7, 0.6]
    if np.abs(box).max() > 0.32 and np.linalg.norm(ball) > 0.33:
        return math.nan
    return float(1.0 - 0.8 * np.exp(-6.0 * (box @ box)) - np.exp(-8.0 * (ball @ ball)))


def _cube(d: int) -> nonstop.Space:
    return nonstop.Space({f"x{j}": _UNIT for j in range(d)})


_TRAINING = nonstop.Space(
    {
        "lr": nonstop.Float(1e-5, 1.0, log=True),
        "width": nonstop.Int(8, 1024, log=True),
        "dropout": nonstop.Float(0.0, 0.8),
    }
)
_KINDS = nonstop.Space(
    {
        "kind": nonstop.Categorical(["gpu", "fast", "safe", "slow"]),
        "x": _UNIT,
        "n": nonstop.Int(1, 8),
        "z": _UNIT,
    }
)
TASKS: Final = {
    "corner": BlackBox("corner", _cube(4), corner, 0.08),
    "diverging": BlackBox("diverging", _TRAINING, diverging, 0.0),
    "disc": BlackBox("disc", BRANIN.space, disc, BRANIN.optimum),
    "half": BlackBox("half", HARTMANN.space, half, HARTMANN.optimum),
    "kinds": BlackBox("kinds", _KINDS, kinds, 0.0),
    "islands": BlackBox("islands", _cube(3), islands, -0.0834211093),
    "at random": BlackBox("at random", HARTMANN.space, HARTMANN.objective, HARTMANN.optimum),
    "nothing": BlackBox("nothing", HARTMANN.space, HARTMANN.objective, HARTMANN.optimum),
}


@dataclass(frozen=True, slots=True)
class Run:
    """One run: `failures` until there were 25 results (all of them, if there never were), and the regret at the end."""

    task: str
    contender: str
    seed: int
    failures: int = 0
    reached: bool = False
    regret: float = math.inf
    streak: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        """What identifies it."""
        return self.task, self.contender, self.seed


def sample(task: BlackBox, count: int) -> Array:
    """Values at quasi-random points."""
    cube = cube_of(task.space)
    return np.array([task.objective(decode(task.space, x)) for x in cube.spread(halton(count, cube.axes, seed=0))])


def penalised(task: BlackBox) -> Callable[[Mapping[str, object]], float]:
    """The objective with a value in the place of a failure."""
    penalty = float(np.nanmax(sample(task, 500)))

    def objective(params: Mapping[str, object]) -> float:
        value = task.objective(params)
        return value if math.isfinite(value) else penalty

    return objective


class Avoided:
    """propose() without learning from failures."""

    def __init__(self, space: nonstop.Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self.points: list[Array] = []
        self.values: list[float] = []
        self.failed: list[Array] = []
        self.warm: nonstop.Hyperparameters | None = None

    def ask(self, busy: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
        """The next params to evaluate."""
        proposal = nonstop.propose(
            self.points,
            -np.array(self.values),
            [encode(self.space, params) for params in busy],  # type: ignore[arg-type]
            seed=seed_of(self.seed, len(self.points) + len(self.failed)),
            avoid=self.failed,
            cube=cube_of(self.space),
            warm=self.warm,
        )
        self.warm = proposal.hyperparameters
        return decode(self.space, proposal.x)

    def tell(self, params: Mapping[str, object], value: float | None) -> None:
        """A result; None if the evaluation failed."""
        point = encode(self.space, params)  # type: ignore[arg-type]
        if value is None:
            self.failed.append(point)
        else:
            self.points.append(point)
            self.values.append(value)


def optimizer(contender: str, space: nonstop.Space, seed: int) -> Optimizer | None:
    """What proposes in the place of the study."""
    if contender == "avoided":
        return Avoided(space, seed)
    return make(contender, space, seed) if contender.startswith("optuna") else None


def done(key: tuple[str, str, int]) -> Run:
    """Run it."""
    name, contender, seed = key
    task = TASKS[name]
    told = BlackBox(name, task.space, penalised(task), task.optimum) if contender == "penalty" else task
    simulated = simulate(
        Setup(
            told,
            rule=DEFAULT_RULE,
            surrogate="nonstop",
            q=WORKERS,
            seed=seed,
            horizon=math.inf,
            max_trials=EVALUATIONS,
            failure_rate=0.2 if name == "at random" else 0.0,
            optimizer=optimizer(contender, task.space, seed),
        )
    )
    trials = sorted(
        (trial for trial in simulated.study.trials if trial.state.finished), key=lambda trial: trial.sequence
    )
    values = np.array([math.nan if trial.value is None else task.objective(trial.params or {}) for trial in trials])
    return measured(key, values, task.optimum)


def measured(key: tuple[str, str, int], values: Array, optimum: float) -> Run:
    """The figures of a run, from its values in the order in which they came in; NaN is a failure."""
    failed = np.isnan(values)
    reached = int((~failed).sum()) >= RESULTS_COUNTED
    upto = int(np.flatnonzero(np.cumsum(~failed) == RESULTS_COUNTED)[0]) if reached else len(values)
    streak = max((len(part) for part in "".join("x" if each else " " for each in failed).split()), default=0)
    regret = float(np.nanmin(values)) - optimum if not failed.all() else math.inf
    return Run(*key, int(failed[:upto].sum()), reached, max(regret, 1e-9), streak)


def interval(values: Array, seed: int = 0) -> str:
    """The mean, and a 95 % bootstrap interval of it."""
    draws = np.random.default_rng(seed).choice(values, size=(4000, len(values))).mean(axis=1)
    low, high = np.quantile(draws, (0.025, 0.975))
    return f"{values.mean():.2f} ({low:.2f} to {high:.2f})"


def page(runs: Iterable[Run]) -> str:
    """Two tables in Markdown."""
    found = {run.key: run for run in runs}
    of = {name: seeds for name in CONTENDERS if (seeds := _complete(found, name))}
    seeds, shown = of["nonstop"], tuple(of)
    fewer = [f"{name} {len(of.get(name, ()))}" for name in CONTENDERS if len(of.get(name, ())) < len(seeds)]
    what = f"{EVALUATIONS} evaluations after 3 d initial ones, q = {WORKERS}"
    count = f"{len(seeds)} seeds from {FIRST_SEED}, which the settings were not chosen with ({TRIED} settings compared)"
    count += f"; {', '.join(fewer)} of them" if fewer else ""
    lines = [
        "# Failures\n",
        f"Made by `make bench-failures`: {count}. {what}. Means over seeds, with 95 % bootstrap intervals.",
        "`penalty`: nonstop with the worst of 500 quasi-random values told for a failure (those that come at random",
        "are not told so: there it is nonstop itself). `avoided`: nonstop that does not learn from failures, and",
        "only does not repeat them. Optuna is told FAIL.\n",
        f"Failures until there were {RESULTS_COUNTED} results, initial ones included (> where runs ended before):\n",
        "| task | share that fails | " + " | ".join(shown) + " | nonstop / penalty |",
        "|---" * (len(shown) + 3) + "|",
    ]
    for task in TASKS:
        runs_of = {name: [found[task, name, seed] for seed in of[name]] for name in shown}
        ours, penalty = (float(np.mean([run.failures for run in runs_of[name]])) for name in ("nonstop", "penalty"))
        cells = [f"{_share(task):.0%}", *(_failures(runs_of[name]) for name in shown)]
        lines.append(f"| {task} | {' | '.join(cells)} | {ours / penalty if penalty else 1.0:.2f} |")
    lines += [
        "\nMean log10 regret at the end, and by how much nonstop is ahead (paired, in powers of ten):\n",
        "| task | " + " | ".join(shown) + " | ahead of " + " | of ".join(shown[1:]) + " |",
        "|---" * (2 * len(shown)) + "|",
    ]
    for task in TASKS:
        logs = {name: {seed: math.log10(found[task, name, seed].regret) for seed in of[name]} for name in shown}
        ahead = [
            interval(np.array([log - logs["nonstop"][seed] for seed, log in logs[name].items()])) for name in shown[1:]
        ]
        cells = [f"{np.mean([*logs[name].values()]):.2f}" for name in shown]
        lines.append(f"| {task} | {' | '.join(cells + ahead)} |")
    longest = max(run.streak for run in found.values() if run.contender == "nonstop")
    lines.append(f"\nThe most failures in a row of any run of nonstop: {longest}.")
    return "\n".join(lines) + "\n"


def _complete(found: Mapping[tuple[str, str, int], Run], contender: str) -> list[int]:
    """The seeds with which a contender, and nonstop, ran all tasks."""
    seeds = sorted({seed for _, _, seed in found})
    return [s for s in seeds if all((task, name, s) in found for task in TASKS for name in ("nonstop", contender))]


def _share(task: str) -> float:
    return 0.2 if task == "at random" else float(np.isnan(sample(TASKS[task], 2000)).mean())


def _failures(runs: Sequence[Run]) -> str:
    more = "" if all(run.reached for run in runs) else "> "
    return f"{more}{np.mean([run.failures for run in runs]):.1f}"


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
    seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
    known = {run.key for run in stored(options.runs)}
    # Optuna's GPSampler takes ten times as long as all others together, and so comes last.
    missing = [(t, c, s) for slow in (False, True) for s, c, t in product(seeds, CONTENDERS, TASKS)
               if (c == "optuna-gp") is slow and (t, c, s) not in known]  # fmt: skip
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
