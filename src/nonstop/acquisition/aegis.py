"""AEGIS, asynchronous epsilon-greedy global search (De Ath et al. 2021; the paper's appendix A.2).

With eps = min(2 / sqrt d, 1): with probability eps/2 a Thompson sample, with probability eps/2 a random member of the
Pareto front of (mean, variance), both to be maximised, else the maximum of the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nonstop.acquisition.feasible import Conditions, log_probability
from nonstop.acquisition.inside import scattered
from nonstop.acquisition.pareto import Front, pareto_front
from nonstop.acquisition.rule import Choice, View
from nonstop.acquisition.scored import scored
from nonstop.acquisition.standard import Mean, Uncertainty
from nonstop.acquisition.thompson import MAX_FEATURES, Thompson
from nonstop.arguments import whole
from nonstop.errors import RuleError
from nonstop.types import Array

_POPULATION = 100  # points that the evolution works with
_ELDERS = 10  # of the first of them are the best data points


@dataclass(frozen=True, slots=True)
class Aegis:
    """One of the three at random. d counts parameters that are active at once: a categorical one counts once, however
    many columns it has."""

    close_ups: ClassVar[bool] = True
    features: int = 1024

    def __post_init__(self) -> None:
        whole("Aegis: features", self.features, RuleError, least=2, most=MAX_FEATURES)

    def choose(self, view: View) -> Choice:
        half = 0.5 * epsilon(view.cube.most_active)
        drawn = view.rng.random()
        if drawn < half:
            return Thompson(self.features).choose(view)
        if drawn < 2.0 * half:
            return compromise(view)
        return view.maximize(scored(Mean(), view))


def epsilon(d: int) -> float:
    """The probability not to be greedy."""
    return min(2.0 / math.sqrt(d), 1.0)


def compromise(view: View) -> Choice:
    """A random member of the Pareto front of (mean, variance). It maximises nothing, so its value is not a number."""
    points = view.rng.permutation(mean_variance_front(view).points)
    if view.terms:  # a random order in which each next one is drawn in proportion to what the terms say of it
        late = np.log(view.rng.standard_exponential(len(points))) - Conditions(view.terms).value(points)
        points = points[np.argsort(late, kind="stable")]
    return Choice(points[0], math.nan, points[1:])


def mean_variance_front(view: View) -> Front:
    """Points with no other that is better in both, and in the probability that all goes well if some failed or there
    are bounds. The two ends of the front are the maxima of mean and of variance, found by the maximiser; the evolution
    only has to find what lies between them."""

    def objectives(P: Array) -> Array:
        moments = view.gp.moments(P)
        return np.column_stack((*moments, log_probability(view.terms, P)) if view.terms else moments)

    start = scattered(view.cube, view.rng, _POPULATION)
    ends = [view.maximize(scored(rule, view)).x for rule in (Mean(), Uncertainty())]
    elders = view.cube.feasible(view.gp.X[np.argsort(-view.gp.y, kind="stable")[:_ELDERS]])
    start[: len(ends) + len(elders)] = [*ends, *elders]
    return pareto_front(objectives, start, view.cube, view.rng)
