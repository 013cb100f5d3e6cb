"""Random spaces of every kind: what holds for a box holds for nested, constrained and stepped ones."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonstop.errors import ParamsError
from nonstop.space import Float, Space
from nonstop.space.encoding import cube_of, decode, encode, encode_many
from nonstop.types import Value
from tests.helpers.spaces import any_params, points_of, spaces, typed

seeds = st.integers(0, 2**32)


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


@settings(deadline=None)
@given(spaces())
def test_json_brings_back_an_equal_space(space: Space) -> None:
    again = Space.from_json(json.loads(json.dumps(space.to_json(), allow_nan=False)))
    assert again == space
    assert hash(again) == hash(space)
    assert repr(again) == repr(space)
    assert again.leaves == space.leaves
    assert cube_of(again) == cube_of(space)


@settings(deadline=None)
@given(spaces(), seeds)
def test_decode_inverts_encode(space: Space, seed: int) -> None:
    rng = random.Random(seed)
    many = [any_params(space, rng) for _ in range(5)]
    X = encode_many(space, many)
    cube = cube_of(space)
    assert X.shape == (5, cube.dim)
    np.testing.assert_array_equal(X, cube.snap(X))
    for x, params in zip(X, many, strict=True):
        assert_close(space, params, decode(space, x))
        np.testing.assert_array_equal(encode(space, params), x)


@settings(deadline=None)
@given(spaces(), seeds)
def test_points_that_agree_in_active_params_are_equal(space: Space, seed: int) -> None:
    X = points_of(space, seed)
    many = [decode(space, x) for x in X]
    again = encode_many(space, many)
    np.testing.assert_allclose(again, X, atol=1e-9)
    for params in many:
        assert [leaf.name for leaf in space.active(params)] == list(params)


@settings(deadline=None)
@given(spaces(), seeds)
def test_a_point_is_feasible_exactly_if_its_params_validate(space: Space, seed: int) -> None:
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
        np.testing.assert_array_equal([region.holds(x[None])[0] for x in X], good)
        np.testing.assert_array_equal([region.margin(x[None])[0] for x in X], margin)  # type: ignore[index]


@given(spaces(), seeds, st.data())
@settings(max_examples=50, deadline=None)
def test_a_missing_and_a_superfluous_name_are_named(space: Space, seed: int, data: st.DataObject) -> None:
    params: dict[str, object] = {**any_params(space, random.Random(seed))}
    name = data.draw(st.sampled_from(sorted(params)))
    without = {key: value for key, value in params.items() if key != name}
    with pytest.raises(ParamsError, match=f"parameter '{name}' is missing|is only there when"):
        space.validate(without)
    for other in space.names:
        if other not in params:
            with pytest.raises(ParamsError, match=f"parameter '{other}' is only there when"):
                space.validate({**params, other: 1})
