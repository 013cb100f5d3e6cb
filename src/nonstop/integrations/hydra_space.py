"""A search space in Hydra's words: overrides and `hydra.sweeper.params`, to a Space; params back to overrides.

    lr=interval(1e-5,1e-1)               Float; int(interval(1,8)) is Int; tag(log, interval(1e-5,1e-1))
    depth=range(1,10)                    Int or Float in steps; 10 is not among them
    loss=l1,l2   loss=choice(l1,l2)      Categorical; tag(ordinal, choice(small,large)) is Ordinal
    db=glob(*)                           Categorical: the options of a config group

Hydra's own parser reads these, so sweeps that were written for other sweepers mean the same here. In a config there
may also be

    lr: float(1e-5, 1e-1, log)           Float or Int; step=16 or step=x2 may follow
    lr: {type: float, low: 0, high: 1}   whatever a study file has
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import IntervalSweep, Override, Quote, QuotedString, RangeSweep

from nonstop.errors import SpaceError
from nonstop.space import Categorical, Float, Int, Ordinal, Parameter, Space
from nonstop.types import Params, Value

#: float(1e-5, 1e-1, log), int(16, 256, step=16): two bounds at least, so that Hydra's casts of one value stay casts.
_SHORT: Final = re.compile(r"\s*(float|int)\(([^()]*,[^()]*)\)\s*")
_TYPES: Final = ("float", "int", "categorical", "ordinal")


@dataclass(slots=True)
class Search:
    """What a sweep varies, and what all of its jobs have in common."""

    #: What is searched, by the path in the config or the name of the config group.
    parameters: dict[str, Parameter] = field(default_factory=dict)
    #: Overrides of every job, by what they override.
    fixed: dict[str, str] = field(default_factory=dict)
    #: + or ++ of the parameters that were written with them.
    prefixes: dict[str, str] = field(default_factory=dict)

    def overrides(self, params: Params) -> list[str]:
        """The overrides of the job with these params."""
        searched = [override_of(f"{self.prefixes.get(name, '')}{name}", value) for name, value in params.items()]
        return [*searched, *self.fixed.values()]


def search_of(params: Mapping[str, object], arguments: Sequence[str], config_loader: Any) -> Search:
    """The search of `hydra.sweeper.params` and of the command line, which comes second and so wins."""
    search = Search()
    parser = OverridesParser.create(config_loader=config_loader)
    for name, given in params.items():
        parameter = _described(name, given)
        if parameter is None:
            word = f"{name}={given}" if isinstance(given, str) else override_of(name, given)
            _add(search, parser.parse_overrides([word]))
        else:
            bare = name.lstrip("+")
            search.parameters[bare], search.prefixes[bare] = parameter, name.removesuffix(bare)
    _add(search, parser.parse_overrides(list(arguments)))
    return search


def space_of(search: Search, where: Sequence[str]) -> Space:
    """The space, with its constraints."""
    return Space(search.parameters, list(where) or None)


def _add(search: Search, overrides: Iterable[Override]) -> None:
    for override in overrides:
        name = override.get_key_element().lstrip("+~")
        search.parameters.pop(name, None)
        search.fixed.pop(name, None)
        if override.is_sweep_override():
            try:
                search.parameters[name] = _parameter(override)
            except SpaceError as error:
                raise SpaceError(f"{override.input_line}: {error}") from None
            search.prefixes[name] = override.get_key_element().removesuffix(name)
        elif override.is_delete():
            search.fixed[name] = override.input_line or f"~{name}"
        else:
            search.fixed[name] = f"{override.get_key_element()}={override.get_value_element_as_str()}"


def _described(name: str, given: object) -> Parameter | None:
    """The parameter of a table as in a study file, or of float(...) and int(...); None if Hydra is to read it."""
    try:
        if isinstance(given, Mapping) and given.get("type") in _TYPES:
            return Space.from_json({name: given})[name]
        short = _SHORT.fullmatch(given) if isinstance(given, str) else None
        return None if short is None else _short(short[1], [word.strip() for word in short[2].split(",")])
    except SpaceError as error:
        raise SpaceError(f"hydra.sweeper.params: {error}") from None


def _short(kind: str, words: list[str]) -> Parameter:
    """float(LOW, HIGH), int(LOW, HIGH): log and step=STEP may follow."""
    number = float if kind == "float" else int
    steps = [word.partition("=")[2].strip() for word in words[2:] if re.match(r"step\s*=", word)]
    if len(steps) + words[2:].count("log") < len(words[2:]):
        raise SpaceError(f"got {kind}({', '.join(words)}), expected {kind}(LOW, HIGH), log and step=STEP may follow")
    try:
        low, high = map(number, words[:2])
        step = [text if text.startswith("x") else number(text) for text in steps]
    except ValueError as error:
        raise SpaceError(f"got {kind}({', '.join(words)}): {error}") from None
    make = Float if kind == "float" else Int
    return make(low, high, "log" in words[2:], step[0] if step else None)  # type: ignore[arg-type]


def _parameter(override: Override) -> Parameter:
    given: Any = override.value()
    if override.is_interval_sweep():
        return _interval(given)
    if override.is_range_sweep():
        return _range(given)
    choices = [_plain(element) for element in override.sweep_iterator()]
    return Ordinal(choices) if "ordinal" in getattr(given, "tags", ()) else Categorical(choices)


def _interval(sweep: IntervalSweep) -> Parameter:
    _check_tags(sweep.tags, {"log"})
    log = "log" in sweep.tags
    if isinstance(sweep.start, int) and isinstance(sweep.end, int):
        return Int(sweep.start, sweep.end, log)
    return Float(float(sweep.start or 0.0), float(sweep.end or 0.0), log)


def _range(sweep: RangeSweep) -> Parameter:
    """Hydra's range ends before its stop, as Python's does."""
    _check_tags(sweep.tags, {"log"})
    values = sorted(sweep.range())
    if not values:
        raise SpaceError("the range is empty")
    low, high, log = values[0], values[-1], "log" in sweep.tags
    step = abs(sweep.step)
    if all(isinstance(value, int) for value in values):
        return Int(low, high, log, None if step == 1 or low == high else step)
    if log:
        raise SpaceError("a range with a logarithmic scale must be of integers in steps of 1; interval() has none")
    return Float(low, high, False, None if low == high else step)


def _check_tags(tags: Iterable[str], known: set[str]) -> None:
    unknown = sorted(set(tags) - known)
    if unknown:
        raise SpaceError(f"got the tag {unknown[0]}, expected {' or '.join(sorted(known))}")


def _plain(element: Any) -> Value:
    """A choice as a scalar. Lists and tables are texts that Hydra reads again."""
    if isinstance(element, QuotedString):
        return str(element.text)
    is_scalar = element is None or isinstance(element, str | int | float)
    scalar: Value = element if is_scalar else str(Override._get_value_element_as_str(element))
    return scalar


def override_of(key: str, value: object) -> str:
    """The override that gives this value; texts are quoted where Hydra would read something else."""
    if isinstance(value, str):
        text = f"{key}={value}"
        return text if _means(text, value) else f"{key}={_quoted(value)}"
    if isinstance(value, bool) or value is None:
        return f"{key}={'null' if value is None else str(value).lower()}"
    return f"{key}={value!r}"


def _means(text: str, value: str) -> bool:
    """Does Hydra read the override as this very value, or as a list or table that stands in it?"""
    try:
        read = OverridesParser.create().parse_override(text)
    except Exception:  # it cannot be read at all
        return False
    return not read.is_sweep_override() and (read.value() == value or isinstance(read.value(), list | dict))


def _quoted(value: str) -> str:
    return str(QuotedString(value, Quote.single).with_quotes())
