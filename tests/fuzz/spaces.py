"""Spaces of any parameters: a SpaceError, or unchanged by JSON and by the way to the unit cube and back."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np

from nonstop.errors import ParamsError, SpaceError
from nonstop.space import Categorical, Float, Int, Ordinal, Parameter, Space
from nonstop.space.encoding import cube_of, decode, encode
from nonstop.types import Array
from tests.helpers.fuzzing import anything, check_line, loop, number, whole, word

LONG, SHORT = 420_000, 4000


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Make spaces; see tests.helpers.fuzzing.loop."""
    return loop(count, seed, deadline_seconds, one)


def one(source: random.Random) -> None:
    """One space of a few parameters."""
    try:
        space = Space({word(source): _parameter(source) for _ in range(source.randrange(4))})
    except SpaceError as error:
        check_line(error)
        return
    assert Space.from_json(json.loads(json.dumps(space.to_json(), allow_nan=False))) == space
    hash(space), repr(space)
    x = cube_of(space).spread(_coordinates(source, cube_of(space).axes))[0]
    params = decode(space, x)
    assert space.validate(params) == params
    again = decode(space, encode(space, params))
    for name, parameter in space.items():
        _check_equal(parameter, params[name], again[name])
    _constrain(space, source)
    try:
        space.validate({name: anything(source) for name in space})
    except ParamsError as error:
        check_line(error)


def _constrain(space: Space, source: random.Random) -> None:
    """Any constraint is refused with an error that shows it, or can be decided everywhere."""
    pieces = (
        "a",
        *map("`{}`".format, space),
        "1",
        "1e999",
        "0",
        "'x'",
        "(",
        ")",
        "<",
        "<=",
        "==",
        "+",
        "-",
        "*",
        "/",
        "**",
    )
    pieces += ("and", "or", "not", "min(", "log(", "exp(", ",", "true", "none", "\n", "\0", word(source))
    text = " ".join(source.choice(pieces) for _ in range(source.randrange(12)))
    try:
        constrained = Space(space, where=[text]).complete()
    except SpaceError as error:
        check_line(SpaceError(str(error).partition("\n")[0]))
        return
    region, X = cube_of(constrained).region, cube_of(constrained).spread(_coordinates(source, cube_of(space).axes))
    assert region is not None
    margin = region.margin(X)
    assert margin is not None
    assert ((margin >= 0.0) == region.holds(X)).all()
    assert np.isfinite(margin).all()


def _coordinates(source: random.Random, axes: int) -> Array:
    return np.array([[source.choice((0.0, 1.0, source.random())) for _ in range(axes)]])


def _check_equal(parameter: Parameter, before: object, after: object) -> None:
    if not isinstance(parameter, Float) or parameter.step is not None:
        assert before == after, (parameter, before, after)
        return
    assert isinstance(before, float)
    assert isinstance(after, float)
    if parameter.log:
        slack = 1e-11 * before
    else:
        slack = 2.0**-51 * (parameter.high - parameter.low) + 2.0 * math.ulp(before)
    assert abs(before - after) <= slack, (parameter, before, after)


def _parameter(source: random.Random) -> Parameter:
    kind = source.randrange(10)
    if kind == 8:
        listed: Any = source.choice((Categorical, Ordinal))
        return listed(anything(source))  # type: ignore[no-any-return]
    if kind == 9:
        stepped: Any = source.choice((Float, Int))
        steps = (0.1, 1, 7, "x2", "x10", number(source), whole(source), anything(source))
        low, high = source.choice((1, 0.1, number(source), whole(source))), source.choice((1, 16, 8.1, number(source)))
        return stepped(low, high, source.random() < 0.5, source.choice(steps))  # type: ignore[no-any-return]
    if kind < 3:
        low = number(source)
        return Float(low, low + abs(number(source)), source.random() < 0.3)
    if kind < 5:
        first = whole(source)
        return Int(first, first + abs(whole(source)), source.random() < 0.3)
    if kind < 7:
        return Categorical([source.choice((word, number, whole))(source) for _ in range(source.randrange(5))])
    make = source.choice((Float, Int))
    return make(anything(source), anything(source), anything(source))
