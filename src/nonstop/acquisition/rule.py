"""What a rule is: a small frozen object that chooses the next point. To write your own, give an object one method:

- `score(mean, sd, best)`, for a function of the posterior at a point. It cannot see busy points: nothing in its
  arguments tells where they are. This is what the paper calls standard acquisition. If the function changes as results
  come in, `at(results, d)` returns the rule for a given number of them.
- `choose(view)`, for everything else that needs a model. The view holds all that is known, and can maximise any
  Acquisition.
- `draw(cube, rng)`, for what needs no model: none is fitted.

Where evaluations failed, or an outcome has to keep a bound, the logarithm of the probability that all goes well is
added to what is maximised. A rule or an Acquisition whose values are logarithms already says so by
`logarithmic = True`. A rule that works with a certain number of objectives only says so by `objectives = 1` or
`objectives = (2, 3)`. A rule with `choose` to which all places of the cube are alike says so by `close_ups = True`: it
may then be shown a close-up (closeup.py), a part of the cube as if it were the whole one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nonstop.errors import RuleError
from nonstop.space.cube import Cube
from nonstop.surrogate.gp import GP
from nonstop.surrogate.scalarized import Posterior
from nonstop.types import Array


@runtime_checkable
class Score(Protocol):
    """A standard rule: a function of the posterior alone, to be maximised."""

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:
        """Values (m,) and their derivatives in mean and sd. `best` is the value to beat. All in standardised units: y
        has unit variance, and 0 is the mean of the process. Values should not fall as sd grows: candidates are ranked
        by an upper bound of sd first."""


@runtime_checkable
class Scheduled(Protocol):
    """A standard rule that depends on how many results there are."""

    def at(self, results: int, d: int) -> Score:
        """The rule after so many results in d dimensions."""


class Acquisition(Protocol):
    """A function of points (m, d) of the cube, to be maximised."""

    def screen(self, P: Array) -> Array:
        """A cheap estimate of value(P), to rank many candidates. It may be value itself."""

    def value(self, P: Array) -> Array:
        """The values (m,) at the rows of P."""

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        """The values (m,) and their gradients (m, d)."""


class Term(Acquisition, Protocol):
    """The log-probability that a condition holds at a point."""

    @property
    def weight(self) -> float:
        """How much it counts."""


def _everywhere(P: Array) -> NDArray[np.bool_]:
    return np.ones(len(P), dtype=bool)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What a rule chose."""

    #: The point (d,).
    x: Array
    #: The value of the acquisition at the point; NaN if the rule maximises nothing.
    value: float
    #: Other good points (k, d), best first: one of them is taken if `x` is not free.
    others: Array


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Everything a rule may look at. Values are standardised. In a close-up, all points are those of the part of the
    cube that it shows, as if that were the whole one; only a rule that says `close_ups = True` is shown one."""

    #: The posterior given the results and the believed points. With several objectives it is that of a scalarisation
    #: of them: it has moments() and condition() too, and the posteriors of the objectives as `gps`.
    gp: Posterior
    #: The value that the next point has to beat.
    best: float
    #: How many results there are. The GP may hold fewer, if it cannot take all, and holds the believed points besides.
    results: int
    #: Points (b, d) that are being evaluated now.
    busy: Array
    #: Other points (k, d) proposed from the same results: the GP takes its own mean for their values.
    believed: Array
    #: Which points are feasible.
    cube: Cube
    #: The only source of randomness.
    rng: np.random.Generator
    #: Where an acquisition is largest, failures and bounds taken into account.
    maximize: Callable[[Acquisition], Choice]
    #: The log-probabilities that an evaluation is feasible, which maximize() takes into account.
    terms: tuple[Term, ...] = ()
    #: Which of some points (m, d) are expected to keep the bounds of the outcomes.
    expected: Callable[[Array], NDArray[np.bool_]] = _everywhere
    #: Which of the GP's data (n,) keep the bounds, results that do and believed points that are expected to; None: all.
    kept: NDArray[np.bool_] | None = None

    @property
    def queries(self) -> int:
        """How many points were queried so far, evaluated or not."""
        return self.results + len(self.believed) + len(self.busy)

    @property
    def one(self) -> GP:
        """The posterior, of the only objective."""
        if not isinstance(self.gp, GP):
            raise RuleError("this rule works with one objective only: with several, use kb-ucb or kb-logei")
        return self.gp


@runtime_checkable
class Chooser(Protocol):
    """A rule that chooses the next point by itself."""

    def choose(self, view: View) -> Choice:
        """The next point, and others should it not be free."""


@runtime_checkable
class Drawer(Protocol):
    """A rule that needs no model."""

    def draw(self, cube: Cube, rng: np.random.Generator) -> Array:
        """Feasible points (m, d); the first that is free is taken."""


Rule: TypeAlias = Score | Chooser | Drawer


def is_rule(value: object, *kinds: type) -> bool:
    """Is it an object of one of these protocols? A class is none, and an array has a choose() of another kind."""
    return not isinstance(value, type | np.ndarray | np.generic) and isinstance(value, kinds)


def rule_at(rule: Score, results: int, d: int) -> Score:
    """The standard rule as it is after so many results in d dimensions."""
    return rule.at(results, d) if isinstance(rule, Scheduled) else rule


def sees_close_ups(rule: Rule) -> bool:
    """May it be shown a close-up? A function of the posterior cannot mean a certain place; a rule that sees points may
    mean one, unless it says otherwise."""
    return isinstance(rule, Score) or bool(getattr(rule, "close_ups", False))
