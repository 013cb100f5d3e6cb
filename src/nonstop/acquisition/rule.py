"""What a rule is. Rules are small frozen objects; write your own by giving an object one method:

- `score(mean, sd, best)`, for a function of the posterior at a point. It cannot see busy points: nothing in its
  arguments tells where they are. This is what the paper calls standard acquisition.
- `choose(view)`, for everything else that needs a model. The view holds all that is known, and maximises any
  Acquisition.
- `draw(cube, rng)`, for what needs no model: none is fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np

from nonstop.space.cube import Cube
from nonstop.surrogate.gp import GP
from nonstop.types import Array


@runtime_checkable
class Score(Protocol):
    """A function of the posterior alone, to be maximised."""

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:
        """Values (m,) and their derivatives in mean and sd. `best` is the largest observed value. All in standardised
        units: y has zero mean and unit variance. Values should not fall as sd grows (the screen relies on it)."""


class Acquisition(Protocol):
    """A function of points (m, d) of the cube, to be maximised."""

    def screen(self, P: Array) -> Array:
        """A cheap estimate of value(P) that ranks many candidates; value itself will do."""

    def value(self, P: Array) -> Array: ...

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The point chosen, its acquisition value, and the runners-up, best first, should the point be taken."""

    x: Array
    value: float
    others: Array


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Everything a rule may look at. Values are standardised; busy points are those being evaluated now."""

    gp: GP
    best: float
    busy: Array
    cube: Cube
    rng: np.random.Generator
    maximize: Callable[[Acquisition], Choice]


@runtime_checkable
class Chooser(Protocol):
    """Any way to choose the next point."""

    def choose(self, view: View) -> Choice: ...


@runtime_checkable
class Drawer(Protocol):
    """A way to choose that looks at nothing."""

    def draw(self, cube: Cube, rng: np.random.Generator) -> Array:
        """Feasible points (m, d); the first that is free is taken."""


Rule: TypeAlias = Score | Chooser | Drawer


def is_standard(rule: Rule) -> TypeGuard[Score]:
    """Does it see the posterior alone? Asked with every proposal, and isinstance() takes hundreds of times as long."""
    return hasattr(rule, "score")
