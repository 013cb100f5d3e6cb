"""Known constraints as small trees of our own, and their values on many points at once. Nothing is ever run by Python.

A *column* holds the values of one name: float64 (m,) for numbers, objects for everything else. A truth is given as its
*margin* (m,): >= 0 exactly where it holds, how far it is from changing, as smooth as the expression is; -inf where it
cannot be computed. What is not finite at any place makes a comparison fail, and so does its negation.

Every operation gives the same bits for one point as for many: NumPy's exp, log and power need not, Python's do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.types import Array, Value

Column: TypeAlias = NDArray[Any]
Columns: TypeAlias = Mapping[str, Column]

_TINY: Final = 5e-324  # what a strict comparison misses by where both sides are equal


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a text, true, false or none."""

    value: Value
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """The value of a parameter."""

    name: str
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms with + or - before each, from left to right."""

    terms: tuple[tuple[str, Node], ...]
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Product:
    """Factors with * or / before each, from left to right."""

    factors: tuple[tuple[str, Node], ...]
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Negative:
    """Minus something."""

    node: Node
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Power:
    """base ** exponent"""

    base: Node
    exponent: Node
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One of the functions in FUNCTIONS."""

    function: str
    arguments: tuple[Node, ...]
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """first < second <= third ...: every neighbouring pair must hold."""

    first: Node
    rest: tuple[tuple[str, Node], ...]
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """not something"""

    node: Node
    at: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Junction:
    """Several truths with "and" or with "or" between them."""

    word: str
    nodes: tuple[Node, ...]
    at: int = field(compare=False)


Node: TypeAlias = Literal | Name | Sum | Product | Negative | Power | Call | Comparison | Not | Junction

#: The least and the greatest number of arguments of each function.
FUNCTIONS: Final[Mapping[str, tuple[int, int]]] = {
    "abs": (1, 1),
    "min": (1, 100),
    "max": (1, 100),
    "sqrt": (1, 1),
    "log": (1, 1),
    "exp": (1, 1),
}
_OPPOSITE: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def children(node: Node) -> tuple[Node, ...]:
    """The nodes below this one, from left to right."""
    match node:
        case Literal() | Name():
            return ()
        case Sum(terms=parts) | Product(factors=parts):
            return tuple(part for _, part in parts)
        case Negative(node=inner) | Not(node=inner):
            return (inner,)
        case Power(base=base, exponent=exponent):
            return base, exponent
        case Call(arguments=nodes) | Junction(nodes=nodes):
            return nodes
        case Comparison(first=first, rest=rest):
            return first, *(part for _, part in rest)


def names_in(node: Node) -> Iterator[Name]:
    """Every use of a name, from left to right."""
    if isinstance(node, Name):
        yield node
    for child in children(node):
        yield from names_in(child)


def margin(node: Node, columns: Columns, m: int, holds: bool = True) -> Array:
    """The margin of a truth, or with holds=False of its opposite."""
    match node:
        case Not(node=inner):
            return margin(inner, columns, m, not holds)
        case Junction(word=word, nodes=nodes):
            smallest = (word == "and") == holds
            found = np.stack([margin(part, columns, m, holds) for part in nodes])
            return _all_of(found) if smallest else found.max(axis=0)
        case Comparison(first=first, rest=rest):
            sides = [first, *(side for _, side in rest)]
            pairs = zip(sides, (word for word, _ in rest), sides[1:], strict=False)
            found = np.stack([_compared(a, word if holds else _OPPOSITE[word], b, columns, m) for a, word, b in pairs])
            return _all_of(found) if holds else _any_of(found)
        case _:  # a name that is true or false, or the word itself
            true = np.array([bool(value) for value in objects(node, columns, m)], dtype=bool)
            return np.where(true == holds, 1.0, -1.0)


def _all_of(found: Array) -> Array:
    least: Array = found.min(axis=0)
    return least


def _any_of(found: Array) -> Array:
    """The opposite of a chain: one pair must fail, and all must be computable."""
    largest: Array = found.max(axis=0)
    largest[np.isneginf(found).any(axis=0)] = -math.inf
    return largest


