"""Optuna's GPSampler, for comparisons of speed: one further trial of a study that already has (X, y).

Its model is its own (Matern-5/2, fitted signal variance, other priors), its rule LogEI, and it screens 2048 candidates
and polishes 10; that is what its users get, so that is what is timed.
"""

import warnings
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


def warmed_study(X: Array, y: Array, seed: int = 0) -> Any:
    """A study of (X, y) whose sampler has made the suggestion before the last datum, so that its fit starts warm."""
    study = study_of(X[:-1], y[:-1], sampler_of(seed))
    study.tell(ask(study), state=optuna.trial.TrialState.FAIL)
    study.add_trial(_completed(X[-1], y[-1]))
    return study


def ask(study: Any) -> Any:
    """The next trial, all its parameters drawn; its sampler must have used the Gaussian process for them."""
    names = study.trials[0].params
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = study.ask()
        for name in names:
            trial.suggest_float(name, 0.0, 1.0)
    assert trial.relative_params.keys() == names.keys(), "Optuna fell back to independent sampling"
    return trial


def suggest(X: Array, y: Array, seed: int = 0) -> Any:
    """One suggestion by a sampler that has seen nothing before."""
    return ask(study_of(X, y, sampler_of(seed)))


def _completed(x: Array, value: float) -> Any:
    unit = optuna.distributions.FloatDistribution(0.0, 1.0)
    params = {f"x{j}": float(coordinate) for j, coordinate in enumerate(x)}
    return optuna.trial.create_trial(params=params, distributions=dict.fromkeys(params, unit), value=float(value))
