"""A constraint on one outcome of an evaluation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast, get_args

from nonstop.arguments import number_of, text_of
from nonstop.errors import StudyError
from nonstop.wording import shown

#: Which side of its bound an outcome has to be on.
Side: TypeAlias = Literal["<=", ">="]
_BOUND: Final = re.compile(r"\s*(<=|>=|<|>|==|=)?\s*(\S.*?)?\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Bound:
    """A constraint on one outcome: `<= 8.0` or `>= 0.9`."""

    side: Side
    #: Any finite number.
    value: float

    @classmethod
    def of(cls, name: str, given: object) -> Bound:
        """From a text such as "<= 8.0"; StudyError says what is wrong with it."""
        if isinstance(given, Bound):
            return given
        text = text_of(given)
        found = None if text is None else _BOUND.fullmatch(text)
        side, number = (None, None) if found is None else (found[1], _number(found[2]))
        if side not in get_args(Side) or number is None:
            also = f" (write {side}= for {side})" if side in ("<", ">") else ""
            raise StudyError(
                f"the constraint on {shown(name)} must be a text such as '<= 8.0' or '>= 0.9', not {shown(given)}{also}"
            )
        return cls(cast("Side", side), number)

    def __str__(self) -> str:
        return f"{self.side} {self.value!r}"

    def slack(self, outcome: float) -> float:
        """How far inside the bound the outcome is; negative if it violates it."""
        return self.value - outcome if self.side == "<=" else outcome - self.value

    def violation(self, outcome: float) -> float:
        """By how much it violates the bound, relative to the bound unless that is 0; 0 if it does not."""
        return max(0.0, -self.slack(outcome)) / (abs(self.value) or 1.0)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else number_of(float(text))
    except ValueError:
        return None
