"""The search space: parameters by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nonstop.arguments import text_of
from nonstop.errors import ParamsError, SpaceError
from nonstop.markup import framed, heading, table, text
from nonstop.space.parameters import Parameter, from_json, to_json
from nonstop.types import Value
from nonstop.wording import hint, shown


class Space(Mapping[str, Parameter]):
    """An immutable mapping from names to parameters. Their order is the order of the encoded columns."""

    __slots__ = ("_parameters",)

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        if not isinstance(parameters, Mapping) or not parameters:
            raise SpaceError(f"got {shown(parameters)}, expected a mapping from at least one name to a parameter")
        self._parameters: dict[str, Parameter] = {}
        for given, parameter in parameters.items():
            name = text_of(given)
            if not name:
                raise SpaceError(f"got the parameter name {shown(given)}, expected a string that is not empty")
            if not isinstance(parameter, Parameter):
                raise SpaceError(
                    f"parameter {shown(name)}: got {shown(parameter)}, expected a Float, Int or Categorical"
                )
            self._parameters[name] = parameter

    def validate(self, params: Mapping[str, object]) -> dict[str, Value]:
        """The params as plain Python values in the order of the space, or ParamsError."""
        self._check_names(params)
        clean: dict[str, Value] = {}
        for name, parameter in self._parameters.items():
            try:
                clean[name] = parameter.validate(params[name])
            except ParamsError as error:
                raise ParamsError(f"parameter {shown(name)}: {error}") from None
        return clean

    def _check_names(self, params: Mapping[str, object]) -> None:
        if not isinstance(params, Mapping):
            raise ParamsError(f"got the params {shown(params)}, expected a mapping from names to values")
        try:
            if params.keys() == self._parameters.keys():
                return
        except Exception:  # names may be any objects
            raise ParamsError(
                "got params whose names are no strings, expected a mapping from names to values"
            ) from None
        for name in params:  # before the missing names: a misspelt name is both, and this message is more helpful
            if name not in self._parameters:
                meant = hint(name, self._parameters)
                raise ParamsError(f"unknown parameter {shown(name)} with value {shown(params[name])}: expected {meant}")
        name = next(name for name in self._parameters if name not in params)
        where = f"is missing from the params {shown(dict(params))}"
        raise ParamsError(f"parameter {shown(name)} {where}: it is {shown(self[name])}")

    def to_json(self) -> dict[str, dict[str, object]]:
        """Plain JSON, with the same keys as the [space] tables of a study file."""
        return {name: to_json(parameter) for name, parameter in self._parameters.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Space:
        """The space that to_json() or a study file describes, or SpaceError."""
        if not isinstance(data, Mapping):
            raise SpaceError(f"got {shown(data)}, expected a mapping from names to tables")
        parameters: dict[str, Parameter] = {}
        for name, described in data.items():
            try:
                parameters[name] = from_json(described)
            except SpaceError as error:
                raise SpaceError(f"parameter {shown(name)}: {error}") from None
        return cls(parameters)

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __eq__(self, other: object) -> bool:
        return tuple(self.items()) == tuple(other.items()) if isinstance(other, Space) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return f"Space({self._parameters!r})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = [[text(name), text(repr(parameter))] for name, parameter in self.items()]
        return framed(heading("Space", f"{len(self)} {'parameter' if len(self) == 1 else 'parameters'}"), table(rows))
