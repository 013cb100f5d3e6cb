"""The candidates among which the default of nonstop was chosen: the default with one change at a time, and the paper's.

Names in cases refer to these first, then to the presets of nonstop: "kb-ucb@rbf" is the rule kb-ucb with the surrogate
"rbf".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from nonstop import UCB, KrigingBeliever, LogEI, LogNormal, Surrogate, Turns
from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.surrogate.model import NONSTOP, PAPER

SURROGATES: Final[Mapping[str, Surrogate]] = {
    "rbf": replace(NONSTOP, kernel="rbf"),
    "standardize": replace(NONSTOP, output="standardize"),
    "noisier": replace(NONSTOP, noise_prior=PAPER.noise_prior, noise_bounds=PAPER.noise_bounds),
    "quieter": replace(NONSTOP, noise_prior=LogNormal(-8.0, 3.0)),
    "thorough": replace(NONSTOP, candidates=PAPER.candidates, refit=PAPER.refit),
}
#: The default as it was chosen, before it was made faster by fewer refits and fewer candidates.
THOROUGH: Final = f"{DEFAULT_RULE}@thorough"


def _turns(beta: float) -> Turns:
    return Turns((KrigingBeliever(UCB(beta)), KrigingBeliever(UCB(beta)), KrigingBeliever(LogEI())))


RULES: Final[Mapping[str, Rule]] = {"beta=1": _turns(1.0), "beta=4": _turns(4.0)}

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
