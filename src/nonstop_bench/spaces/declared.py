"""What a task searches in, said without nonstop, so that every optimiser gets it in words of its own.

    u   share of a number's range, in [0, 1]; arrays of shares give arrays of values

A constraint is said twice: as expressions for `Space(where=...)`, and as a function for those who have no such thing.
The tests hold both against each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Params: TypeAlias = Mapping[str, Any]
#: Whether params satisfy all constraints; of arrays, an array.
Feasible: TypeAlias = Callable[[Params], Any]

_BATCH = 200_000
_MOST_BATCHES = 5_000


@dataclass(frozen=True, slots=True)
class Number:
    """A range of reals, of whole numbers, or of low + k * step."""

    low: float
    high: float
    log: bool = False
    step: float | None = None
    whole: bool = False

    @property
    def steps(self) -> int:
        """How many steps lie between the bounds."""
        assert self.step is not None
        return round((self.high - self.low) / self.step)

    def at(self, u: Array) -> NDArray[Any]:
        """The values at these shares of the range: uniform shares give uniform values, of the logarithm if log."""
        if self.step is not None:
            stepped: Array = self.low + self.step * np.minimum(np.floor(u * (self.steps + 1)), self.steps)
            return stepped
        low, high = (self.low - 0.5, self.high + 0.5) if self.whole else (self.low, self.high)
        real: Array = low * (high / low) ** u if self.log else low + u * (high - low)
        inside: Array = np.clip(np.rint(real) if self.whole else real, self.low, self.high)
        return inside.astype(np.int64) if self.whole else inside


@dataclass(frozen=True, slots=True)
class Choice:
    """Options, each with the parameters that it brings."""

    options: Mapping[str, Mapping[str, Number | Choice]]


Parameter: TypeAlias = Number | Choice
Branch: TypeAlias = Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class Declared:
    """Parameters by name; no name is used twice. Constraints are over the parameters of a space without choices."""

    parameters: Branch
    where: tuple[str, ...] = ()
    feasible: Feasible | None = None

    def allows(self, params: Params) -> bool:
        """Whether params satisfy the constraints."""
        return self.feasible is None or bool(self.feasible(params))

    def walk(self) -> Iterator[tuple[str, Parameter, tuple[str, str] | None]]:
        """Every parameter with its name and the (choice, option) that brings it; parents come first."""
        yield from _walk(self.parameters, None)

    def filled(self, value_of: Callable[[str, Parameter], Any]) -> dict[str, Any]:
        """Params whose values are asked for one by one, only those of the options that were chosen."""
        return _filled(self.parameters, value_of)

    def active(self, params: Params) -> dict[str, Parameter]:
        """The parameters that params must have, by name; ValueError unless these are the names of params."""
        found: dict[str, Parameter] = {}

        def value_of(name: str, parameter: Parameter) -> Any:
            found[name] = parameter
            if name not in params:
                raise ValueError(f"{name} is missing from {dict(params)}")
            return params[name]

        self.filled(value_of)
        if found.keys() != params.keys():
            raise ValueError(f"{sorted(params.keys() - found.keys())} of {dict(params)} belong to another branch")
        return found

    def drawn(self, rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
        """Params that are uniform over what the constraints allow."""
        if self.feasible is None:
            return [self.filled(lambda _, parameter: _draw(parameter, rng)) for _ in range(count)]
        rows: list[dict[str, Any]] = []
        for _ in range(_MOST_BATCHES):
            columns, allowed = self._batch(rng)
            wanted = allowed[: count - len(rows)]
            rows += [{name: column[row].item() for name, column in columns.items()} for row in wanted]
            if len(rows) == count:
                return rows
        raise ValueError(f"{len(rows)} of {_BATCH * _MOST_BATCHES} points satisfy {self.where}, {count} were asked for")

    def _batch(self, rng: np.random.Generator) -> tuple[dict[str, NDArray[Any]], NDArray[np.intp]]:
        """Uniform points by columns, and which of them the constraints allow."""
        assert self.feasible is not None
        columns: dict[str, NDArray[Any]] = {}
        for name, parameter in self.parameters.items():
            assert isinstance(parameter, Number), "a constraint over a space with choices"
            columns[name] = parameter.at(rng.random(_BATCH))
        return columns, np.flatnonzero(self.feasible(columns))

    def share(self, rng: np.random.Generator, batches: int = 5) -> float:
        """The share of the box that the constraints allow, by counting."""
        if self.feasible is None:
            return 1.0
        return sum(len(self._batch(rng)[1]) for _ in range(batches)) / (batches * _BATCH)


def _draw(parameter: Parameter, rng: np.random.Generator) -> Any:
    if isinstance(parameter, Choice):
        return list(parameter.options)[int(rng.integers(len(parameter.options)))]
    return parameter.at(rng.random(1))[0].item()


def _walk(branch: Branch, above: tuple[str, str] | None) -> Iterator[tuple[str, Parameter, tuple[str, str] | None]]:
    for name, parameter in branch.items():
        yield name, parameter, above
        if isinstance(parameter, Choice):
            for option, inner in parameter.options.items():
                yield from _walk(inner, (name, option))


def _filled(branch: Branch, value_of: Callable[[str, Parameter], Any]) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for name, parameter in branch.items():
        params[name] = value_of(name, parameter)
        if isinstance(parameter, Choice):
            params |= _filled(parameter.options[params[name]], value_of)
    return params


def share(number: Number, value: float) -> float:
    """Where a value lies in its range, from 0 to 1; on the scale of logarithms if the range is logarithmic."""
    if number.log:
        return math.log(value / number.low) / math.log(number.high / number.low)
    return (value - number.low) / (number.high - number.low)
