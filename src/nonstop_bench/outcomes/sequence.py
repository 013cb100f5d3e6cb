"""Quasi-random points: the sequence of the start goes on."""

from __future__ import annotations

from nonstop.numerics.quasirandom import halton
from nonstop_bench.records import Array


class Sequence:
    """It learns nothing."""

    def __init__(self, d: int, seed: int) -> None:
        self._d, self._seed, self._count = d, seed, 0

    def add(self, x: Array, outcomes: Array) -> None:  # noqa: ARG002
        """Counted."""
        self._count += 1

    def ask(self) -> tuple[int, Array]:
        """The next point of the sequence."""
        self._count += 1
        return self._count, halton(1, self._d, self._seed, self._count - 1)[0]

    def tell(self, handle: int, outcomes: Array) -> None:
        """Nothing to do."""
