"""A standard rule at the posterior of a Gaussian process, as a function of points that can be maximised."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np

from nonstop.acquisition.rule import Choice, Chooser, Score, View, is_standard
from nonstop.acquisition.standard import UCB
from nonstop.errors import RuleError
from nonstop.surrogate.gp import GP
from nonstop.surrogate.sketch import Sketch
from nonstop.types import Array


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A score at the posterior of a GP: an Acquisition.

    Ranking tens of thousands of candidates by their exact variance costs as much as the fit. The variance given only a
    sketch of the data (evenly thinned) is an upper bound of it for a hundredth of the work; with single precision it
    is good enough to tell which few candidates deserve the exact value. What the last `recent` data points take away
    from the variance is exact: they may be invented for that alone.
    """

    rule: Score
    gp: GP
    best: float
    recent: int = 0
    sketch: Sketch = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sketch", Sketch.of(self.gp, self.recent))
        if isinstance(self.rule, UCB):
            object.__setattr__(self, "rule", self.rule.at(*self.gp.X.shape))

    def screen(self, P: Array) -> Array:
        mean, variance, _ = self.sketch.moments(P)
        return self.rule.score(mean, np.sqrt(variance), self.best)[0]

    def value(self, P: Array) -> Array:
        mean, variance = self.gp.moments(P)
        return self.rule.score(mean, np.sqrt(variance), self.best)[0]

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        mean, variance, chain = self.gp.moments_and_chain(P)
        sd = np.sqrt(variance)
        value, by_mean, by_sd = self.rule.score(mean, sd, self.best)
        return value, chain(by_mean, by_sd / (2.0 * sd))


def standard(worker: str, rule: object) -> Score:
    """The rule, if it is one that a wrapper can apply to another posterior."""
    if isinstance(rule, type) or not isinstance(rule, Score):
        raise RuleError(f"{worker} wraps a standard rule, an object with score(), not {rule!r}")
    return rule


def chosen_by(rule: Score | Chooser, view: View) -> Choice:
    """The choice of a rule of either kind."""
    return view.maximize(Scored(rule, view.gp, view.best)) if is_standard(rule) else cast("Chooser", rule).choose(view)
