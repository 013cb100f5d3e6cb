"""The axis of a parameter: the position of each value on it, and grids of values along it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np

from nonstop.space import Categorical, Ordinal, Parameter, Space
from nonstop.space.encoding import cube_of, decode
from nonstop.space.layout import layout_of
from nonstop.space.leaves import Leaf, path_of
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
    #: The choices that must be made for the parameter to be there, by name.
    when: tuple[tuple[str, Value], ...] = ()
    #: What to write at the axis; empty is the name.
    title: str = ""

    @classmethod
    def of(cls, name: str, parameter: Parameter) -> Scale:
        """The axis of a parameter."""
        if isinstance(parameter, Categorical | Ordinal):
            return cls(name, "choices", 0.0, len(parameter.choices) - 1.0, tuple(parameter.choices))
        return cls(name, "log" if parameter.log else "linear", float(parameter.low), float(parameter.high))

    @property
    def label(self) -> str:
        """What to write at the axis: the name, and of several parameters of one name, when this one is there."""
        return self.title or self.name

    @property
    def labels(self) -> tuple[str, ...]:
        """The choices as text."""
        return tuple(scalar(choice) for choice in self.choices)

    def place(self, value: Value) -> float:
        """The position of a value on this axis."""
        return float(self.choices.index(value)) if self.kind == "choices" else float(cast("float", value))

    def places(self, many: Iterable[Params]) -> Array:
        """The positions of many params on this axis; NaN where the parameter is not there."""
        return np.array([self.place(p[self.name]) if self.is_in(p) else np.nan for p in many], dtype=np.float64)

    def is_in(self, params: Params) -> bool:
        """Is the parameter there, with these params?"""
        return self.name in params and all(name in params and params[name] == made for name, made in self.when)


def scales_of(space: Space) -> tuple[Scale, ...]:
    """The axes of all parameters that have more than one value, in the order of the cube."""
    leaves = space.leaves
    return tuple(_scale(space, leaves[owner]) for owner in layout_of(space).owners)


def _scale(space: Space, leaf: Leaf) -> Scale:
    choices = [(space.leaves[place], level) for place, level in path_of(space.leaves, leaf.under)]
    when = tuple((choice.name, choice.parameter.choices[level]) for choice, level in choices)  # type: ignore[union-attr]
    shared = len(space.named(leaf.name)) > 1
    title = f"{leaf.name} ({', '.join(f'{name} {scalar(value)}' for name, value in when)})" if shared else ""
    return replace(Scale.of(leaf.name, leaf.parameter), when=when, title=title)


def grid(scale: Scale, parameter: Parameter, most: int) -> tuple[Array, Array]:
    """At most `most` values along one parameter: their positions on its scale, ascending, and their columns (m, width)
    of the cube."""
    alone = Space({scale.name: Categorical(parameter.choices) if isinstance(parameter, Categorical) else parameter})
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
