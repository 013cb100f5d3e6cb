"""Optuna's GPSampler as a rival in speed: one further trial, asked from a study that already holds (X, y).

Its model is its own (Matern-5/2, fitted signal variance, other priors), its rule LogEI, and it screens 2048 candidates
and polishes 10; that is what its users get, so that is what is timed.
"""

import warnings
from time import perf_counter
from typing import Any

import numpy as np
import optuna
from numpy.typing import NDArray

Array = NDArray[np.float64]

optuna.logging.set_verbosity(optuna.logging.ERROR)


def sampler_of(seed: int = 0) -> Any:
    """A fresh GPSampler that never falls back to random startup trials."""
    return optuna.samplers.GPSampler(seed=seed, n_startup_trials=1)


def study_of(X: Array, y: Array, sampler: Any) -> Any:
    """A study in memory with (X, y) as completed trials."""
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.add_trials([_completed(x, value) for x, value in zip(X, y, strict=True)])
    return study


def suggest(X: Array, y: Array, seed: int = 0) -> float:
    """Seconds for one suggestion by a sampler that has seen nothing before."""
    return _timed_ask(study_of(X, y, sampler_of(seed)), X.shape[1])


def suggest_warm(X: Array, y: Array, seed: int = 0) -> float:
    """Seconds for one suggestion by a sampler that made the suggestion before the last datum, too."""
    study = study_of(X[:-1], y[:-1], sampler_of(seed))
    study.tell(_asked(study, X.shape[1]), state=optuna.trial.TrialState.FAIL)
    study.add_trial(_completed(X[-1], y[-1]))
    return _timed_ask(study, X.shape[1])


def _completed(x: Array, value: float) -> Any:
    unit = optuna.distributions.FloatDistribution(0.0, 1.0)
    params = {f"x{j}": float(coordinate) for j, coordinate in enumerate(x)}
    return optuna.trial.create_trial(params=params, distributions=dict.fromkeys(params, unit), value=float(value))


def _asked(study: Any, d: int) -> Any:
    """The next trial, all its parameters drawn; its sampler must have used the Gaussian process for them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = study.ask()
        for j in range(d):
            trial.suggest_float(f"x{j}", 0.0, 1.0)
    assert len(trial.relative_params) == d, "Optuna fell back to independent sampling"
    return trial


def _timed_ask(study: Any, d: int) -> float:
    start = perf_counter()
    _asked(study, d)
    return perf_counter() - start
