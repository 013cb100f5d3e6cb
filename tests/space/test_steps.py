"""Steps: exact decimals, exact integers, factors, and what lies beside the grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nonstop.errors import ParamsError
from nonstop.space import Float, Int, Ordinal, Parameter, Space
from nonstop.space.axes import Levels
from nonstop.space.encoding import cube_of, decode, encode_many


def values(parameter: Parameter) -> list[Any]:
    """All of them, from the points of the cube."""
    space = Space({"x": parameter})
    X = cube_of(space).enumerate(10_000)
    assert X is not None
    found = [decode(space, x)["x"] for x in X]
    np.testing.assert_array_equal(encode_many(space, [{"x": value} for value in found]), X)
    assert [parameter.validate(value) for value in found] == found
    return found


def test_floats_are_the_decimals_that_people_write() -> None:
    assert values(Float(0, 0.3, step=0.05)) == [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
    assert values(Float(-0.3, 0.3, step=0.1)) == [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]
    assert values(Float(1e-5, 3e-5, step=1e-5)) == [1e-5, 2e-5, 3e-5]
    assert values(Float(1e15, 1e15 + 1, step=0.25)) == [1e15, 1e15 + 0.25, 1e15 + 0.5, 1e15 + 0.75, 1e15 + 1]
    assert all(type(value) is float for value in values(Float(0, 10, step=2)))


def test_integers() -> None:
    assert values(Int(16, 64, step=16)) == [16, 32, 48, 64]
    assert values(Int(-3, 3, step=3)) == [-3, 0, 3]
    big = 10**30
    assert values(Int(big, big + 3 * 10**20, step=10**20)) == [big + k * 10**20 for k in range(4)]


def test_factors() -> None:
    assert values(Int(16, 256, log=True, step="x2")) == [16, 32, 64, 128, 256]
    assert values(Int(3, 3000, log=True, step="x10")) == [3, 30, 300, 3000]
    assert values(Float(1e-4, 1, log=True, step="x10")) == [1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    assert values(Float(1, 3.375, log=True, step="x1.5")) == [1.0, 1.5, 2.25, 3.375]
    assert cube_of(Space({"x": Int(16, 256, log=True, step="x2")})).parts == (Levels(5),)
    found = values(Float(16, 64, log=True, step="x2"))  # equal to those of an Int, but floats
    assert found == [16.0, 32.0, 64.0]
    assert all(type(value) is float for value in found)


@pytest.mark.parametrize("parameter", [Int(1, 13, log=True, step=4), Float(0.1, 2.1, log=True, step=0.5)])
def test_steps_on_a_log_scale_are_the_same_values_wider_where_they_are_small(parameter: Parameter) -> None:
    linear = type(parameter)(parameter.low, parameter.high, False, parameter.step)  # type: ignore[union-attr, call-arg, arg-type]
    assert values(parameter) == values(linear)
    X = cube_of(Space({"x": parameter})).enumerate(100)
    assert X is not None
    gaps = np.diff(X[:, 0])
    assert (np.diff(gaps) < 0).all()
    assert 0 < X[0, 0] < X[-1, 0] < 1


def test_a_step_of_one_changes_nothing_in_the_cube() -> None:
    for log in (False, True):
        assert cube_of(Space({"x": Int(2, 9, log, 1)})) == cube_of(Space({"x": Int(2, 9, log)}))
        assert Int(2, 9, log, 1) != Int(2, 9, log)


def test_a_value_beside_the_grid_is_told_its_neighbours() -> None:
    p = Float(0, 1, step=0.05)
    assert p.validate(0.15000000000000002) == 0.15
    assert p.validate(np.arange(0, 1, 0.05)[3]) == 0.15
    assert repr(p.validate(0.15000000000000002)) == "0.15"
    with pytest.raises(ParamsError, match=r"^got 0.12, expected 0.1 or 0.15: a value from 0.0 to 1.0 in steps"):
        p.validate(0.12)
    with pytest.raises(ParamsError, match=r"^got 40, expected 32 or 48: a value from 16 to 256 in steps of 16$"):
        Int(16, 256, step=16).validate(40)
    with pytest.raises(ParamsError, match=r"^got 48, expected 32 or 64: a value from 16 to 256, each 2 times the one"):
        Int(16, 256, log=True, step="x2").validate(48)
    with pytest.raises(ParamsError, match=r"^got 1.1, expected a number from 0.0 to 1.0 in steps of 0.05$"):
        p.validate(1.1)


def test_the_json_has_a_step_only_where_there_is_one() -> None:
    assert Space({"x": Int(1, 3)}).to_json() == {"x": {"type": "int", "low": 1, "high": 3, "log": False}}
    stepped = Space({"x": Int(16, 64, log=True, step="x2"), "p": Float(0, 1, step=0.5)})
    assert stepped.to_json()["x"] == {"type": "int", "low": 16, "high": 64, "log": True, "step": "x2"}
    assert Space.from_json(stepped.to_json()) == stepped
    assert repr(stepped) == "Space({'x': Int(16, 64, log=True, step='x2'), 'p': Float(0.0, 1.0, step=0.5)})"


def test_huge_grids() -> None:
    p = Float(0, 2.0**30, step=2.0**-9)
    space = Space({"x": p})
    for value in (0.0, 2.0**-9, 12345.001953125, 2.0**30 - 2.0**-9, 2.0**30):
        assert decode(space, encode_many(space, [{"x": value}])[0])["x"] == value


def test_an_ordinal_is_a_row_of_levels() -> None:
    sizes = Ordinal(["small", "medium", "large", None])
    space = Space({"size": sizes})
    assert cube_of(space).parts == (Levels(4),)
    assert values(sizes) == ["small", "medium", "large", None]
    assert Ordinal([1, 2]) != Ordinal([True, 2])
    assert Ordinal(["a", "b"]) != Ordinal(["b", "a"])
    assert Space.from_json(space.to_json()) == space
    assert space.to_json() == {"size": {"type": "ordinal", "choices": ["small", "medium", "large", None]}}
    assert repr(sizes) == "Ordinal(['small', 'medium', 'large', None])"
    with pytest.raises(ParamsError, match="got 'huge', expected one of"):
        sizes.validate("huge")
