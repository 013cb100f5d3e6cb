"""Random spaces of every kind: nested, constrained, stepped, with single values; params and points of them."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from nonstop.space import Categorical, Float, Int, Ordinal, Parameter, Space
from nonstop.space.encoding import cube_of, decode
from nonstop.space.kinds import kind_of
from nonstop.space.leaves import ever_together
from nonstop.space.parameters import is_single
from nonstop.types import Array, Value

NAMES = ("lr", "depth", "C", "gamma", "width", "batch", "p")
finite = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6))


@st.composite
def floats(draw: st.DrawFn) -> Float:
    kind = draw(st.sampled_from(["any", "log", "step", "log step", "factor", "single"]))
    if kind == "single":
        return Float(low := draw(finite), low)
    if kind in ("any", "log"):
        low, high = sorted([abs(draw(finite)) + 1e-6 if kind == "log" else draw(finite) for _ in range(2)])
        assume(low < high and not (kind == "log" and math.log(low) == math.log(high)))
        return Float(low, high, log=kind == "log")
    levels = draw(st.integers(0, 40))
    if kind == "factor":
        low = draw(st.sampled_from([1e-6, 0.001, 0.5, 1.0, 3.0]))
        text = draw(st.sampled_from(["2", "10", "1.5"]))
        exact = Fraction(repr(low)) * Fraction(text) ** min(levels, 6)
        return Float(low, float(exact), log=True, step=f"x{text}")
    step = draw(st.sampled_from([0.05, 0.1, 0.25, 1.0, 0.3, 1e-3]))
    low = round(draw(st.integers(1 if kind == "log step" else -20, 20)) * step, 9)
    high = float(f"{low + levels * step:.9g}")
    return Float(low, high, log=kind == "log step", step=step)


@st.composite
def ints(draw: st.DrawFn) -> Int:
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -100, 100))
    kind = draw(st.sampled_from(["any", "step", "factor" if log else "any"]))
    if kind == "factor":
        factor = draw(st.integers(2, 4))
        return Int(low, low * factor ** draw(st.integers(0, 6)), log=True, step=f"x{factor}")
    step = draw(st.integers(1, 16)) if kind == "step" else None
    return Int(low, low + (step or 1) * draw(st.integers(0, 30)), log, step)


scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text("abcxyz é", max_size=3)
choices = st.lists(scalars, min_size=1, max_size=4, unique=True)


@st.composite
def categoricals(draw: st.DrawFn, depth: int, taken: frozenset[str]) -> Categorical:
    listed = draw(choices)
    if depth <= 0 or draw(st.integers(0, 2)) == 0:
        return Categorical(listed)
    return Categorical({choice: draw(st.none() | _spaces(depth - 1, taken)) for choice in listed})


@st.composite
def _spaces(draw: st.DrawFn, depth: int, taken: frozenset[str]) -> Space:
    free = [name for name in NAMES if name not in taken]
    assume(free)
    names = draw(st.lists(st.sampled_from(free), min_size=1, max_size=3, unique=True))
    parameters: dict[str, Parameter] = {}
    seen = taken | set(names)
    for name in names:
        nested = categoricals(depth, frozenset(seen))
        parameters[name] = draw(nested if draw(st.booleans()) else floats() | ints() | choices.map(Ordinal) | nested)
        if isinstance(parameters[name], Categorical):
            seen |= {inner for branch in parameters[name].branches if branch is not None for inner in branch.names}  # type: ignore[union-attr]
    space = Space(parameters)
    return Space(parameters, where=draw(st.lists(constraints(space), max_size=2))) if draw(st.booleans()) else space


@st.composite
def constraints(draw: st.DrawFn, space: Space) -> str:
    """A constraint over one or two numbers of the space that about half of the params satisfy; or over a choice."""
    kinds = {name: kind_of([leaf.parameter for leaf in space.named(name)]) for name in space.names}
    numbers = [f for f in space.leaves if kinds[f.name] == "number" and isinstance(f.parameter, Float | Int)]
    if not numbers:
        name = next(iter(space))
        parameter = space[name]
        assert isinstance(parameter, Categorical | Ordinal)
        texts = [choice for choice in parameter.choices if isinstance(choice, str) and choice.isprintable()]
        assume(texts)
        word = "==" if len(parameter.choices) == 1 else draw(st.sampled_from(["==", "!="]))
        return f"`{name}` {word} '{texts[0]}'"
    one = draw(st.sampled_from(numbers))
    named = space.named(one.name)
    other = draw(
        st.sampled_from([f for f in numbers if ever_together(space.leaves, [named, space.named(f.name)], None)])
    )
    middle = _middle(one.parameter)
    form = draw(st.integers(0, 5))
    if form == 0:
        return f"{one.name} <= {middle!r}"
    if form == 1:
        return f"abs({one.name} - {middle!r}) < {abs(middle) + 1.0!r} or {other.name} > {_middle(other.parameter)!r}"
    if form == 2:
        return f"not ({one.name} > {middle!r} and {other.name} > {_middle(other.parameter)!r})"
    if form == 3:
        return f"{one.name} / {middle + 1.0!r} + {other.name} <= {other.name} + 1"
    if form == 4:
        return f"min({one.name}, {other.name}) <= max({middle!r}, {_middle(other.parameter)!r})"
    return f"-1e9 < sqrt(abs({one.name})) * {other.name} ** 2 < 1e19"


def _middle(parameter: Any) -> float:
    return round(float(0.5 * (parameter.low + parameter.high)), 6)


def spaces(depth: int = 2) -> st.SearchStrategy[Space]:
    """Any space."""
    return _spaces(depth, frozenset())


def value_of(parameter: Parameter, rng: random.Random) -> Value:
    """A random value, often one at an end."""
    alone = Space({"x": parameter})
    cube = cube_of(alone)
    u = rng.choice([0.0, 1.0, rng.random(), rng.random()])
    return decode(alone, cube.spread(np.full((1, cube.axes), u))[0])["x"]


def any_params(space: Space, rng: random.Random) -> dict[str, Value]:
    """Params that have the right names and values, whatever the constraints."""
    params: dict[str, Value] = {}
    for name, parameter in space.items():
        params[name] = value_of(parameter, rng)
        if isinstance(parameter, Categorical) and parameter.branches:
            branch = parameter.branches[parameter.choices.index(params[name])]
            if isinstance(branch, Space):
                params |= any_params(branch, rng)
    return params


def points_of(space: Space, seed: int, m: int = 8) -> Array:
    """Random points of the cube that encode params, whatever the constraints."""
    cube = cube_of(space)
    return cube.spread(np.random.default_rng(seed).random((m, cube.axes)))


def typed(params: Mapping[str, Value]) -> list[tuple[str, type, Value]]:
    """True == 1 == 1.0, but not here."""
    return [(name, type(value), value) for name, value in params.items()]


def kinds_of(space: Space) -> set[str]:
    """What is special about the space."""
    leaves = space.leaves
    steps = [leaf.parameter.step for leaf in leaves if isinstance(leaf.parameter, Float | Int)]
    found = {
        "nested": space.depth > 1,
        "nested twice": space.depth > 2,
        "constrained": next(space.rules(), None) is not None,
        "stepped": any(isinstance(step, int | float) for step in steps),
        "factor": any(isinstance(step, str) for step in steps),
        "ordinal": any(isinstance(leaf.parameter, Ordinal) for leaf in leaves),
        "single": any(is_single(leaf.parameter) for leaf in leaves),
        "one name twice": len(space.names) < len(leaves),
    }
    return {kind for kind, is_so in found.items() if is_so}
