"""The axis of a parameter: the position of each value on it, and grids of values along it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from nonstop.space import Categorical, Ordinal, Parameter, Space
from nonstop.space.cube import Cube
from nonstop.space.encoding import cube_of, decode
from nonstop.types import Array, Params, Value
from nonstop.wording import scalar


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis of one parameter. Choices are at the positions 0, 1, 2, …"""

    name: str
    kind: Literal["linear", "log", "choices"]
    #: The positions of both ends.
    low: float
    high: float
    choices: tuple[Value, ...] = ()

    @classmethod
    def of(cls, name: str, parameter: Parameter) -> Scale:
        """The axis of a parameter."""
        if isinstance(parameter, Categorical | Ordinal):
            return cls(name, "choices", 0.0, len(parameter.choices) - 1.0, tuple(parameter.choices))
        return cls(name, "log" if parameter.log else "linear", float(parameter.low), float(parameter.high))

    @property
    def labels(self) -> tuple[str, ...]:
        """The choices as text."""
        return tuple(scalar(choice) for choice in self.choices)

    def place(self, value: Value) -> float:
        """The position of a value on this axis."""
        return float(self.choices.index(value)) if self.kind == "choices" else float(cast("float", value))

    def places(self, many: Iterable[Params]) -> Array:
        """The positions of many params on this axis."""
        return np.array([self.place(params[self.name]) for params in many], dtype=np.float64)


def scales_of(space: Space) -> tuple[Scale, ...]:
    """The axes of all parameters."""
    return tuple(Scale.of(name, parameter) for name, parameter in space.items())


def columns_of(cube: Cube) -> list[slice]:
    """The columns of an encoded point that belong to each parameter."""
    ends = np.cumsum([part.width for part in cube.parts]).tolist()
    return [slice(end - part.width, end) for end, part in zip(ends, cube.parts, strict=True)]


def grid(scale: Scale, parameter: Parameter, most: int) -> tuple[Array, Array]:
    """At most `most` values along one parameter: their positions on its scale, ascending, and their columns (m, width)
    of the cube."""
    alone = Space({scale.name: parameter})
    X = np.unique(cube_of(alone).spread(np.linspace(0.0, 1.0, most)[:, None]), axis=0)
    places = np.array([scale.place(decode(alone, x)[scale.name]) for x in X])
    order = np.argsort(places, kind="stable")
    return places[order], X[order]


def evenly(n: int, most: int, keep: Sequence[int] = ()) -> list[int]:
    """All indices below n if n <= most; else `most` evenly spaced ones, and those in `keep`."""
    if n <= most:
        return list(range(n))
    spread = np.linspace(0, n - 1, most).round().astype(int).tolist()
    return sorted({*spread, *keep})
