"""Short words for what tests ask of trials."""

from __future__ import annotations

from typing import Any

from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.messages import Start
from nonstop.trials.trial import Trial
from nonstop.types import Params

QUASI_RANDOM = Diagnostics("quasi-random")


def said(trial: Trial) -> Diagnostics:
    """What the proposal of the trial said of itself."""
    assert trial.diagnostics is not None
    return trial.diagnostics


def modelled(*lengthscales: float, noise: float = 1e-3, **more: Any) -> Diagnostics:
    """The diagnostics of a proposal from a model with these lengthscales."""
    return Diagnostics(
        **{"rung": "model", "cursor": 0, "hyperparameters": Hyperparameters(lengthscales, noise), **more}
    )


def a_start(
    number: int,
    params: Params,
    seed: int = 0,
    diagnostics: Diagnostics = QUASI_RANDOM,
    *,
    attempt: int = 1,
    unique: bool = True,
) -> Start:
    return Start(number, attempt, params, seed, diagnostics, unique)