def _compared(left: Node, word: str, right: Node, columns: Columns, m: int) -> Array:
    if word in ("==", "!=") and (is_other(left, columns) or is_other(right, columns)):
        pairs = zip(objects(left, columns, m), objects(right, columns, m), strict=True)
        same = np.array([same_value(a, b) for a, b in pairs], dtype=bool)
        return np.where(same == (word == "=="), 1.0, -1.0)
    a, b = numbers(left, columns, m), numbers(right, columns, m)
    with np.errstate(all="ignore"):
        d = np.clip(b - a if word in ("<", "<=") else a - b, -1e308, 1e308)
    if word in ("==", "!="):
        d = -np.abs(d) if word == "==" else np.abs(d)
    if word in ("<", ">", "!="):
        d = np.where(d > 0.0, d, np.minimum(d, -_TINY))
    elif word == "==":
        d = np.where(a == b, 0.0, np.minimum(d, -_TINY))
    else:  # of two different huge numbers the difference may vanish; of two different small ones it does not
        d = np.where((a <= b) if word == "<=" else (a >= b), np.maximum(d, 0.0), np.minimum(d, -_TINY))
    d[np.isnan(a) | np.isnan(b)] = -math.inf
    return d + 0.0  # no -0.0


def same_value(a: Value, b: Value) -> bool:
    """Are they the same choice? True is not 1 here."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def is_other(node: Node, columns: Columns) -> bool:
    """Is it a value that is no number?"""
    if isinstance(node, Literal):
        return isinstance(node.value, str | bool | None)
    return isinstance(node, Name) and columns[node.name].dtype.kind == "O"


def objects(node: Node, columns: Columns, m: int) -> list[Any]:
    """The values of a name or of a literal as they are."""
    if isinstance(node, Literal):
        return [node.value] * m
    if isinstance(node, Name):
        found: list[Any] = columns[node.name].tolist()
        return found
    return numbers(node, columns, m).tolist()  # type: ignore[no-any-return]


def numbers(node: Node, columns: Columns, m: int) -> Array:
    """The values (m,) of a number; NaN where something on the way is not finite."""
    match node:
        case Literal(value=value):
            return np.full(m, float(value))  # type: ignore[arg-type]
        case Name(name=name):
            column = columns[name]
            return column if column.dtype.kind == "f" else np.array(_floats(column.tolist()), dtype=np.float64)
        case Negative(node=inner):
            return -numbers(inner, columns, m)
        case Sum(terms=parts) | Product(factors=parts):
            return _chained(parts, columns, m)
        case Power(base=base, exponent=exponent):
            return _power(numbers(base, columns, m), exponent, columns, m)
        case Call(function=name, arguments=nodes):
            return _called(name, [numbers(argument, columns, m) for argument in nodes])
        case _:
            raise TypeError(f"{type(node).__name__} is no number")


def _floats(values: list[Any]) -> list[float]:
    """Numbers among choices of other kinds: those are no numbers here."""
    return [float(v) if isinstance(v, int | float) and not isinstance(v, bool) else math.nan for v in values]


def _chained(parts: tuple[tuple[str, Node], ...], columns: Columns, m: int) -> Array:
    total = numbers(parts[0][1], columns, m)
    with np.errstate(all="ignore"):
        for sign, part in parts[1:]:
            value = numbers(part, columns, m)
            total = _finite(_STEPS[sign](total, value))
    return total


_STEPS: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


def _power(base: Array, exponent: Node, columns: Columns, m: int) -> Array:
    if isinstance(exponent, Literal) and exponent.value == 2:
        with np.errstate(all="ignore"):
            return _finite(base * base)
    powers = numbers(exponent, columns, m)
    return np.array([_each(math.pow, b, p) for b, p in zip(base.tolist(), powers.tolist(), strict=True)])


def _called(name: str, arguments: list[Array]) -> Array:
    first = arguments[0]
    if name == "abs":
        return np.abs(first)
    if name in ("min", "max"):  # NumPy's keep NaN
        stacked = np.stack(arguments)
        extreme: Array = stacked.min(axis=0) if name == "min" else stacked.max(axis=0)
        return extreme
    if name == "sqrt":
        with np.errstate(all="ignore"):
            return np.sqrt(first)
    function = math.log if name == "log" else math.exp
    return np.array([_each(function, value) for value in first.tolist()])


def _each(function: Callable[..., float], *arguments: float) -> float:
    if any(math.isnan(argument) for argument in arguments):  # NaN ** 0 is 1
        return math.nan
    try:
        value = function(*arguments)
    except (ValueError, OverflowError, ZeroDivisionError):
        return math.nan
    return value if math.isfinite(value) else math.nan


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, math.nan)
