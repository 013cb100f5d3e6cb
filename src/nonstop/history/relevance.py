"""How relevant each parameter is to the model: its lengthscale, over time.

A short lengthscale means that the value changes quickly along the parameter. A categorical parameter has a lengthscale
for each of its choices; the root mean square of their inverses is the inverse of the one that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonstop.history.scale import scales_of
from nonstop.history.view import view
from nonstop.outcomes.goals import VALUE
from nonstop.space.encoding import cube_of
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array


@dataclass(frozen=True, slots=True, eq=False)
class Lengthscales:
    """One row for each model-based proposal, in the order of the trials `numbers`. `results` is how many results its
    model had; `mean` is the mean of all lengthscales and `change` the mean of their absolute changes since the row
    before (NaN at the first), as in the paper. `relevance` is 1 / lengthscale in the last row, scaled to sum to 1."""

    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    results: NDArray[np.int64]
    lengthscales: Array
    mean: Array
    change: Array
    relevance: Array
    #: The outcome whose model it is.
    outcome: str = VALUE


def lengthscales(spec: Spec, trials: Sequence[Trial], outcome: str | None = None) -> Lengthscales:
    """The lengthscales that proposals recorded of the model of one outcome."""
    seen = view(spec, trials, outcome)
    trials, cube = seen.trials, cube_of(spec.space)
    fits = sorted(fits_of(trials, cube.dim), key=lambda fit: fit[0].number)
    L = np.array([hyper.lengthscales for _, hyper in fits]).reshape(len(fits), cube.dim)
    table = np.stack([_combined(L[:, columns]) for columns in cube.columns] or [np.empty(len(L))], axis=1)
    change = np.full(len(L), np.nan)
    if len(L):  # without axes there is no mean
        change[1:] = np.abs(np.diff(L, axis=0)).mean(axis=1)
    return Lengthscales(
        tuple(scale.label for scale in scales_of(spec.space)),
        np.array([trial.number for trial, _ in fits], dtype=np.int64),
        np.array([trial.version for trial, _ in fits], dtype=np.int64),
        table,
        L.mean(axis=1) if len(L) else np.empty(0),
        change,
        relevance_of(table[-1]) if len(table) else np.empty(0),
        seen.name,
    )


def fits_of(trials: Sequence[Trial], dim: int) -> list[tuple[Trial, Hyperparameters]]:
    """The trials that recorded hyperparameters, with these. Those for another number of dimensions are left out."""
    found = ((trial, trial.diagnostics.hyperparameters) for trial in trials if trial.diagnostics is not None)
    return [(trial, hyper) for trial, hyper in found if hyper is not None and len(hyper.lengthscales) == dim]


def per_parameter(spec: Spec, hyper: Hyperparameters) -> Array:
    """One lengthscale for each axis (axes,)."""
    L = np.array([hyper.lengthscales])
    return np.concatenate([_combined(L[:, columns]) for columns in cube_of(spec.space).columns])


def relevance_of(scales: Array) -> Array:
    """1 / lengthscale, scaled to sum to 1."""
    inverse = 1.0 / scales
    shares: Array = inverse / inverse.sum()
    return shares


def _combined(L: Array) -> Array:
    combined: Array = np.mean(L**-2.0, axis=1) ** -0.5
    return combined
