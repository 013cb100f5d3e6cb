"""What an optimiser must do to run on these problems."""

from __future__ import annotations

from typing import Protocol, TypeVar

from nonstop_bench.records import Array

Handle = TypeVar("Handle")


class Contender(Protocol[Handle]):
    """It knows which of its points are busy: those that it was asked for and not yet told of. Points are of the unit
    cube, outcomes as the problem orders them."""

    def add(self, x: Array, outcomes: Array) -> None:
        """A result of the start, before the first ask."""

    def ask(self) -> tuple[Handle, Array]:
        """The next point to evaluate, and what identifies it for tell()."""

    def tell(self, handle: Handle, outcomes: Array) -> None:
        """The result."""
