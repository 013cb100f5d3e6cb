"""What an optimiser must do to run on these tasks."""

from __future__ import annotations

from typing import Protocol, TypeVar

from nonstop_bench.spaces.declared import Params

#: How many points that violate the constraints a contender may throw away for one evaluation.
MOST_REJECTED = 100

Handle = TypeVar("Handle")


class Contender(Protocol[Handle]):
    """It knows which of its points are busy: those that it was asked for and not yet told of."""

    def add(self, params: Params, value: float) -> None:
        """A result of the start, before the first ask."""

    def ask(self) -> tuple[Handle, Params]:
        """The next params to evaluate, and what identifies them for tell()."""

    def tell(self, handle: Handle, value: float | None) -> None:
        """The result; None: the params violate the constraints, and the evaluation was lost."""
