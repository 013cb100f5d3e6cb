"""Measured regret beside the bounds: functions from the prior, asynchronous UCB and Thompson sampling.

    python -m nonstop_bench.theory --out benchmarks/results        (theory.json, theory.png, theory.svg)

The domain is a grid, so that every maximum is exact: the function's, the acquisition's, and that of the greedy
information. The GP's hyperparameters are the true ones; no fit takes part. As the theorem has it, every query is the
maximum of the acquisition given the results so far, also the first of each worker; regret is counted over the queries
after the uncertainty-sampling initialisation, which is the n of the bounds.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path as File
from typing import TypeAlias

import numpy as np

from nonstop.acquisition.schedule import theoretical_beta
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB
from nonstop.numerics.threads import limit_threads
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.kernel import covariance
from nonstop.surrogate.kernels.rbf import RBF
from nonstop.surrogate.paths import Path
from nonstop.types import Array
from nonstop_bench.bounds import C_THOMPSON, C_UCB, greedy, information_gain, price, regret_bound, steepness_constants

#: (GP, grid, number of the query, generator) -> values on the grid, to be maximised
Policy: TypeAlias = Callable[[GP, Array, int, np.random.Generator], Array]

_FURTHEST = 10_000  # the bounds are drawn up to this n


@dataclass(frozen=True, slots=True)
class Setting:
    """A prior on a grid with `side` points along each axis, and an experiment on functions drawn from it."""

    d: int
    side: int
    lengthscale: float
    initial: int
    noise: float = 0.1
    workers: int = 4
    evaluations: int = 100
    functions: int = 40

    @property
    def grid(self) -> Array:
        """All points (side^d, d) of the domain."""
        axis = np.linspace(0.0, 1.0, self.side)
        return np.stack(np.meshgrid(*[axis] * self.d, indexing="ij"), axis=-1).reshape(-1, self.d)

    @property
    def hyperparameters(self) -> Hyperparameters:
        """The true hyperparameters of the prior."""
        return Hyperparameters((self.lengthscale,) * self.d, self.noise)

    @property
    def covariance(self) -> Array:
        """The prior covariance of the function on the grid."""
        return covariance(RBF(), self.grid, self.grid, np.full(self.d, self.lengthscale))


SETTINGS = (
    Setting(d=1, side=200, lengthscale=0.2, initial=30),
    Setting(d=2, side=32, lengthscale=0.3, initial=60),
)


def draws(covariance: Array, count: int, rng: np.random.Generator) -> Array:
    """Functions (count, N) on the grid, from the prior with this covariance."""
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    root = eigenvectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    functions: Array = rng.standard_normal((count, len(covariance))) @ root.T
    return functions


def steepness_of(setting: Setting, rng: np.random.Generator, count: int = 400) -> tuple[float, float]:
    """a and b of Assumption 8 for this prior. df/dx_1 is a GP with covariance (1/l^2 - t^2/l^4) k, t the distance along
    x_1; its expected supremum is estimated from draws on the grid, plus three standard errors."""
    along = np.subtract.outer(setting.grid[:, 0], setting.grid[:, 0]) / setting.lengthscale
    suprema = draws((1.0 - along**2) * setting.covariance / setting.lengthscale**2, count, rng).max(axis=1)
    supremum = float(suprema.mean() + 3.0 * suprema.std() / math.sqrt(count))
    return steepness_constants(1.0 / setting.lengthscale, supremum)


def ucb(beta: Callable[[int], float]) -> Policy:
    """UCB with beta as a function of the number of the query."""
    return lambda gp, grid, j, rng: Scored(UCB(beta(j)), gp, 0.0, len(gp.X)).value(grid)  # noqa: ARG005


def thompson(gp: GP, grid: Array, j: int, rng: np.random.Generator) -> Array:  # noqa: ARG001
    """Thompson sampling: a draw from the posterior."""
    return Path.of(gp, rng).screen(grid)


def regrets(setting: Setting, policy: Policy, workers: int, f: Array, rng: np.random.Generator) -> Array:
    """f* minus the best of the first 1, 2, ... queries after the initialisation. A worker's evaluation takes a
    half-normal time of mean 1, and its result is known from then on."""
    grid, sd = setting.grid, math.sqrt(setting.noise)
    first = greedy(setting.covariance, setting.noise, setting.initial).chosen
    gp = GP.of(grid[first], f[first] + sd * rng.standard_normal(len(first)), setting.hyperparameters)
    queries: list[int] = []
    running: list[tuple[float, int]] = []
    now = 0.0
    while len(queries) < setting.evaluations:
        if len(running) == workers:
            now, number = heapq.heappop(running)
            x = queries[number]
            gp = gp.condition(grid[[x]], f[[x]] + sd * rng.standard_normal(1))
        queries.append(int(np.argmax(policy(gp, grid, len(queries) + 1, rng))))
        heapq.heappush(running, (now + abs(rng.standard_normal()) * math.sqrt(0.5 * math.pi), len(queries) - 1))
    found: Array = f.max() - np.maximum.accumulate(f[queries])
    return found


def measured(setting: Setting, constants: tuple[float, float], seed: int) -> dict[str, dict[str, list[float]]]:
    """Bayes simple regret of every policy, and its standard error, over the same functions."""
    policies: dict[str, tuple[Policy, int]] = {
        "asynchronous UCB, beta of the theory": (
            ucb(lambda j: theoretical_beta(j, setting.d, *constants)),
            setting.workers,
        ),
        "asynchronous UCB, beta = 2": (ucb(lambda j: 2.0), setting.workers),  # noqa: ARG005
        "asynchronous Thompson": (thompson, setting.workers),
        "sequential Thompson": (thompson, 1),
    }
    functions = draws(setting.covariance, setting.functions, np.random.default_rng([seed, setting.d, 0]))
    results = {}
    for name, (policy, workers) in policies.items():
        runs = np.array(
            [
                regrets(setting, policy, workers, f, np.random.default_rng([seed, setting.d, 1 + i]))
                for i, f in enumerate(functions)
            ]
        )
        results[name] = {
            "mean": runs.mean(axis=0).round(6).tolist(),
            "error": (runs.std(axis=0, ddof=1) / math.sqrt(len(runs))).round(6).tolist(),
        }
    return results


def bounds(setting: Setting, constants: tuple[float, float]) -> dict[str, object]:
    """The three bounds at n = 1, 2, 5, ..., and their constants."""
    K = setting.covariance
    before = price(K, setting.noise, setting.workers)
    after = price(greedy(K, setting.noise, setting.initial).covariance, setting.noise, setting.workers)
    n = np.unique(np.geomspace(1, _FURTHEST, 60).round().astype(int))
    psi = information_gain(K, setting.noise, _FURTHEST)[n]
    beta = np.array([theoretical_beta(int(j), setting.d, *constants) for j in n])
    x = n.astype(np.float64)
    curves = {
        "asynchronous UCB": regret_bound(x, C_UCB, after, beta, psi, setting.noise),
        "asynchronous Thompson": regret_bound(x, C_THOMPSON, after, beta, psi, setting.noise),
        "sequential Thompson": regret_bound(x, C_THOMPSON, 1.0, beta, psi, setting.noise),
    }
    return {
        "xi_q from the prior": before,
        "xi_q after the initialisation": after,
        "a": constants[0],
        "b": constants[1],
        "n": n.tolist(),
        "psi": psi.round(4).tolist(),
        "beta": beta.round(4).tolist(),
        "curves": {name: curve.round(5).tolist() for name, curve in curves.items()},
    }


def study(setting: Setting, seed: int = 0) -> dict[str, object]:
    """All results of one setting. A bound above `blind`, the expected regret of a query without data, is vacuous."""
    rng = np.random.default_rng([seed, setting.d])
    constants = steepness_of(setting, rng)
    return {
        "setting": asdict(setting),
        "blind": float(draws(setting.covariance, 4000, rng).max(axis=1).mean()),
        "bounds": bounds(setting, constants),
        "measured": measured(setting, constants, seed),
    }


def main() -> None:
    """Run all settings and write theory.json and the figure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--out", type=File, default=File("benchmarks/results"), help="where to write theory.*")
    parser.add_argument("--functions", type=int, default=40, help="functions drawn from the prior")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    from nonstop_bench.theoryfigure import draw

    arguments.out.mkdir(parents=True, exist_ok=True)
    started, studies = time.perf_counter(), []
    with limit_threads(1):
        for base in SETTINGS:
            setting = Setting(**{**asdict(base), "functions": arguments.functions})
            studies.append(study(setting, arguments.seed))
            print(f"d = {setting.d}: {time.perf_counter() - started:.0f} s")
    command = f"python -m nonstop_bench.theory --functions {arguments.functions} --seed {arguments.seed}"
    result = {"command": command, "studies": studies}
    (arguments.out / "theory.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    draw(result, arguments.out / "theory")


if __name__ == "__main__":
    main()
