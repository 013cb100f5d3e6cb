"""Known constraints between parameters: an expression that is stored as its text, or a function of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from nonstop.arguments import flag_of, text_of
from nonstop.errors import SpaceError
from nonstop.space.expression import Columns, Name, Node, margin, names_in
from nonstop.space.parser import parsed
from nonstop.types import Array, Params
from nonstop.wording import scalar, shown

#: The most constraints of a space.
MOST = 1000


@dataclass(frozen=True, slots=True)
class Expression:
    """A constraint that is a text, such as "batch * width <= 4096"."""

    text: str
    tree: Node = field(compare=False, repr=False)
    #: Every use of a name in it.
    uses: tuple[Name, ...] = field(compare=False, repr=False)

    @classmethod
    def of(cls, text: str) -> Expression:
        """The constraint of the text; SpaceError shows where it cannot be read."""
        text = text.strip()  # so that positions are those in what is stored
        tree = parsed(text)
        return cls(text, tree, tuple(names_in(tree)))

    @property
    def names(self) -> frozenset[str]:
        """The names in it."""
        return frozenset(use.name for use in self.uses)

    def margin(self, columns: Columns, m: int) -> Array:
        """The margin (m,): >= 0 exactly where it holds."""
        return margin(self.tree, columns, m)

    def broken(self, params: Params) -> str:
        """What to say of params for which it does not hold."""
        values = ", ".join(f"{name} = {_exact(params[name])}" for name in dict.fromkeys(use.name for use in self.uses))
        return f"{self.text} does not hold: {values}"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A constraint that is a function of the params. What is stored is its repr: to load the study, pass it again."""

    function: Callable[[dict[str, Any]], bool]

    def holds(self, params: Params) -> bool:
        """What the function says; SpaceError if it fails, or says neither True nor False."""
        try:
            said = self.function(dict(params))
        except Exception as error:
            raise SpaceError(
                f"the constraint {self} failed for {shown(dict(params))}: {type(error).__name__}: {error}"
            ) from error
        found = flag_of(said)
        if found is None:
            raise SpaceError(
                f"the constraint {self} returned {shown(said)} for {shown(dict(params))}, expected True or False"
            )
        return found

    def broken(self, params: Params) -> str:
        """What to say of params for which it does not hold."""
        return f"the constraint {self} does not hold for {shown(dict(params))}"

    def __eq__(self, other: object) -> bool:
        return self.function is other.function if isinstance(other, Function) else NotImplemented

    def __hash__(self) -> int:
        return hash(("function", id(self.function)))

    def __str__(self) -> str:
        return shown(self.function)


@dataclass(frozen=True, slots=True)
class Absent:
    """A function that is not here: a stored study knows its repr only. For reading the study, everything is allowed."""

    text: str

    def __str__(self) -> str:
        return self.text


Constraint: TypeAlias = Expression | Function | Absent


def constraints_of(where: object) -> tuple[Constraint, ...]:
    """The constraints that a user gives: texts and functions in a list, or one of them alone."""
    if isinstance(where, str) or callable(where):
        where = [where]
    if isinstance(where, Mapping | set | frozenset | bytes) or not isinstance(where, Iterable):
        raise SpaceError(f"got where = {shown(where)}, expected a list of constraints such as 'a < b'")
    found = tuple(_constraint(one) for one in where)
    if len(found) > MOST:
        raise SpaceError(f"got {len(found):,} constraints, expected at most {MOST:,}")
    return found


def stored(constraint: Constraint) -> object:
    """The text; of a function its repr, in a table."""
    return constraint.text if isinstance(constraint, Expression) else {"function": _repr(constraint)}


def read(given: object) -> object:
    """What constraints_of() takes: a text, or what stands for a function."""
    if isinstance(given, Mapping) and set(given) == {"function"} and isinstance(given["function"], str):
        return Absent(given["function"])
    if text_of(given) is None:
        raise SpaceError(f"got the constraint {shown(given)}, expected a text such as 'a < b'")
    return given


def _constraint(one: object) -> Constraint:
    if isinstance(one, Expression | Function | Absent):
        return one
    text = text_of(one)
    if text is not None:
        return _named(Expression.of(text))
    if callable(one):
        return Function(one)
    raise SpaceError(f"got the constraint {shown(one)}, expected a text such as 'a < b', or a function of the params")


def _named(expression: Expression) -> Expression:
    if not expression.uses:
        raise SpaceError(
            f"constraint {shown(expression.text)}: it names no parameter, expected a comparison such as 'a < b'"
        )
    return expression


def _repr(constraint: Function | Absent) -> str:
    if isinstance(constraint, Absent):
        return constraint.text
    try:
        return repr(constraint.function)
    except Exception:  # a class of the user's own
        return object.__repr__(constraint.function)


def _exact(value: object) -> str:
    return repr(value) if isinstance(value, float | str) else scalar(value)
