"""How good the model's predictions are: each result, predicted from all the others.

Symbols: K (n, n) covariance with noise, z (n,) standardised values, alpha = K^-1 z. Leaving out row i, the rest predict
    mean_i = z_i - alpha_i / (K^-1)_ii        variance_i = 1 / (K^-1)_ii        (Rasmussen and Williams, 5.12)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from nonstop.history.posterior import posterior
from nonstop.history.window import Window, window
from nonstop.outcomes.goals import VALUE
from nonstop.surrogate.gp import GP
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array

#: Probabilities whose central intervals are checked.
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What share of the results lies in the central intervals that should hold a share `level` of them."""

    level: float
    observed: float


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """Leave-one-out predictions and their 95 % intervals, in the units of the values and including the noise of an
    evaluation. `explained` is the share of the (transformed) values' variance that the predictions explain: 1 is
    perfect, 0 is no better than the mean, None if the values do not vary. Empty with fewer than two results.

    Bad values may be compressed by a logarithm for the model, so a prediction that is a little too bad for the model
    can be worse than every result by orders of magnitude: `window` and `reach` say what is worth showing."""

    trials: tuple[Trial, ...]
    observed: Array
    predicted: Array
    low: Array
    high: Array
    coverage: tuple[Coverage, ...]
    explained: float | None
    #: Whether the model saw compressed values.
    compressed: bool = False
    #: The part of the results that is worth showing, and of the predictions; None without any.
    window: Window | None = None
    reach: Window | None = None
    #: The outcome that is predicted.
    name: str = VALUE


def check(spec: Spec, trials: Sequence[Trial], outcome: str | None = None) -> Check:
    """Compare the results of a study with what the model of an outcome predicts for each from the others."""
    model = posterior(spec, trials, outcome=outcome)
    if model is None or len(model.trials) < 2:
        return Check((), np.empty(0), np.empty(0), np.empty(0), np.empty(0), (), None)
    mean, variance = leave_one_out(model.gp)
    errors = model.gp.y - mean
    total = float(np.square(model.gp.y - model.gp.y.mean()).sum())
    explained = 1.0 - float(np.square(errors).sum()) / total if total > 0.0 else None
    sd = np.sqrt(variance)
    predicted, low, high = model.band(mean, sd)
    seen = window(model.values, model.sign)
    return Check(
        model.trials,
        model.values,
        predicted,
        low,
        high,
        coverages(errors, sd),
        explained,
        model.output.compresses,
        seen,
        seen.wider(np.concatenate([predicted, low, high])),
        model.view.name,
    )


def coverages(errors: Array, sd: Array) -> tuple[Coverage, ...]:
    """The observed coverage at each of the LEVELS."""
    inside = [np.abs(errors) <= ndtri(0.5 + level / 2.0) * sd for level in LEVELS]
    return tuple(Coverage(level, float(within.mean())) for level, within in zip(LEVELS, inside, strict=True))


def leave_one_out(gp: GP) -> tuple[Array, Array]:
    """Mean and variance of each observation given all others, standardised."""
    precision = np.einsum("ij,ij->j", gp.R, gp.R)  # the diagonal of R'R = K^-1
    mean: Array = gp.y - gp.alpha / precision
    return mean, 1.0 / precision
