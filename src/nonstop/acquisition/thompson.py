"""Thompson sampling: the maximum of one function drawn from the posterior (the paper's appendix A.2); with several
objectives, of the scalarisation of one function each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nonstop.acquisition.rule import Choice, View
from nonstop.arguments import whole
from nonstop.errors import RuleError
from nonstop.surrogate.paths import path_of

#: More sines and cosines than memory can hold are a mistake.
MAX_FEATURES = 10**6


@dataclass(frozen=True, slots=True)
class Thompson:
    """Busy points play no part: the randomness of the draw keeps queries apart (Kandasamy et al. 2018). `features` is
    the number of sines and cosines that a draw from the prior is the sum of."""

    close_ups: ClassVar[bool] = True
    features: int = 1024

    def __post_init__(self) -> None:
        whole("Thompson: features", self.features, RuleError, least=2, most=MAX_FEATURES)

    def choose(self, view: View) -> Choice:
        return view.maximize(path_of(view.gp, view.rng, self.features))
