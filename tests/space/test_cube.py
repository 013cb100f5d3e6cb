"""Cubes with conditions, regions and held axes: what is active, what rests, which points there are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from nonstop.errors import DataError
from nonstop.space.axes import Axis, Continuous, Held, Levels, OneHot
from nonstop.space.cube import Condition, Cube
from nonstop.space.holding import held
from nonstop.types import Array
from tests.helpers.cubes import random_cube, random_region

seeds = pytest.mark.parametrize("seed", range(60))

#: A choice of three: the first brings a float and an integer, the second a choice of its own, which brings a float.
TREE = Cube(
    (OneHot(3), Continuous(), Levels(5), OneHot(2), Continuous(), Continuous()),
    (
        None,
        Condition(0, frozenset({0})),
        Condition(0, frozenset({0})),
        Condition(0, frozenset({1})),
        Condition(3, frozenset({1})),
        None,
    ),
)


def reference_active(cube: Cube, x: Array) -> list[bool]:
    """Axis by axis, column by column, as the definition says."""
    on: list[bool] = []
    for axis in range(cube.axes):
        condition = cube.condition(axis)
        if condition is None:
            on.append(True)
            continue
        part = cube.parts[condition.parent]
        level = int(part.index(x[cube.columns[condition.parent]][None])[0])  # type: ignore[union-attr]
        on.append(on[condition.parent] and level in condition.levels)
    return [on[axis] for axis in cube.owners]


def test_a_tree() -> None:
    X = TREE.spread(np.array([[0.1, 0.3, 0.9, 0.9, 0.7, 0.2], [0.5, 0.3, 0.9, 0.9, 0.7, 0.2], [0.9] * 6]))
    expected = [
        [1, 0, 0, 0.3, 0.9, 0, 0, 0.5, 0.2],
        [0, 1, 0, 0.5, 0.5, 0, 1, 0.7, 0.2],
        [0, 0, 1, 0.5, 0.5, 0, 0, 0.5, 0.9],
    ]
    np.testing.assert_allclose(X, expected)
    assert TREE.active(X).astype(int).tolist() == [
        [1, 1, 1, 1, 1, 0, 0, 0, 1],
        [1, 1, 1, 0, 0, 1, 1, 1, 1],
        [1, 1, 1, 0, 0, 0, 0, 0, 1],
    ]
    assert TREE.most_active == 4
    assert Cube.continuous(3).most_active == 3


@seeds
def test_what_is_active_is_what_the_conditions_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = random_cube(rng)
    X = cube.spread(rng.random((40, cube.axes)))
    assert cube.active(X).tolist() == [reference_active(cube, x) for x in X]


@seeds
def test_points_that_agree_in_all_active_columns_are_equal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = random_cube(rng)
    X = cube.spread(rng.random((40, cube.axes)))
    other = np.where(cube.active(X), X, rng.random(X.shape))
    assert np.array_equal(cube.rest(other), X)
    assert np.array_equal(cube.snap(other), X)
    assert np.array_equal(cube.snap(X), X)


@seeds
def test_size_and_enumeration_are_those_of_the_distinct_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = random_cube(rng, most=5, discrete=True)
    levels = [part.at(np.arange(part.size)) for part in cube.parts]  # type: ignore[union-attr]
    everything = cube.rest(np.array([np.concatenate(rows) for rows in product(*levels)]))
    distinct = {row.tobytes() for row in everything}
    found = cube.enumerate(10**6)
    assert found is not None
    assert cube.size == len(found) == len(distinct)
    assert {row.tobytes() for row in found} == distinct
    assert cube.enumerate(len(distinct) - 1) is None
    region = random_region(rng, cube)
    constrained = replace(cube, region=region)
    kept = constrained.enumerate(10**6)
    assert kept is not None
    assert np.array_equal(kept, found[region.holds(found)])
    assert constrained.size == len(kept) > 0


def test_size_without_listing() -> None:
    """Ten branches of twenty integers each: 10 * 7^20 distinct points, in a product of 10 * 7^200."""
    parts: tuple[Axis, ...] = (OneHot(10), *[Levels(7)] * 200)
    conditions = (None, *(Condition(0, frozenset({branch})) for branch in range(10) for _ in range(20)))
    assert Cube(parts, conditions).size == 10 * 7**20
    assert Cube(parts, conditions).most_active == 21


@seeds
def test_neighbours_differ_in_one_active_choice_and_are_feasible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = random_cube(rng)
    x = cube.spread(rng.random((1, cube.axes)))[0]
    near = cube.neighbours(x)
    assert np.array_equal(cube.snap(near), near)
    assert len({row.tobytes() for row in near}) == len(near)
    both = cube.active(near) & cube.active(x[None])
    for row, shared in zip(near, both, strict=True):
        assert len(set(cube.owners[shared & (row != x)])) == 1
    active = cube.active(x[None])[0]
    choices = [(part, active[columns].any()) for part, columns in zip(cube.parts, cube.columns, strict=True)]
    assert len(near) == sum(
        part.size - 1 if isinstance(part, OneHot) else len(set(part.moves(part.index(x[columns][None]))[0].tolist())
        - {int(part.index(x[columns][None])[0])})
        for (part, on), columns in zip(choices, cube.columns, strict=True)
        if on and not isinstance(part, Continuous)
    )  # fmt: skip
    constrained = replace(cube, region=random_region(rng, cube))
    assert np.array_equal(constrained.neighbours(x), near[constrained.holds(near)])


@seeds
def test_held_axes_keep_their_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = random_cube(rng)
    x = cube.spread(rng.random((1, cube.axes)))[0]
    some = rng.random(cube.axes) < 0.4
    given = np.where(some[cube.owners] & cube.active(x[None])[0], x, np.nan)
    smaller = held(cube, given)
    X = smaller.spread(rng.random((50, cube.axes)))
    assert np.array_equal(cube.snap(X), X), "points of the smaller cube are points of the larger one"
    shared = ~np.isnan(given) & cube.active(X)
    assert np.array_equal(X[shared], np.tile(given, (50, 1))[shared])
    assert np.array_equal(smaller.snap(X), X)
    if smaller.is_discrete:
        found, everything = smaller.enumerate(10**5), cube.enumerate(10**5) if cube.is_discrete else None
        assert found is not None
        assert np.array_equal(cube.snap(found), found)
        if everything is not None:
            agrees = np.isnan(given) | ~cube.active(everything) | (everything == given)
            assert {row.tobytes() for row in found} == {row.tobytes() for row in everything[agrees.all(axis=1)]}


@seeds
def test_axes_can_be_held_one_after_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = smaller = random_cube(rng, most=6)
    for _ in range(3):
        x = smaller.spread(rng.random((1, cube.axes)))[0]
        some = rng.random(cube.axes) < 0.3
        smaller = held(smaller, np.where(some[cube.owners] & smaller.active(x[None])[0], x, np.nan))
        X = smaller.spread(rng.random((50, cube.axes)))
        assert np.array_equal(cube.snap(X), X), "a held axis rests where another held value makes it inactive"


def test_holding_a_choice_decides_what_it_brings() -> None:
    given = np.full(TREE.dim, np.nan)
    given[:3] = 0.0, 1.0, 0.0
    smaller = held(TREE, given)
    assert [isinstance(part, Held) for part in smaller.parts] == [True, True, True, False, False, False]
    assert smaller.conditions == (None, None, None, None, Condition(3, frozenset({1})), None)
    assert smaller.spread(np.full((1, 6), 0.9)).tolist() == [[0, 1, 0, 0.5, 0.5, 0, 1, 0.9, 0.9]]
    assert np.flatnonzero(smaller.flexible).tolist() == [7, 8]


@pytest.mark.parametrize(
    ("columns", "values", "message"),
    [
        ([0, 1, 2], [1, 1, 0], "axis 0, which is no value of OneHot"),
        ([0, 1], [1, 0], "axis 0, which is no value of OneHot"),
        ([3], [1.5], "axis 1, which is no value of Continuous"),
        ([4], [0.33], "axis 2, which is no value of Levels"),
        ([0, 1, 2, 3], [0, 0, 1, 0.3], "axis 1, which is not active with the other fixed values"),
        ([0, 1, 2, 7], [0, 0, 1, 0.3], "axis 4, which is not active with the other fixed values"),
    ],
)
def test_what_cannot_be_held(columns: list[int], values: list[float], message: str) -> None:
    given = np.full(TREE.dim, np.nan)
    given[columns] = values
    with pytest.raises(DataError, match=message):
        held(TREE, given)


@dataclass(frozen=True)
class Seven:
    """The levels of two integers add up to seven."""

    def holds(self, X: Array) -> NDArray[np.bool_]:
        sums: NDArray[np.bool_] = Levels(8).index(X[:, :1]) + Levels(8).index(X[:, 1:]) == 7
        return sums

    def margin(self, X: Array) -> Array | None:  # noqa: ARG002
        return None


def test_a_thin_discrete_region() -> None:
    cube = Cube((Levels(8), Levels(8)), region=Seven())
    found = cube.enumerate(8)
    assert cube.size == 8
    assert found is not None
    assert np.array_equal(found[:, 0], (np.arange(8) + 0.5) / 8)
    assert not len(cube.neighbours(found[3])), "each move by one leaves the region"


def test_no_axes_at_all() -> None:
    cube = Cube(())
    assert (cube.dim, cube.size, cube.is_discrete, cube.most_active) == (0, 1, True, 0)
    assert cube.spread(np.empty((3, 0))).shape == cube.snap(np.empty((3, 0))).shape == (3, 0)
    everything = cube.enumerate(5)
    assert everything is not None
    assert everything.shape == (1, 0)
    assert cube.neighbours(np.empty(0)).shape == (0, 0)
