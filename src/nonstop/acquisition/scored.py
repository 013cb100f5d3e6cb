"""A standard rule at a posterior, as a function of points that can be maximised."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nonstop.acquisition.rule import Choice, Chooser, Score, View, rule_at
from nonstop.errors import RuleError
from nonstop.surrogate.scalarized import Posterior, ScalarizedSketch, sketch_of
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array
from nonstop.wording import shown


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A standard rule at the posterior of a GP, or of several as one: an Acquisition.

    Ranking tens of thousands of candidates by their exact variance would take as long as the fit. The sketch has an
    upper bound of the variance for a hundredth of the work, good enough to tell which few candidates deserve the exact
    value. The last `recent` rows of the GP's data count exactly in it: invented values are there only to lower the
    variance around them.

    `weight` is how much it counts where it is added to another acquisition (feasible.py).
    """

    rule: Score
    gp: Posterior
    best: float
    results: int
    recent: int = 0
    weight: float = 1.0
    sketch: Sketch | ScalarizedSketch = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", rule_at(self.rule, self.results, self.gp.X.shape[1]))
        object.__setattr__(self, "sketch", sketch_of(self.gp, self.recent))

    @property
    def logarithmic(self) -> bool:
        """Are the values logarithms?"""
        return bool(getattr(self.rule, "logarithmic", False))

    def screen(self, P: Array) -> Array:
        mean, variance = self.sketch.moments(P)[:2]
        return self.rule.score(mean, np.sqrt(variance), self.best)[0]

    def value(self, P: Array) -> Array:
        mean, variance = self.gp.moments(P)
        return self.rule.score(mean, np.sqrt(variance), self.best)[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        mean, variance, chain = self.gp.moments_and_chain(P)
        sd = np.sqrt(variance)
        value, by_mean, by_sd = self.rule.score(mean, sd, self.best)
        return value, chain(by_mean, by_sd / (2.0 * sd))


def scored(rule: Score, view: View) -> Scored:
    """The standard rule at the posterior that the view shows."""
    return Scored(rule, view.gp, view.best, view.results)


def chosen_by(rule: Score | Chooser, view: View) -> Choice:
    """The choice of a rule of either kind."""
    return view.maximize(scored(rule, view)) if isinstance(rule, Score) else rule.choose(view)


def standard(wrapper: str, rule: object) -> Score:
    """The rule, if it is one that a wrapper can apply to another posterior."""
    if isinstance(rule, type) or not isinstance(rule, Score):
        raise RuleError(f"{wrapper} wraps a standard rule, an object with score(), not {shown(rule)}")
    return rule
