"""Busy points with invented values: the Kriging believer and the constant liar (the paper's appendix A.2).

Symbols: B (b, d) busy points; mu_b their posterior means. Both rules condition the GP on (B, invented values), without
a new fit, and maximise a standard rule at that posterior. For UCB, the believer's acquisition is exactly the
expectation over the unknown values (Proposition 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from nonstop.acquisition.rule import Choice, Score, View
from nonstop.acquisition.scored import Scored, standard
from nonstop.arguments import text_of
from nonstop.errors import RuleError
from nonstop.types import Array
from nonstop.wording import shown

Lie = Literal["min", "mean", "max"]


@dataclass(frozen=True, slots=True)
class KrigingBeliever:
    """Believe that every busy point will return its posterior mean (Ginsbourger et al. 2010)."""

    close_ups: ClassVar[bool] = True
    inner: Score

    def __post_init__(self) -> None:
        standard("KrigingBeliever", self.inner)

    def choose(self, view: View) -> Choice:
        return _choose(self.inner, view, None)


@dataclass(frozen=True, slots=True)
class ConstantLiar:
    """Pretend that every busy point will return the least, the mean or the largest value seen so far (Ginsbourger et
    al. 2007): "min" spreads queries most."""

    close_ups: ClassVar[bool] = True
    inner: Score
    lie: Lie = "min"

    def __post_init__(self) -> None:
        standard("ConstantLiar", self.inner)
        if text_of(self.lie) not in get_args(Lie):
            raise RuleError(f"ConstantLiar: lie must be one of {', '.join(get_args(Lie))}, not {shown(self.lie)}")

    def choose(self, view: View) -> Choice:
        y = view.gp.y
        lies = {"min": y.min(), "mean": y.mean(), "max": y.max()}
        return _choose(self.inner, view, np.full(len(view.busy), lies[self.lie]))


def _choose(rule: Score, view: View, values: Array | None) -> Choice:
    """The value to beat is the largest of the observed and the invented ones: to the conditioned GP both are data. An
    invented one counts if the point is expected to keep the bounds."""
    gp, b = view.gp.condition(view.busy, values), len(view.busy)
    invented = gp.y[len(gp.y) - b :][view.expected(view.busy)]
    return view.maximize(Scored(rule, gp, float(invented.max(initial=view.best)), view.results, b))
