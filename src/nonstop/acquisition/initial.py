"""Uncertainty sampling first: the initialisation for which the theory bounds the cost of asynchrony (xi_q)."""

from __future__ import annotations

from dataclasses import dataclass

from nonstop.acquisition.believer import KrigingBeliever
from nonstop.acquisition.rule import Choice, Chooser, Score, View, is_rule
from nonstop.acquisition.scored import chosen_by
from nonstop.acquisition.standard import Uncertainty
from nonstop.arguments import whole
from nonstop.errors import RuleError
from nonstop.wording import shown


@dataclass(frozen=True, slots=True)
class UncertaintyFirst:
    """The most uncertain point, given the data and the busy points, until `points` have been queried; after that, the
    inner rule.

    The variance does not depend on the values, so busy points lower it by exactly as much as their results will.
    """

    inner: Score | Chooser
    points: int

    def __post_init__(self) -> None:
        if not is_rule(self.inner, Score, Chooser):
            raise RuleError(f"UncertaintyFirst: inner must have a method score() or choose(), not {shown(self.inner)}")
        whole("UncertaintyFirst: points", self.points, RuleError)

    def choose(self, view: View) -> Choice:
        if view.queries < self.points:
            return KrigingBeliever(Uncertainty()).choose(view)
        return chosen_by(self.inner, view)
