"""What a family of problems is: one formula in several dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nonstop_bench.problems.task import Task

ANY = range(1, 10_001)


@dataclass(frozen=True, slots=True)
class Family:
    """A maker of problems. `movable`: the minimum over the box is the minimum over the whole of R^d, and known there,
    so that the function may be shifted and rotated and still have it."""

    name: str
    make: Callable[[int], Task]
    dims: Sequence[int] = ANY
    movable: bool = False

    @property
    def pattern(self) -> str:
        """How its problems are called, for help texts: ackley-<d>, hartmann-<3|6>, branin."""
        if len(self.dims) == 1:
            return self.name
        few = "|".join(map(str, self.dims)) if len(self.dims) <= 3 else "d"
        return f"{self.name}-<{few}>"

    def problem(self, dim: int | None) -> Task:
        """The problem in dim dimensions; dim may be left out where there is but one."""
        if dim is None and len(self.dims) == 1:
            dim = self.dims[0]
        if dim is None:
            raise ValueError(f"{self.name} needs a dimension: {self.name}-{self.dims[min(9, len(self.dims) - 1)]}, say")
        if dim not in self.dims:
            raise ValueError(f"{self.name} has no {dim} dimensions, expected {self._expected}")
        return self.make(dim)

    @property
    def _expected(self) -> str:
        if len(self.dims) <= 3:
            return " or ".join(map(str, self.dims))
        return ", ".join(map(str, self.dims[:3])) + f", … up to {self.dims[-1]}"
