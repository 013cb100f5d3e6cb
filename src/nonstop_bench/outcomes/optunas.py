"""Optuna: TPE, GPSampler and NSGA-II, as they come but for what follows.

Constraints are set on trials (Trial.set_constraint, Optuna 5), busy points are running trials: TPE has constant_liar,
which is its default, and GPSampler has q-batch acquisitions for them, also with constraints and several objectives. The
start that all contenders share stands for their own random trials. NSGA-II has a population of 20, because with the
default of 50 a hundred evaluations would be two generations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import optuna

from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.peers.quiet import quiet
from nonstop_bench.records import Array

_RAW_SAMPLES: Final = 256
_RESTARTS: Final = 4
_SAMPLERS: Mapping[str, Callable[[int, int], Any]] = {
    "tpe": lambda seed, start: optuna.samplers.TPESampler(seed=seed, n_startup_trials=start),
    "gp": lambda seed, start: _gp(seed, start),
    "nsga2": lambda seed, start: optuna.samplers.NSGAIISampler(seed=seed, population_size=start),
}


def _gp(seed: int, start: int) -> Any:
    sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=start)
    sampler._n_preliminary_samples, sampler._n_local_search = _RAW_SAMPLES, _RESTARTS
    return sampler


class Optunas:
    """A study in memory."""

    def __init__(self, problem: Problem, seed: int, sampler: str, start: int) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._problem = problem
        self._names = [f"x{j}" for j in range(problem.d)]
        with quiet():
            self._study = optuna.create_study(
                directions=["minimize"] * len(problem.objectives), sampler=_SAMPLERS[sampler](seed, start)
            )

    def add(self, x: Array, outcomes: Array) -> None:
        """A trial with the given params."""
        self._study.enqueue_trial(dict(zip(self._names, map(float, x), strict=True)))
        trial, asked = self.ask()
        assert np.array_equal(asked, x)
        if isinstance(self._study.sampler, optuna.samplers.NSGAIISampler):
            key = self._study.sampler._get_generation_key()
            self._study._storage.set_trial_system_attr(trial._trial_id, key, 0)
        self.tell(trial, outcomes)

    def ask(self) -> tuple[Any, Array]:
        """A suggestion."""
        with quiet():
            trial = self._study.ask()
            return trial, np.array([trial.suggest_float(name, 0.0, 1.0) for name in self._names])

    def tell(self, handle: Any, outcomes: Array) -> None:
        """Its constraints, and its values."""
        with quiet():
            for name, value in zip(self._problem.constraints, self._violations(outcomes), strict=True):
                handle.set_constraint(name, float(value))
            self._study.tell(handle, [float(value) for value in outcomes[: len(self._problem.objectives)]])

    def _violations(self, outcomes: Array) -> Array:
        return np.asarray(self._problem.violations(outcomes[None, :])[0])
