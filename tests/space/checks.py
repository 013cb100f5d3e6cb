"""What holds for every space, whatever its kind: test_languages.py is the fast share, __main__.py the long run."""

from __future__ import annotations

import json
import math
import pickle
import random

import numpy as np
import pytest

from nonstop.errors import ParamsError
from nonstop.space import Float, Space
from nonstop.space.encoding import cube_of, decode, encode, encode_many
from nonstop.types import Value
from tests.helpers.spaces import any_params, points_of, typed


def check_values(space: Space, _seed: int) -> None:
    """JSON and pickle bring back an equal space."""
    for again in (
        Space.from_json(json.loads(json.dumps(space.to_json(), allow_nan=False))),
        pickle.loads(pickle.dumps(space)),
        Space(space),
    ):
        assert again == space
        assert hash(again) == hash(space)
        assert repr(again) == repr(space)
        assert again.leaves == space.leaves
        assert cube_of(again) == cube_of(space)


def check_round_trip(space: Space, seed: int) -> None:
    """Params become points that are feasible to the last bit, and come back."""
    rng = random.Random(seed)
    many = [any_params(space, rng) for _ in range(5)]
    X, cube = encode_many(space, many), cube_of(space)
    assert X.shape == (5, cube.dim)
    np.testing.assert_array_equal(X, cube.snap(X))
    for x, params in zip(X, many, strict=True):
        assert_close(space, params, decode(space, x))
        np.testing.assert_array_equal(encode(space, params), x)


def check_equal_points(space: Space, seed: int) -> None:
    """Points that agree in all active parameters are equal, and params hold exactly these."""
    X = points_of(space, seed)
    many = [decode(space, x) for x in X]
    np.testing.assert_allclose(encode_many(space, many), X, atol=1e-9)
    for params in many:
        assert [leaf.name for leaf in space.active(params)] == list(params)


def check_constraints(space: Space, seed: int) -> None:
    """A point is feasible exactly if its params validate, alone as among others; validated params stay as they are."""
    X, region = points_of(space, seed), cube_of(space).region
    good = np.ones(len(X), dtype=bool) if region is None else region.holds(X)
    for x, fits in zip(X, good, strict=True):
        params = decode(space, x)
        if fits:
            assert typed(space.validate(dict(reversed(params.items())))) == typed(params)
        else:
            with pytest.raises(ParamsError, match="does not hold"):
                space.validate(params)
    if region is not None:
        margin = region.margin(X)
        assert margin is not None
        np.testing.assert_array_equal(margin >= 0.0, good)
        np.testing.assert_array_equal([region.holds(x[None])[0] for x in X[:3]], good[:3])
        np.testing.assert_array_equal([region.margin(x[None])[0] for x in X[:3]], margin[:3])  # type: ignore[index]


def check_names(space: Space, seed: int) -> None:
    """A missing and a superfluous name are named."""
    params: dict[str, object] = {**any_params(space, random.Random(seed))}
    for name in params:
        without = {key: value for key, value in params.items() if key != name}
        with pytest.raises(ParamsError, match=f"parameter '{name}' is missing|is only there when"):
            space.validate(without)
    for other in space.names:
        if other not in params:
            with pytest.raises(ParamsError, match=f"parameter '{other}' is only there when"):
                space.validate({**params, other: 1})


CHECKS = (check_values, check_round_trip, check_equal_points, check_constraints, check_names)


def assert_close(space: Space, params: dict[str, Value], again: dict[str, Value]) -> None:
    """Exact, but for floats without steps."""
    assert list(again) == list(params)
    for leaf in space.active(params):
        value, found = params[leaf.name], again[leaf.name]
        assert type(found) is type(value)
        if isinstance(leaf.parameter, Float) and leaf.parameter.step is None:
            assert isinstance(value, float)
            assert isinstance(found, float)
            assert math.isclose(found, value, rel_tol=1e-12, abs_tol=1e-12 * (leaf.parameter.high - leaf.parameter.low))
        else:
            assert found == value
