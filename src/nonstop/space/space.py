"""The search space: parameters by name, spaces that choices bring along, and the constraints that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nonstop.arguments import text_of
from nonstop.errors import ParamsError, SpaceError
from nonstop.markup import framed, heading, table, text
from nonstop.space.choices import Branch
from nonstop.space.constraint import Constraint, Expression, Function, constraints_of, read, stored
from nonstop.space.decision import first_broken
from nonstop.space.expression import Name
from nonstop.space.kinds import check, kind_of
from nonstop.space.leaves import Leaf, Under, clash, ever_together, is_active, leaves_of, visible, when, why_not
from nonstop.space.parameters import Parameter, from_json, to_json
from nonstop.space.parser import pointed
from nonstop.types import Value
from nonstop.wording import hint, shown

#: How many spaces may be inside each other.
DEEPEST = 50


class Space(Mapping[str, Parameter], Branch):
    """An immutable mapping from names to parameters. Their order is the order of the encoded columns.

    `where` are constraints that all params must satisfy: texts such as "batch * width <= 4096", or functions of the
    params that return True or False.
    """

    __slots__ = ("_by_name", "_hash", "_open", "_parameters", "constraints", "depth", "leaves", "nested", "numbers")

    #: The constraints of this level.
    constraints: tuple[Constraint, ...]
    #: How many spaces are inside each other.
    depth: int
    #: Every parameter that can be there, those of choices included, and when it is.
    leaves: tuple[Leaf, ...]
    #: The spaces that choices bring along, at any depth, and when.
    nested: tuple[tuple[Space, Under], ...]
    #: The names in constraints that stand for numbers only.
    numbers: frozenset[str]

    def __init__(
        self,
        parameters: Mapping[str, Parameter],
        where: str | Callable[[dict[str, Any]], bool] | Sequence[str | Callable[[dict[str, Any]], bool]] | None = None,
    ) -> None:
        self._parameters = _checked(parameters)
        if where is None and isinstance(parameters, Space):
            self.constraints = parameters.constraints
        else:
            self.constraints = constraints_of(() if where is None else where)
        self.leaves, self.nested = leaves_of(self._parameters)  # type: ignore[assignment]
        self.depth = 1 + max((inner.depth for inner, _ in self.nested), default=0)
        self._hash: int | None = None
        self._by_name: dict[str, list[Leaf]] = {}
        for leaf in self.leaves:
            self._by_name.setdefault(leaf.name, []).append(leaf)
        self._check_tree()
        #: Uses of names that are unknown here, in the constraints of which expressions: an outer space may have them.
        self._open = tuple(self._unknown_uses())
        used = {use.name for one, _ in self.rules() if isinstance(one, Expression) for use in one.uses}
        kinds = {name: kind_of([leaf.parameter for leaf in self.named(name)]) for name in used}
        self.numbers = frozenset(name for name, kind in kinds.items() if kind == "number")

    @property
    def where(self) -> tuple[str | Callable[[dict[str, Any]], bool], ...]:
        """The constraints of this level as they were given: texts and functions."""
        return tuple(one.function if isinstance(one, Function) else one.text for one in self.constraints)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every parameter that can be there, each once, in the order of the leaves."""
        return tuple(self._by_name)

    def named(self, name: str) -> list[Leaf]:
        """The leaves of this name: none, one, or one in each of several branches."""
        return self._by_name.get(name, [])

    def rules(self) -> Iterator[tuple[Constraint, Under | None]]:
        """All constraints, those of nested spaces included, and when each is to be kept."""
        yield from ((one, None) for one in self.constraints)
        yield from ((one, under) for inner, under in self.nested for one in inner.constraints)

    @property
    def functions(self) -> list[Constraint]:
        """The constraints that are functions, or stand for functions that are not here."""
        return [one for one, _ in self.rules() if not isinstance(one, Expression)]

    def complete(self) -> Space:
        """The space itself; SpaceError if a constraint has a name that is nowhere. Inside another space it could be
        a name of that one, so this is not checked before the space is used."""
        for expression, use in self._open:
            choices = [choice for leaf in self.leaves for choice in getattr(leaf.parameter, "choices", ())]
            if use.name in choices:
                what = f"{use.name} is no parameter but a choice: write it in quotes, '{use.name}'"
                raise pointed(expression.text, use.at, what)
            raise pointed(
                expression.text, use.at, f"unknown name {shown(use.name)}: expected {hint(use.name, self.names)}"
            )
        return self

    def validate(self, params: Mapping[str, object]) -> dict[str, Value]:
        """The params as plain Python values in the order of the space, or ParamsError."""
        self._check_names(params)
        clean: dict[str, Value] = {}
        active: list[bool] = []
        for leaf in self.leaves:
            under = leaf.under
            active.append(under is None or (active[under.leaf] and self._is_chosen(under, clean)))
            if active[-1]:
                clean[leaf.name] = self._value(leaf, params)
        if len(clean) < len(params):
            name = next(name for name in params if name not in clean)
            raise ParamsError(f"parameter {shown(name)} {why_not(self.leaves, self._by_name[name], clean)}")
        if self.constraints or self.nested:
            broken = first_broken(self.complete().leaves, self.rules(), self.numbers, clean)
            if broken is not None:
                raise ParamsError(broken)
        return clean

    def active(self, params: Mapping[str, Value]) -> list[Leaf]:
        """The leaves that are there with these params, which are as validate() returns them."""
        return [leaf for leaf in self.leaves if is_active(self.leaves, leaf.under, params)]

    def _is_chosen(self, under: Under, clean: Mapping[str, Value]) -> bool:
        choice = self.leaves[under.leaf]
        return bool(clean[choice.name] == choice.parameter.choices[under.level])  # type: ignore[union-attr]

    def _value(self, leaf: Leaf, params: Mapping[str, object]) -> Value:
        if leaf.name not in params:
            because = "" if leaf.under is None else f", there because {when(self.leaves, leaf)}"
            what = f"is missing from the params {shown(dict(params))}"
            raise ParamsError(f"parameter {shown(leaf.name)} {what}: it is {shown(leaf.parameter)}{because}")
        try:
            return leaf.parameter.validate(params[leaf.name])
        except ParamsError as error:
            raise ParamsError(f"parameter {shown(leaf.name)}: {error}") from None

    def _check_names(self, params: Mapping[str, object]) -> None:
        if not isinstance(params, Mapping):
            raise ParamsError(f"got the params {shown(params)}, expected a mapping from names to values")
        try:
            if params.keys() <= self._by_name.keys():
                return
        except Exception:  # names may be any objects
            raise ParamsError(
                "got params whose names are no strings, expected a mapping from names to values"
            ) from None
        for name in params:  # before the missing names: a misspelt name is both, and this message is more helpful
            if name not in self._by_name:
                meant = hint(name, self._by_name)
                raise ParamsError(f"unknown parameter {shown(name)} with value {shown(params[name])}: expected {meant}")

    def _check_tree(self) -> None:
        if self.constraints and "where" in self._parameters:
            why = "'where' is the key of the constraints in JSON and in study files"
            raise SpaceError(f"parameter 'where': a space with constraints needs another name for it, {why}")
        if self.depth > DEEPEST:
            raise SpaceError(f"got {self.depth} spaces inside each other, expected at most {DEEPEST}")
        found = clash(self.leaves, self._by_name)
        if found is not None:
            one, other = (when(self.leaves, leaf) for leaf in found)
            both = f"{other} and once when {one}" if one == "always" else f"{one} and once when {other}"
            raise SpaceError(
                f"parameter {shown(found[0].name)} would be there twice: once when {both}".replace(
                    "when always", "always"
                )
            )

    def _unknown_uses(self) -> Iterator[tuple[Expression, Name]]:
        """Every constraint of the whole tree is checked as far as its names are known."""
        for one, under in self.rules():
            if isinstance(one, Expression):
                known = {use.name: visible(self.leaves, self.named(use.name), under) for use in one.uses}
                unknown = [use for use in one.uses if not known[use.name]]
                yield from ((one, use) for use in unknown)
                if not unknown and not ever_together(self.leaves, list(known.values()), under):
                    raise pointed(one.text, 0, f"{' and '.join(known)} are never there together")
                if not unknown:
                    check(
                        one.text, one.tree, {name: [leaf.parameter for leaf in found] for name, found in known.items()}
                    )

    def to_json(self) -> dict[str, object]:
        """Plain JSON, with the same keys as the [space] tables of a study file."""
        tables: dict[str, object] = {
            name: to_json(parameter, lambda inner: inner.to_json())  # type: ignore[attr-defined]
            for name, parameter in self._parameters.items()
        }
        return {**tables, "where": [stored(one) for one in self.constraints]} if self.constraints else tables

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Space:
        """The space that to_json() or a study file describes, or SpaceError."""
        return cls._read(data).complete()

    @classmethod
    def _read(cls, data: object, depth: int = 1) -> Space:
        if not isinstance(data, Mapping):
            raise SpaceError(f"got {shown(data)}, expected a mapping from names to tables")
        if depth > DEEPEST:
            raise SpaceError(f"got spaces inside each other, expected at most {DEEPEST}")
        parameters: dict[str, Parameter] = {}
        where = []
        for name, described in data.items():
            try:
                if name == "where" and isinstance(described, list | str):
                    where = [read(one) for one in ([described] if isinstance(described, str) else described)]
                else:
                    parameters[name] = from_json(described, lambda inner: cls._read(inner, depth + 1))
            except SpaceError as error:
                raise SpaceError(f"parameter {shown(name)}: {error}") from None
        return cls(parameters, where)  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        return tuple(self.items()) == tuple(other.items()) and self.constraints == other.constraints

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((tuple(self.items()), self.constraints))
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:  # the hashes of strings are others in another process
        return Space, (self._parameters, self.constraints)

    def __repr__(self) -> str:
        where = f", where=[{', '.join(map(repr, self.where))}]" if self.constraints else ""
        return f"Space({self._parameters!r}{where})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = [[text(name), text(repr(parameter))] for name, parameter in self.items()]
        rows += [[text("where"), text(str(one))] for one in self.constraints]
        return framed(heading("Space", f"{len(self)} {'parameter' if len(self) == 1 else 'parameters'}"), table(rows))


def _checked(parameters: object) -> dict[str, Parameter]:
    if not isinstance(parameters, Mapping) or not parameters:
        raise SpaceError(f"got {shown(parameters)}, expected a mapping from at least one name to a parameter")
    found: dict[str, Parameter] = {}
    for given, parameter in parameters.items():
        name = text_of(given)
        if not name:
            raise SpaceError(f"got the parameter name {shown(given)}, expected a string that is not empty")
        if not isinstance(parameter, Parameter):
            expected = "expected a Float, Int or Categorical, or an Ordinal"
            raise SpaceError(f"parameter {shown(name)}: got {shown(parameter)}, {expected}")
        found[name] = parameter
    return found
