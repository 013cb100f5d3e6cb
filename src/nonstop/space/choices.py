"""One of several choices: Categorical, whose choices may bring parameters along, and Ordinal, whose have an order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from nonstop.arguments import number_of, plain, text_of, whole_of
from nonstop.errors import ParamsError, SpaceError
from nonstop.types import Value
from nonstop.wording import shown

#: The most choices, each of which is a column of the unit cube.
MAX_CHOICES = 2**16


class Branch:
    """What a choice may bring along. There is one kind, Space, which stands further down and is made of parameters."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False, init=False)
class Categorical:
    """One of several choices without an order. A mapping says for each choice which parameters it brings along:
    a Space, or None."""

    #: Strings, finite numbers, booleans or None, all different.
    choices: Sequence[Value]
    #: What each choice brings along, a Space or None; empty if none brings anything.
    branches: tuple[Branch | None, ...] = field(default=(), init=False)

    def __init__(self, choices: Sequence[Value] | Mapping[Any, Any]) -> None:
        given: object = choices
        branches = tuple(given.values()) if isinstance(given, Mapping) else ()
        if isinstance(given, Mapping):
            if not all(branch is None or isinstance(branch, Branch) for branch in branches):
                expected = "expected a list, or a mapping from each choice to a Space or None"
                raise SpaceError(f"got the choices {shown(given)}, {expected}")
            given = list(given)
        object.__setattr__(self, "choices", _checked(given, choices))
        object.__setattr__(self, "branches", branches if any(branch is not None for branch in branches) else ())

    def validate(self, value: object) -> Value:
        """The choice that equals the value, or ParamsError. True does not equal 1 here."""
        return _chosen(self.choices, value)

    def _typed(self) -> tuple[object, ...]:
        return _typed(self.choices), self.branches

    def __eq__(self, other: object) -> bool:  # as tuples, (1, 2) and (True, 2.0) would be equal
        return self._typed() == other._typed() if isinstance(other, Categorical) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._typed())

    def __repr__(self) -> str:
        if self.branches:
            return f"Categorical({dict(zip(self.choices, self.branches, strict=True))!r})"
        return f"Categorical({list(self.choices)!r})"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Ordinal:
    """One of several choices in an order, such as small, medium and large: neighbours are expected to behave alike."""

    #: Strings, finite numbers, booleans or None, all different, in their order.
    choices: Sequence[Value]

    def __post_init__(self) -> None:
        if isinstance(self.choices, Mapping):
            why = "choices that bring parameters along belong to a Categorical"
            raise SpaceError(f"got the choices {shown(self.choices)}, expected a list: {why}")
        object.__setattr__(self, "choices", _checked(self.choices, self.choices))

    def validate(self, value: object) -> Value:
        """The choice that equals the value, or ParamsError. True does not equal 1 here."""
        return _chosen(self.choices, value)

    def __eq__(self, other: object) -> bool:
        return _typed(self.choices) == _typed(other.choices) if isinstance(other, Ordinal) else NotImplemented

    def __hash__(self) -> int:
        return hash(("ordinal", _typed(self.choices)))

    def __repr__(self) -> str:
        return f"Ordinal({list(self.choices)!r})"


def place_of(choices: Sequence[Value], value: Value) -> int:
    """Which choice the value is, as validate() returned it."""
    return next(i for i, choice in enumerate(choices) if choice == value)


def _checked(choices: object, given: object) -> tuple[Value, ...]:
    # A set has no fixed order: the same declaration could be encoded differently in another process.
    if isinstance(choices, str | bytes | Set) or not isinstance(choices, Iterable):
        raise SpaceError(f"got the choices {shown(given)}, expected a list")
    scalars = tuple(_scalar(choice) for choice in _listed(choices))
    if not 1 <= len(scalars) <= MAX_CHOICES:
        raise SpaceError(f"got the choices {shown(given)}, expected at least one and at most {MAX_CHOICES}")
    seen: set[Value] = set()
    for choice in scalars:
        if choice in seen:
            raise SpaceError(f"got the choice {choice!r} twice, expected choices that differ (1 == 1.0 == True)")
        seen.add(choice)
    return scalars


def _chosen(choices: Sequence[Value], value: object) -> Value:
    given = _known_scalar(value)
    if given is not _NO_SCALAR:
        for choice in choices:
            if choice == given and isinstance(choice, bool) == isinstance(given, bool):
                return choice
    raise ParamsError(f"got {shown(value)}, expected one of {shown(list(choices))}")


def _typed(choices: Iterable[Value]) -> tuple[tuple[type, Value], ...]:
    return tuple((type(choice), choice) for choice in choices)


def _listed(choices: Iterable[object]) -> list[object]:
    """At most one more than allowed: there are iterables without end, and some that fail."""
    try:
        return list(islice(choices, MAX_CHOICES + 1))
    except Exception:
        raise SpaceError(f"got the choices {shown(choices)}, expected a list") from None


#: Stands for everything that is no JSON scalar; None is one.
_NO_SCALAR = object()


def _known_scalar(value: object) -> Any:
    """The value as a plain Python object if it can be a choice; otherwise _NO_SCALAR, without calling its methods."""
    given = plain(value)
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, str):
        text = text_of(given)
        return _NO_SCALAR if text is None else text
    number = number_of(given) if isinstance(given, int | float) else None
    if number is None:
        return _NO_SCALAR
    return whole_of(given) if isinstance(given, int) else number


def _scalar(choice: object) -> Value:
    scalar = _known_scalar(choice)
    if scalar is _NO_SCALAR:
        raise SpaceError(f"got the choice {shown(choice)}, expected a string, a finite number, a bool or None")
    return scalar  # type: ignore[no-any-return]
