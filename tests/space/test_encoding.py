"""Encoding round-trips, and a Cube keeps every point feasible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nonstop.errors import DataError
from nonstop.space import Categorical, Float, Int, Parameter, Space
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.space.encoding import cube_of, decode, encode, encode_many
from nonstop.types import Array, Value

MIXED = Space(
    {
        "lr": Float(1e-5, 1e-1, log=True),
        "depth": Int(1, 12),
        "loss": Categorical(["l1", "l2", "huber"]),
        "units": Int(8, 4096, log=True),
        "only": Categorical([None]),
        "momentum": Float(-1, 1),
    }
)
finite = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def floats(draw: st.DrawFn) -> Float:
    log = draw(st.booleans())
    bound = st.floats(5e-324, 1.7e308) if log else finite
    low, high = sorted([draw(bound), draw(bound)])
    assume(low < high and math.isfinite(high - low) and not (log and math.log(low) == math.log(high)))
    return Float(low, high, log)


@st.composite
def ints(draw: st.DrawFn, most: int = 2**40) -> Int:
    log = draw(st.booleans())
    low = draw(st.integers(1, 2**40 - most + 1) if log else st.integers(-(2**70), 2**70))
    return Int(low, low + draw(st.integers(1, most - 1)), log)


def categoricals(most: int) -> st.SearchStrategy[Categorical]:
    scalars = st.none() | st.booleans() | st.integers() | finite | st.text(max_size=3)
    return st.lists(scalars, min_size=1, max_size=most, unique=True).map(Categorical)


def space_of(parameters: list[Parameter]) -> Space:
    return Space({f"p{i}": parameter for i, parameter in enumerate(parameters)})


any_parameter: st.SearchStrategy[Parameter] = floats() | ints() | ints(most=12) | categoricals(6)
small_discrete: st.SearchStrategy[Parameter] = ints(most=6) | categoricals(4)
spaces = st.lists(any_parameter, min_size=1, max_size=5).map(space_of)
discrete_spaces = st.lists(small_discrete, min_size=1, max_size=4).map(space_of)


def values(parameter: Parameter) -> st.SearchStrategy[Value]:
    if isinstance(parameter, Float):
        return st.floats(parameter.low, parameter.high)
    if isinstance(parameter, Int):
        return st.integers(parameter.low, parameter.high)
    return st.sampled_from(parameter.choices)


def draw_params(data: st.DataObject, space: Space) -> dict[str, Value]:
    return {name: data.draw(values(parameter)) for name, parameter in space.items()}


def draw_points(data: st.DataObject, cube: Cube) -> Array:
    """Points in and around the cube."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    X = rng.uniform(-0.2, 1.2, (7, cube.dim))
    X[0], X[1], X[2], X[3] = 0.0, 1.0, -np.inf, np.inf
    return X


def assert_close(parameter: Parameter, value: Value, again: Value) -> None:
    assert type(again) is type(value)
    if not isinstance(parameter, Float) or value in (parameter.low, parameter.high):
        assert again == value
        return
    assert isinstance(value, float)
    assert isinstance(again, float)
    if parameter.log:
        assert math.isclose(again, value, rel_tol=1e-12)
    else:
        assert abs(again - value) <= 2.0**-51 * (parameter.high - parameter.low) + math.ulp(value)


# --- Params to points and back ---------------------------------------------------------------------------------------


@given(st.data())
def test_decode_inverts_encode(data: st.DataObject) -> None:
    space = data.draw(spaces)
    params = draw_params(data, space)
    x = encode(space, params)
    assert x.shape == (cube_of(space).dim,)
    assert x.dtype == np.float64
    assert ((x >= 0) & (x <= 1)).all()
    again = decode(space, x)
    assert list(again) == list(space)
    for name, parameter in space.items():
        assert_close(parameter, params[name], again[name])


@given(st.data())
def test_decode_of_anything_validates_and_is_the_snapped_point(data: st.DataObject) -> None:
    space = data.draw(spaces)
    for x in draw_points(data, cube_of(space)):
        params = decode(space, x)
        assert space.validate(params) == params
        assert decode(space, cube_of(space).snap(x[None])[0]) == params


@given(st.data())
def test_encoded_params_are_feasible_to_the_last_bit(data: st.DataObject) -> None:
    space = data.draw(spaces)
    many = [draw_params(data, space) for _ in range(3)]
    X = encode_many(space, many)
    np.testing.assert_array_equal(cube_of(space).snap(X), X)
    np.testing.assert_array_equal(X, np.array([encode(space, params) for params in many]))


