"""What the model learned about each parameter: its lengthscale, over time, and what that says about relevance.

A short lengthscale means that the value changes quickly along the parameter. A categorical parameter has one for each
of its choices; the root mean square of their inverses stands for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.history.scale import columns_of
from nonstop.space.encoding import cube_of
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array


@dataclass(frozen=True, slots=True, eq=False)
class Lengthscales:
    """One row for each model-based proposal, in the order of the trials. `results` is how many results the model had
    seen; `mean` and `change` are the paper's: the mean of all lengthscales, and the mean of their absolute changes
    since the row before (NaN at the first). `relevance` is 1 / lengthscale at the end, as shares of one."""

    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    results: NDArray[np.int64]
    lengthscales: Array
    mean: Array
    change: Array
    relevance: Array


def lengthscales(spec: Spec, trials: Sequence[Trial]) -> Lengthscales:
    cube = cube_of(spec.space)
    fits = sorted(fits_of(trials, cube.dim), key=lambda fit: fit[0].number)
    L = np.array([hyper.lengthscales for _, hyper in fits]).reshape(-1, cube.dim)
    table = np.stack([_combined(L[:, columns]) for columns in columns_of(cube)], axis=1)
    change = np.full(len(L), np.nan)
    change[1:] = np.abs(np.diff(L, axis=0)).mean(axis=1)
    return Lengthscales(
        tuple(spec.space),
        np.array([trial.number for trial, _ in fits], dtype=np.int64),
        np.array([trial.version for trial, _ in fits], dtype=np.int64),
        table,
        L.mean(axis=1),
        change,
        relevance_of(table[-1]) if len(table) else np.empty(0),
    )


def fits_of(trials: Sequence[Trial], dim: int) -> list[tuple[Trial, Hyperparameters]]:
    """The trials that recorded hyperparameters for so many dimensions, with them."""
    found = ((trial, trial.diagnostics.hyperparameters) for trial in trials if trial.diagnostics is not None)
    return [(trial, hyper) for trial, hyper in found if hyper is not None and len(hyper.lengthscales) == dim]


def per_parameter(spec: Spec, hyper: Hyperparameters) -> Array:
    """One lengthscale for each parameter (axes,)."""
    L = np.array([hyper.lengthscales])
    return np.concatenate([_combined(L[:, columns]) for columns in columns_of(cube_of(spec.space))])


def relevance_of(scales: Array) -> Array:
    """1 / lengthscale as shares of one."""
    inverse = 1.0 / scales
    shares: Array = inverse / inverse.sum()
    return shares


def _combined(L: Array) -> Array:
    combined: Array = np.mean(L**-2.0, axis=1) ** -0.5
    return combined
