"""What a study wants of its outcomes: objectives with a direction, and constraints with a bound.

An evaluation gives *outcomes*, numbers by name. Some are objectives, some have to stay within a bound, and all others
are notes. Most studies have one objective and no constraint: then nobody has to name it, and its outcome is the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast, get_args

import numpy as np

from nonstop.arguments import number_of, text_of
from nonstop.errors import StudyError
from nonstop.outcomes.bound import Bound
from nonstop.types import Array, Direction, Outcomes
from nonstop.wording import shown

#: What an objective is called that nobody named.
VALUE: Final = "value"


@dataclass(frozen=True, slots=True)
class Goals:
    """The objectives, at least one, and the constraints of a study, by the names of their outcomes."""

    #: Whether small or large values of each are better.
    objectives: Mapping[str, Direction]
    #: What each of these outcomes has to be.
    constraints: Mapping[str, Bound] = field(default_factory=dict)
    #: Has the study outcomes by name? Else all that it has is a value.
    named: bool = True

    @classmethod
    def of(
        cls,
        direction: Direction,
        objectives: Mapping[str, object] | None = None,
        constraints: Mapping[str, object] | None = None,
    ) -> Goals:
        """Checked; StudyError names what is wrong. Without objectives, there is one called `value`."""
        wanted = _objectives({VALUE: direction} if objectives is None else objectives)
        bounds = _constraints({} if constraints is None else constraints)
        both = sorted(wanted.keys() & bounds.keys())
        if both:
            raise StudyError(f"{shown(both[0])} is both an objective and a constraint: an outcome can be one of them")
        return cls(wanted, bounds, objectives is not None or bool(bounds))

    @property
    def names(self) -> tuple[str, ...]:
        """The outcomes that every evaluation must give: the objectives, then the constraints."""
        return (*self.objectives, *self.constraints)

    @property
    def by_column(self) -> tuple[Direction | Bound, ...]:
        """What is wanted of each of the names, in their order: what propose() calls goals."""
        return (*self.objectives.values(), *self.constraints.values())

    @property
    def several(self) -> bool:
        """Is there more than one objective?"""
        return len(self.objectives) > 1

    @property
    def sign(self) -> float:
        """1 if the only objective is maximised, -1 if it is minimised; StudyError if there are several."""
        if self.several:
            raise StudyError(f"there are several objectives: {', '.join(self.objectives)}")
        return float(self.signs[0])

    @property
    def signs(self) -> Array:
        """1 for each objective that is maximised, -1 for each that is minimised."""
        return np.array([1.0 if direction == "maximize" else -1.0 for direction in self.objectives.values()])

    def wrong(self, told: Mapping[str, object]) -> str | None:
        """Why this is no result: the first outcome that is missing or not a finite number; None if all is well."""
        for name in self.names:
            if name not in told:
                return f"the outcome {shown(name)} is missing among {shown(list(told))}"
            if number_of(told[name]) is None:
                return f"the outcome {shown(name)} is {shown(told[name])}, not a finite number"
        return None

    def outcomes_of(self, told: Mapping[str, object]) -> dict[str, float]:
        """The outcomes in what was told and is not wrong()."""
        return {name: cast("float", number_of(told[name])) for name in self.names}

    def value_of(self, outcomes: Outcomes) -> float | None:
        """The value of a trial with these outcomes: that of its only objective; None if it has several."""
        return None if self.several else outcomes[next(iter(self.objectives))]

    def violation(self, outcomes: Outcomes) -> float:
        """By how much the constraints are violated, all together, each relative to its bound; 0 if it is feasible."""
        return float(sum(bound.violation(outcomes[name]) for name, bound in self.constraints.items()))

    def violated(self, outcomes: Outcomes) -> tuple[str, ...]:
        """The names of the constraints that are violated; none if it is feasible."""
        return tuple(name for name, bound in self.constraints.items() if bound.slack(outcomes[name]) < 0.0)

    def signed(self, many: Sequence[Outcomes]) -> Array:
        """The objectives (n, objectives) of n results, larger being better."""
        rows = [[outcomes[name] for name in self.objectives] for outcomes in many]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self.objectives)) * self.signs

    def violations(self, many: Sequence[Outcomes]) -> Array:
        """The violation() of each of n results."""
        return np.array([self.violation(outcomes) for outcomes in many], dtype=np.float64)

    def __str__(self) -> str:
        wanted = [f"{direction} {name}" for name, direction in self.objectives.items()] if self.named else []
        bounds = [f"{name} {bound}" for name, bound in self.constraints.items()]
        text = ", ".join(wanted) or next(iter(self.objectives.values()))
        return f"{text}, subject to {', '.join(bounds)}" if bounds else text


def _objectives(given: object) -> dict[str, Direction]:
    if not isinstance(given, Mapping) or not given:
        raise StudyError(
            f"objectives must be a mapping from at least one name to 'minimize' or 'maximize', not {shown(given)}"
        )
    wanted: dict[str, Direction] = {}
    for name, direction in given.items():
        if text_of(direction) not in get_args(Direction):
            raise StudyError(f"the objective {shown(name)} must be 'minimize' or 'maximize', not {shown(direction)}")
        wanted[_name(name)] = cast("Direction", text_of(direction))
    return wanted


def _constraints(given: object) -> dict[str, Bound]:
    if not isinstance(given, Mapping):
        raise StudyError(f"constraints must be a mapping from names to texts such as '<= 8.0', not {shown(given)}")
    return {_name(name): Bound.of(_name(name), bound) for name, bound in given.items()}


def _name(name: object) -> str:
    text = text_of(name)
    if text is None or not text.strip() or not text.isprintable() or len(text) > _LONGEST:
        raise StudyError(
            f"the name of an outcome must be a text of 1 to {_LONGEST} printable characters, not {shown(name)}"
        )
    return text


_LONGEST: Final = 100
