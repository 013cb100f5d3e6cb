"""Ray Tune's search spaces: `{"lr": tune.loguniform(1e-5, 1e-1), "net": {"depth": tune.randint(1, 9)}}` to a Space, and
params back to configs.

A parameter is named by its path, "net/depth". What is no domain of Tune is a constant, which Tune adds by itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from ray.tune.search import sample
from ray.tune.search.variant_generator import parse_spec_vars

from nonstop.errors import ParamsError, SpaceError
from nonstop.space import Categorical, Float, Int, Parameter, Space
from nonstop.types import Params, Value
from nonstop.wording import shown


@dataclass(frozen=True, slots=True)
class Code:
    """How a value of a config is written in params, if not as it is."""

    #: Params have the place of the value among these, which cannot be choices of a study: lists, tables, 1 and True.
    choices: list[Any] | None = None
    #: Params have the value divided by this: multiples on a logarithmic scale.
    unit: float | None = None
    #: Params have the exact multiple of this: Tune's are off by the last bit, 3 * 0.1 for one.
    grid: float | None = None

    def decoded(self, value: Value) -> Any:
        """The value for a config."""
        if self.choices is not None:
            return self.choices[int(value)]  # type: ignore[arg-type]
        return value if self.unit is None else value * self.unit  # type: ignore[operator]

    def encoded(self, value: Any) -> Any:
        """The value for params."""
        if self.choices is not None:
            places = [place for place, choice in enumerate(self.choices) if _same(choice, value)]
            if not places:
                raise ParamsError(f"got {shown(value)}, expected one of {shown(self.choices)}")
            return places[0]
        if self.grid is not None:
            exact = _multiple(round(value / self.grid), self.grid)
            return exact if math.isclose(exact, value, rel_tol=1e-9, abs_tol=1e-12) else value
        return value if self.unit is None else round(value / self.unit)


@dataclass(frozen=True, slots=True)
class TuneSpace:
    """A space, and how its params are written in configs."""

    space: Space
    codes: Mapping[str, Code] = field(default_factory=dict)

    def config(self, params: Params) -> dict[str, Any]:
        """The part of a config that these params are: nested, as it was declared."""
        config: dict[str, Any] = {}
        for name, value in params.items():
            *path, last = name.split("/")
            inner = config
            for key in path:
                inner = inner.setdefault(key, {})
            inner[last] = self.codes.get(name, Code()).decoded(value)
        return config

    def params(self, config: Mapping[str, Any]) -> Params:
        """The params of a config, whose constants are left out."""
        found = {name: _at(config, name) for name in self.space.names}
        present = {name: value for name, value in found.items() if value is not _ABSENT}
        try:
            coded = {name: self.codes.get(name, Code()).encoded(value) for name, value in present.items()}
        except TypeError as error:
            raise ParamsError(f"got the config {shown(dict(config))}: {error}") from None
        return self.space.validate(coded)

    def to_json(self) -> dict[str, object]:
        """Plain JSON, without the space: a study has that itself."""
        return {name: asdict(code) for name, code in self.codes.items()}

    @classmethod
    def from_json(cls, space: Space, codes: Mapping[str, Any]) -> TuneSpace:
        """What to_json() wrote."""
        return cls(space, {name: Code(**code) for name, code in codes.items()})


_ABSENT = object()


def _at(config: Any, name: str) -> Any:
    if isinstance(config, Mapping) and name in config:  # flat
        return config[name]
    for key in name.split("/"):
        if not isinstance(config, Mapping) or key not in config:
            return _ABSENT
        config = config[key]
    return config


def tune_space(spec: Mapping[str, Any]) -> TuneSpace | None:
    """The space of Tune's domains; None if there are none. SpaceError for what cannot be searched."""
    _, domains, grids = parse_spec_vars(dict(spec))
    if grids:
        raise SpaceError(
            f"{_name(grids[0][0])}: a grid is no space to search: use tune.choice instead of tune.grid_search"
        )
    parameters: dict[str, Parameter] = {}
    codes: dict[str, Code] = {}
    for path, domain in domains:
        name = _name(path)
        if not all(isinstance(key, str) and "/" not in key for key in path):
            raise SpaceError(f"{name}: a parameter has a name without '/', and is in no list: put it into a table")
        try:
            parameters[name], code = _parameter(domain)
        except SpaceError as error:
            raise SpaceError(f"{name}: {error}") from None
        if code is not None:
            codes[name] = code
    return TuneSpace(Space(parameters), codes) if parameters else None


def _name(path: Any) -> str:
    return "/".join(str(key) for key in path)


def _parameter(domain: Any) -> tuple[Parameter, Code | None]:
    sampler = domain.get_sampler()
    q = sampler.q if isinstance(sampler, sample.Quantized) else None
    inner = sampler.get_sampler() if isinstance(sampler, sample.Quantized) else sampler
    log = isinstance(inner, sample.LogUniform)
    if not log and not isinstance(inner, sample.Uniform):
        what = type(inner if isinstance(domain, sample.Float) else domain).__name__.strip("_")
        raise SpaceError(
            f"{what} has no bounds to search between: use uniform, loguniform, randint, choice and the like"
        )
    if isinstance(domain, sample.Categorical):
        return _categorical(list(domain.categories))
    whole = isinstance(domain, sample.Integer)
    last = domain.upper - 1 if whole and q in (None, 1) else domain.upper  # Tune's integers end before upper
    if q in (None, 1) and whole:
        return Int(domain.lower, last, log), None
    if q is None:
        return Float(domain.lower, domain.upper, log), None
    return _quantized(domain.lower, last, q, log, whole)


def _quantized(lower: float, upper: float, q: float, log: bool, whole: bool) -> tuple[Parameter, Code | None]:
    """Multiples of q. On a logarithmic scale, the factor is what is searched: steps are ratios there."""
    first, last = math.ceil(lower / q - 1e-9), math.floor(upper / q + 1e-9)
    if last < first:
        raise SpaceError(f"there is no multiple of {q} between {lower} and {upper}")
    if log:
        return Int(first, last, log=True), Code(unit=q)
    step = q if first < last else None
    if whole:
        return Int(int(first * q), int(last * q), step=step), None
    return Float(_multiple(first, q), _multiple(last, q), step=step), Code(grid=q)


def _multiple(times: int, q: float) -> float:
    """Three times 0.1 is 0.3."""
    return float(times * Decimal(repr(float(q))))


def _categorical(choices: list[Any]) -> tuple[Parameter, Code | None]:
    try:
        return Categorical(choices), None
    except SpaceError:
        if not choices:
            raise
    try:
        plain = json.loads(json.dumps(choices, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise SpaceError(f"choices must be what JSON can hold, to be kept with the search: {error}") from None
    return Categorical(list(range(len(plain)))), Code(choices=plain)


def _same(one: Any, other: Any) -> bool:
    """Equal, and of the same type: 1, 1.0 and True are three choices. JSON makes lists of tuples."""
    other = list(other) if isinstance(other, tuple) else other
    return type(one) is type(other) and bool(one == other)