def test_encode_many_of_nothing_is_an_empty_array() -> None:
    assert encode_many(MIXED, []).shape == (0, cube_of(MIXED).dim)


def test_encode_by_hand() -> None:
    space = space_of([Float(-1, 3), Float(1e-4, 1, log=True), Int(0, 3), Categorical(["x", "y", "z"])])
    x = encode(space, {"p0": 0.0, "p1": 1e-1, "p2": 2, "p3": "y"})
    np.testing.assert_allclose(x, [0.25, 0.75, 0.625, 0.0, 1.0, 0.0], rtol=1e-15)
    b = (math.log(3) - math.log(0.5)) / (math.log(8.5) - math.log(0.5))
    np.testing.assert_allclose(encode(Space({"n": Int(1, 8, log=True)}), {"n": 3}), [b], rtol=1e-15)


@pytest.mark.parametrize(
    "parameter",
    [
        Float(1e-300, 1e300, log=True),
        Float(5e-324, 1.7976931348623157e308, log=True),
        Float(1e300, 1.0000001e300, log=True),
        Float(-1e308, 7e307),
        Float(0, 5e-324),
        Float(0, 1.7976931348623157e308),
        Float(1e15, 1e15 + 1),
        Float(-0.1, 0.3),
        Float(32.9, 33.2, log=True),  # exp(log(bound)) lies outside, at both ends
    ],
    ids=repr,
)
def test_extreme_floats(parameter: Float) -> None:
    space = Space({"a": parameter})
    grid = [0.0, 5e-324, *np.linspace(1e-3, 1 - 1e-3, 999), math.nextafter(1.0, 0.0), 1.0]
    decoded = [decode(space, [u])["a"] for u in grid]
    assert (decoded[0], decoded[-1]) == (parameter.low, parameter.high)
    assert all(isinstance(value, float) and parameter.low <= value <= parameter.high for value in decoded)
    for value in decoded:
        assert_close(parameter, value, decode(space, encode(space, {"a": value}))["a"])
    assert encode(space, {"a": parameter.low})[0] == 0.0
    assert encode(space, {"a": parameter.high})[0] == 1.0


def test_small_floats_keep_their_digits_near_zero() -> None:
    space = Space({"a": Float(0, 1)})
    assert decode(space, encode(space, {"a": 1e-200}))["a"] == 1e-200


def test_short_ranges_far_from_zero_are_exact() -> None:
    numbers = [1e15, 1e15 + 0.125, 1e15 + 0.25, 1e15 + 0.375]  # neighbouring doubles
    space = Space({"a": Float(numbers[0], numbers[-1])})
    assert [decode(space, x)["a"] for x in encode_many(space, [{"a": number} for number in numbers])] == numbers


