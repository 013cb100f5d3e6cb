"""The candidates among which the default of nonstop was chosen: the default with one change at a time, and the paper's.

Names in cases refer to these first, then to the presets of nonstop: "kb-ucb@rbf" is the rule kb-ucb with the surrogate
"rbf". What was tried later (benchmarks/configurations.py), where values are noisy or parameters many, is here, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from nonstop import UCB, KrigingBeliever, LogEI, LogNormal, Surrogate, Turns
from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.surrogate.model import NONSTOP, PAPER
from nonstop_bench.given_up import NoisyEI, SignalEI, SignalUCB

_NOISIER: Final[Mapping[str, Any]] = {"noise_prior": PAPER.noise_prior, "noise_bounds": PAPER.noise_bounds}
SURROGATES: Final[Mapping[str, Surrogate]] = {
    "rbf": replace(NONSTOP, kernel="rbf"),
    "standardize": replace(NONSTOP, output="standardize"),
    "noisier": replace(NONSTOP, **_NOISIER),
    "quieter": replace(NONSTOP, noise_prior=LogNormal(-8.0, 3.0)),
    "thorough": replace(NONSTOP, candidates=PAPER.candidates, refit=PAPER.refit),
    # As until the third edition: with so many parameters, too, a fit serves until there are a tenth more results.
    **{f"tenth-in-{d}": replace(NONSTOP, refit=0.01 * d) for d in (20, 30, 50, 100)},
    # Tried where values are noisy. Priors are log-normal: "likely-noise" has its mode at 9e-4, "usual-noise" at 2e-2.
    "no-close-ups": replace(NONSTOP, close_ups=False),
    "refitted": replace(NONSTOP, refit=0.0),
    "rbf-standardize": replace(NONSTOP, kernel="rbf", output="standardize"),
    "standardize-noisier": replace(NONSTOP, output="standardize", **_NOISIER),
    "rbf-standardize-noisier": replace(NONSTOP, kernel="rbf", output="standardize", **_NOISIER),
    "likely-noise": replace(NONSTOP, noise_prior=LogNormal(2.0, 3.0)),
    "usual-noise": replace(NONSTOP, noise_prior=LogNormal(5.0, 3.0)),
    "usual-noise-long": replace(
        NONSTOP, noise_prior=LogNormal(5.0, 3.0), lengthscale_prior=LogNormal(math.sqrt(2.0) + 1.5, math.sqrt(3.0))
    ),
    "likely-noise-narrow": replace(
        NONSTOP, noise_prior=LogNormal(2.0, 3.0), lengthscale_prior=LogNormal(math.sqrt(2.0) - 0.5, 1.0)
    ),
}
#: The default as it was chosen, before it was made faster by fewer refits and fewer candidates.
THOROUGH: Final = f"{DEFAULT_RULE}@thorough"


def _turns(beta: float) -> Turns:
    return Turns((KrigingBeliever(UCB(beta)), KrigingBeliever(UCB(beta)), KrigingBeliever(LogEI())))


_UCB: Final = KrigingBeliever(UCB())
RULES: Final[Mapping[str, Rule]] = {
    "beta=1": _turns(1.0),
    "beta=4": _turns(4.0),
    "signal": Turns((SignalUCB(), SignalUCB(), SignalEI())),
    "signal-ei": SignalEI(),
    "noisy-ei": NoisyEI(),
    "kb-ucb+noisy-ei": Turns((_UCB, NoisyEI())),
    "kb-ucb+kb-ucb+noisy-ei": Turns((_UCB, _UCB, NoisyEI())),
}

#: The labels of the default and of what it was compared with.
CANDIDATES: Final = (
    "nonstop",
    *(f"{DEFAULT_RULE}@{name}" for name in ("rbf", "standardize", "noisier", "quieter")),
    *(f"{name}@nonstop" for name in RULES),
    "kb-ucb+kb-logei@nonstop",
    "kb-ucb@nonstop",
    "kb-logei@nonstop",
    "ucb+ucb+logei@nonstop",
    "ucb",
    "logei",
    "kb-ucb",
)
