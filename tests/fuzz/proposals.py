"""propose() with small data, extreme, repeated, missing or of the wrong shape: a point of the cube, or a DataError."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from nonstop import propose
from nonstop.errors import DataError, RuleError
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from tests.helpers.fuzzing import anything, check_line, loop
from tests.helpers.rules import RULES

LONG, SHORT = 10_000, 60
_VALUES = (0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, 1.0 + 1e-15, np.nan, np.inf, -np.inf)


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Propose; see tests.helpers.fuzzing.loop."""
    return loop(count, seed, deadline_seconds, one)


def one(source: random.Random) -> None:
    """One proposal; most of the inputs are refused before anything is computed."""
    rng = np.random.default_rng(source.getrandbits(32))
    cube = Cube(tuple(_axis(source) for _ in range(source.randrange(1, 4))))
    n = source.choice((0, 1, 2, 3, 8))
    given: dict[str, Any] = {
        "X": _points(rng, cube, n),
        "y": [source.choice((*_VALUES, source.gauss(0, 1))) for _ in range(n)],
        "busy": _points(rng, cube, source.randrange(4)),
        "believed": _points(rng, cube, source.randrange(2)),
        "avoid": _points(rng, cube, source.randrange(3)),
        "rule": source.choice((*RULES, "kb-ucb+kb-logei")),
        "surrogate": source.choice(("nonstop", "paper")),
        "cube": cube,
        "noisy": source.random() < 0.3,
        "seed": source.getrandbits(63),
    }
    if n and source.random() < 0.3:
        given["X"][0] = given["X"][-1]
    if source.random() < 0.7:
        name = source.choice([name for name in given if name != "rule"])
        given[name] = source.choice((anything, lambda _: rng.random((2, 2)), lambda _: [[0.5]], lambda _: [1.0]))(
            source
        )
    try:
        x = propose(**given).x
    except (DataError, RuleError) as error:
        check_line(error)
        return
    assert np.isfinite(x).all()
    assert ((x >= 0.0) & (x <= 1.0)).all()
    if isinstance(given["cube"], Cube):
        assert np.array_equal(given["cube"].snap(x[None])[0], x)


def _axis(source: random.Random) -> Continuous | Levels | OneHot:
    make = source.choice((Continuous, lambda: Levels(source.randrange(2, 9)), lambda: OneHot(source.randrange(2, 4))))
    return make()


def _points(rng: np.random.Generator, cube: Cube, n: int) -> Any:
    return cube.spread(rng.random((n, cube.axes)))