@pytest.mark.parametrize(
    "parameter",
    [Int(0, 2**40 - 1), Int(10**30, 10**30 + 2**40 - 1), Int(1, 2**40, log=True), Int(2**40 - 9, 2**40, log=True)],
    ids=repr,
)
def test_huge_ints_are_exact(parameter: Int) -> None:
    space = Space({"n": parameter})
    size = parameter.high - parameter.low
    offsets = sorted({0, 1, 2, 3, size // 3, size // 2, size - 3, size - 2, size - 1, size})
    numbers = [parameter.low + offset for offset in offsets]
    X = encode_many(space, [{"n": n} for n in numbers])
    assert (np.diff(X[:, 0]) > 0).all()
    assert [decode(space, x)["n"] for x in X] == numbers
    np.testing.assert_array_equal(cube_of(space).snap(X), X)


@pytest.mark.parametrize("point", [[0.5], [[0.5, 0.5]], 0.5, [0.5, math.nan], []])
def test_decode_rejects_what_is_not_a_point(point: list[float]) -> None:
    with pytest.raises(DataError, match="expected 2 numbers"):
        decode(Space({"a": Float(0, 1), "b": Float(0, 1)}), point)


# --- The cube --------------------------------------------------------------------------------------------------------


def test_the_shape_of_a_mixed_cube() -> None:
    cube = cube_of(MIXED)
    assert cube == Cube((Continuous(), Levels(12), OneHot(3), Levels(4089, first=8), Continuous()))
    assert (cube.axes, cube.dim, cube.size) == (5, 7, None)  # a single choice has no axis
    assert (cube.is_continuous, cube.is_discrete) == (False, False)
    assert cube.flexible.tolist() == [True, False, False, False, False, False, True]
    assert cube_of(Space(dict(MIXED))) is cube


def test_the_plain_cube() -> None:
    cube = Cube.continuous(3)
    assert cube == cube_of(Space({name: Float(0, 9) for name in "abc"}))
    assert (cube.axes, cube.dim, cube.size, cube.is_continuous, cube.is_discrete) == (3, 3, None, True, False)
    assert cube.flexible.tolist() == [True] * 3
    assert cube.neighbours(np.full(3, 0.5)).shape == (0, 3)
    assert cube.enumerate(10**9) is None
    np.testing.assert_array_equal(cube.snap(np.array([[-1.0, 0.3, 2.0]])), [[0.0, 0.3, 1.0]])


def test_the_size_of_a_discrete_cube_is_exact() -> None:
    cube = cube_of(space_of([*[Int(1, 2**40)] * 20, Categorical(["a", "b", "c"])]))
    assert (cube.size, cube.is_discrete, cube.is_continuous) == (3 * 2**800, True, False)
    assert cube.enumerate(10**6) is None


@given(st.data())
def test_snap_is_feasible_idempotent_and_leaves_its_input_alone(data: st.DataObject) -> None:
    space = data.draw(spaces)
    cube = cube_of(space)
    X = draw_points(data, cube)
    before = X.copy()
    snapped = cube.snap(X)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(cube.snap(snapped), snapped)
    np.testing.assert_array_equal(snapped[:, cube.flexible], np.clip(X, 0, 1)[:, cube.flexible])
    for row in snapped:
        assert_feasible(cube, row)


def assert_feasible(cube: Cube, x: Array) -> None:
    """By the definition of each axis, not by snapping."""
    start = 0
    for part in cube.parts:
        piece = x[start : start + part.width]
        start += part.width
        assert ((piece >= 0) & (piece <= 1)).all()
        if isinstance(part, OneHot):
            assert sorted(piece) == [0.0] * (part.size - 1) + [1.0]
        if isinstance(part, Levels) and part.first is None:
            cell = piece[0] * part.size - 0.5
            assert abs(cell - round(cell)) < 1e-3
        if isinstance(part, Levels) and part.first is not None:
            low, high = math.log(part.first - 0.5), math.log(part.first + part.size - 0.5)
            number = math.exp(low + piece[0] * (high - low))
            assert abs(number - round(number)) < 0.1
            assert part.first <= round(number) < part.first + part.size


def test_snap_by_hand() -> None:
    cube = Cube((Levels(4), OneHot(3), Continuous()))
    X = np.array([[0.26, 0.2, 0.9, 0.9, 0.4], [1.0, 1.1, 0.0, 1.2, -0.4], [-3.0, 0.0, 0.0, 0.0, 1.5]])
    expected = [[0.375, 0, 1, 0, 0.4], [0.875, 0, 0, 1, 0.0], [0.125, 1, 0, 0, 1.0]]
    np.testing.assert_array_equal(cube.snap(X), expected)


def axes_that_differ(cube: Cube, x: Array, y: Array) -> list[int]:
    edges = np.cumsum([0, *(part.width for part in cube.parts)])
    return [axis for axis, (a, b) in enumerate(pairwise(edges)) if not np.array_equal(x[a:b], y[a:b])]


@given(st.data())
def test_neighbours_are_distinct_feasible_and_one_axis_away(data: st.DataObject) -> None:
    space = data.draw(spaces)
    cube = cube_of(space)
    x = cube.snap(draw_points(data, cube))[-1]
    found = cube.neighbours(x)
    assert found.shape[1] == cube.dim
    assert len(np.unique(found, axis=0)) == len(found)
    np.testing.assert_array_equal(cube.snap(found), found)
    changed = [axes_that_differ(cube, x, y) for y in found]
    assert all(len(axes) == 1 for axes in changed)
    movable = {axis for axis, part in enumerate(cube.parts) if not isinstance(part, Continuous) and part.size > 1}
    assert {axes[0] for axes in changed} == movable
    np.testing.assert_array_equal(found[:, cube.flexible], np.tile(x[cube.flexible], (len(found), 1)))


@pytest.mark.parametrize(
    ("parameter", "value", "around"),
    [
        (Int(0, 7), 3, {2, 4}),
        (Int(0, 7), 0, {1}),
        (Int(0, 8), 8, {7}),
        (Int(1, 20, log=True), 4, {3, 5}),
        (Categorical(["a", "b", "c"]), "b", {"a", "c"}),
        (Categorical(["a"]), "a", set()),
    ],
)
def test_neighbours_by_hand(parameter: Parameter, value: Value, around: set[Value]) -> None:
    space = Space({"fixed": Float(0, 1), "a": parameter})
    found = cube_of(space).neighbours(encode(space, {"fixed": 0.3, "a": value}))
    assert [decode(space, y)["fixed"] for y in found] == [0.3] * len(around)
    assert {decode(space, y)["a"] for y in found} == around


@given(st.data())
def test_axes_are_independent(data: st.DataObject) -> None:
    """What happens to equal axes together is what happens to each of them alone, to the bit."""
    cube = cube_of(data.draw(spaces))
    assume(cube.axes)
    U = np.random.default_rng(data.draw(st.integers(0, 99))).random((5, cube.dim))
    alone = [Cube((part,)) for part in cube.parts]
    columns = np.split(U, np.cumsum([part.width for part in cube.parts])[:-1], axis=1)
    snapped = np.hstack([one.snap(own) for one, own in zip(alone, columns, strict=True)])
    assert cube.snap(U).tobytes() == snapped.tobytes()
    spread = np.hstack([one.spread(U[:, [axis]]) for axis, one in enumerate(alone)])
    assert cube.spread(U[:, : cube.axes]).tobytes() == spread.tobytes()
    assert cube.snap(U[:0]).shape == cube.spread(U[:0, : cube.axes]).shape == (0, cube.dim)


def test_which_columns_are_climbed() -> None:
    cube = cube_of(Space({"f": Float(0, 1), "s": Int(1, 8), "l": Int(1, 9), "c": Categorical(list("abcdefghij"))}))
    assert cube.flexible.tolist() == [True, False, False] + 10 * [False]
    assert cube.climbable.tolist() == [True, False, True] + 10 * [False]
    assert cube.owners.tolist() == [0, 1, 2] + 10 * [3]


def levels_of(parameter: Parameter) -> Sequence[Value]:
    assert not isinstance(parameter, Float)
    return range(parameter.low, parameter.high + 1) if isinstance(parameter, Int) else parameter.choices


@settings(deadline=None)
@given(discrete_spaces)
def test_enumerate_is_every_point_once_in_order(space: Space) -> None:
    cube = cube_of(space)
    size = cube.size
    assert size is not None
    points = cube.enumerate(size)
    assert points is not None
    assert cube.enumerate(size - 1) is None
    expected = [dict(zip(space, combination, strict=True)) for combination in product(*map(levels_of, space.values()))]
    assert [decode(space, point) for point in points] == expected
    np.testing.assert_array_equal(points, encode_many(space, expected))


def test_enumerate_takes_more_axes_than_numpy_has_dimensions() -> None:
    points = Cube((OneHot(1),) * 70 + (Levels(2),) * 3).enumerate(8)
    assert points is not None
    assert len(np.unique(points, axis=0)) == 8


@pytest.mark.parametrize("parameter", [Int(3, 9), Categorical(list("abcdefg"))], ids=repr)
def test_spread_is_uniform_over_levels(parameter: Parameter) -> None:
    cube = cube_of(Space({"a": parameter}))
    U = (np.arange(7000)[:, None] + 0.5) / 7000
    points, counts = np.unique(cube.spread(U), axis=0, return_counts=True)
    assert len(points) == 7
    assert set(counts) == {1000}


def test_spread_over_log_levels_follows_the_width_of_their_cells() -> None:
    cube, n = cube_of(Space({"n": Int(1, 5, log=True)})), 100_000
    _, counts = np.unique(cube.spread((np.arange(n)[:, None] + 0.5) / n), axis=0, return_counts=True)
    widths = np.diff(np.log([0.5, 1.5, 2.5, 3.5, 4.5, 5.5])) / math.log(11)
    np.testing.assert_allclose(counts / n, widths, atol=2 / n)


@given(st.data())
def test_spread_is_feasible_even_at_the_ends(data: st.DataObject) -> None:
    cube = cube_of(data.draw(spaces))
    assume(cube.axes)
    U = np.random.default_rng(data.draw(st.integers(0, 99))).random((5, cube.axes))
    U[0], U[1], U[2] = 0.0, 1.0, np.nextafter(1.0, 0.0)
    X = cube.spread(U)
    assert X.shape == (5, cube.dim)
    np.testing.assert_array_equal(cube.snap(X), X)
    continuous = [isinstance(part, Continuous) for part in cube.parts]
    np.testing.assert_array_equal(X[:, cube.flexible], U[:, continuous])
