"""What is sought of the outcomes of an evaluation: each is an objective, or has to keep a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.arguments import text_of
from nonstop.errors import DataError, StudyError
from nonstop.outcomes.bound import Bound
from nonstop.types import Array
from nonstop.wording import shown

#: What is sought of one outcome: "minimize", "maximize", or a bound such as "<= 8.0".
Goal: TypeAlias = str | Bound

_SIGNS = {"minimize": -1.0, "maximize": 1.0}
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Aim:
    """For each outcome 1 or -1, for an objective that is maximised or minimised, or the bound that it has to keep."""

    goals: tuple[float | Bound, ...]

    @classmethod
    def of(cls, given: Sequence[Goal] | None) -> Aim:
        """Checked; None is one objective that is maximised."""
        if given is None:
            return cls((1.0,))
        if isinstance(given, str | bytes) or not isinstance(given, Sequence):
            raise DataError(f"goals must be a list with a goal for every column of Y, not {shown(given)}")
        aim = cls(tuple(_goal(i, goal) for i, goal in enumerate(given)))
        if not aim.objectives:
            raise DataError("goals must have at least one objective, 'minimize' or 'maximize'")
        return aim

    @property
    def objectives(self) -> tuple[int, ...]:
        """The columns of the objectives."""
        return tuple(i for i, goal in enumerate(self.goals) if not isinstance(goal, Bound))

    @property
    def constraints(self) -> tuple[int, ...]:
        """The columns of the outcomes that have to keep a bound."""
        return tuple(i for i, goal in enumerate(self.goals) if isinstance(goal, Bound))

    def oriented(self, Y: Array) -> Array:
        """The outcomes (n, m) with larger ones being better: objectives with their sign, and the slack of the others,
        how far inside its bound each is. A row per outcome: (m, n)."""
        with np.errstate(over="ignore"):
            rows = [_oriented(y, goal) for y, goal in zip(Y.T, self.goals, strict=True)]
        return np.ascontiguousarray(np.clip(rows, -_LARGEST, _LARGEST))

    def kept(self, values: Array) -> NDArray[np.bool_]:
        """Which evaluations keep all bounds, from oriented outcomes (m, n)."""
        return np.asarray((values[list(self.constraints)] >= 0.0).all(axis=0))


def _goal(column: int, given: object) -> float | Bound:
    text = text_of(given)
    if text in _SIGNS:
        return _SIGNS[text]
    try:
        return Bound.of(f"column {column}", given)
    except StudyError:
        what = "'minimize', 'maximize' or a bound such as '<= 8.0' or '>= 0.9'"
        raise DataError(f"goals[{column}] must be {what}, not {shown(given)}") from None


def _oriented(y: Array, goal: float | Bound) -> Array:
    if isinstance(goal, Bound):
        return np.asarray(goal.value - y if goal.side == "<=" else y - goal.value)
    return goal * y
