"""What a study wants of its outcomes: objectives with a direction, and constraints with a bound.

An evaluation gives *outcomes*, numbers by name. Some are objectives, some have to stay within a bound, and the others
are only kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

import numpy as np

from nonstop.arguments import number_of, text_of
from nonstop.errors import StudyError
from nonstop.outcomes.bound import Bound
from nonstop.types import Array, Direction
from nonstop.wording import hint, shown


@dataclass(frozen=True, slots=True)
class Goals:
    """The objectives, at least one, and the constraints of a study, by the names of their outcomes."""

    objectives: Mapping[str, Direction]
    constraints: Mapping[str, Bound]

    @classmethod
    def of(cls, objectives: Mapping[str, object], constraints: Mapping[str, object] | None = None) -> Goals:
        """Checked; StudyError names what is wrong."""
        if not isinstance(objectives, Mapping) or not objectives:
            raise StudyError(
                "objectives must be a mapping from at least one name to 'minimize' or 'maximize', "
                f"not {shown(objectives)}"
            )
        bounds = {} if constraints is None else constraints
        if not isinstance(bounds, Mapping):
            raise StudyError(f"constraints must be a mapping from names to texts such as '<= 8.0', not {shown(bounds)}")
        wanted: dict[str, Direction] = {}
        for name, direction in objectives.items():
            if text_of(direction) not in get_args(Direction):
                raise StudyError(
                    f"the objective {shown(name)} must be 'minimize' or 'maximize', not {shown(direction)}"
                )
            wanted[_name(name)] = cast("Direction", text_of(direction))
        clean = {_name(name): Bound.of(_name(name), bound) for name, bound in bounds.items()}
        both = sorted(wanted.keys() & clean.keys())
        if both:
            raise StudyError(f"{shown(both[0])} is both an objective and a constraint: an outcome can be one of them")
        return cls(wanted, clean)

    @property
    def names(self) -> tuple[str, ...]:
        """The outcomes that every evaluation must give: the objectives, then the constraints."""
        return (*self.objectives, *self.constraints)

    @property
    def signs(self) -> Array:
        """1 for each objective that is maximised, -1 for each that is minimised."""
        return np.array([1.0 if direction == "maximize" else -1.0 for direction in self.objectives.values()])

    def missing(self, outcomes: Mapping[str, object]) -> str | None:
        """Why these outcomes are no result: the first that is missing or not a finite number; None if all is well."""
        for name in self.names:
            if name not in outcomes:
                near = hint(name, outcomes) if outcomes else "there are none"
                return f"the outcome {shown(name)} is missing: {near}"
            if number_of(outcomes[name]) is None:
                return f"the outcome {shown(name)} is {shown(outcomes[name])}, not a finite number"
        return None

    def violation(self, outcomes: Mapping[str, float]) -> float:
        """By how much constraints are violated, all together; 0 if it is feasible."""
        return float(sum(max(0.0, -bound.slack(outcomes[name])) for name, bound in self.constraints.items()))

    def signed(self, many: Sequence[Mapping[str, float]]) -> Array:
        """The objectives (n, objectives) of n results, larger being better."""
        rows = [[outcomes[name] for name in self.objectives] for outcomes in many]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self.objectives)) * self.signs

    def slacks(self, many: Sequence[Mapping[str, float]]) -> Array:
        """How far inside its bounds each of n results is: (n, constraints), negative where it violates one."""
        rows = [[bound.slack(outcomes[name]) for name, bound in self.constraints.items()] for outcomes in many]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self.constraints))


def _name(name: object) -> str:
    text = text_of(name)
    if not text:
        raise StudyError(f"the name of an outcome must be a text that is not empty, not {shown(name)}")
    return text
