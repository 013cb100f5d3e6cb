"""Spaces are values that survive JSON; wrong declarations and wrong params are named."""

from __future__ import annotations

import copy
import json
import math
import pickle
import tomllib
from collections.abc import Callable
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nonstop.errors import ParamsError, SpaceError
from nonstop.space import Categorical, Float, Int, Ordinal, Parameter, Space
from nonstop.types import Value

SPACE = Space({"lr": Float(1e-5, 1e-1, log=True), "depth": Int(1, 12), "loss": Categorical(["l1", "l2"])})
GOOD: dict[str, object] = {"lr": 0.01, "depth": 3, "loss": "l2"}
finite = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | finite | st.text(max_size=5)


@st.composite
def floats(draw: st.DrawFn) -> Float:
    log = draw(st.booleans())
    bound = st.floats(5e-324, 1.7e308) if log else finite
    low, high = sorted([draw(bound), draw(bound)])
    assume(low < high and math.isfinite(high - low) and not (log and math.log(low) == math.log(high)))
    return Float(low, high, log)


@st.composite
def ints(draw: st.DrawFn) -> Int:
    log = draw(st.booleans())
    low = draw(st.integers(1, 2**40 - 1) if log else st.integers(-(2**60), 2**60))
    return Int(low, draw(st.integers(low + 1, 2**40 if log else low + 2**40 - 1)), log)


categoricals = st.lists(scalars, min_size=1, max_size=5, unique=True).map(Categorical)
parameters: st.SearchStrategy[Parameter] = floats() | ints() | categoricals
spaces = st.dictionaries(st.text(min_size=1, max_size=5), parameters, min_size=1, max_size=4).map(Space)


def values(parameter: Parameter) -> st.SearchStrategy[Value]:
    if isinstance(parameter, Float):
        return st.floats(parameter.low, parameter.high)
    if isinstance(parameter, Int):
        return st.integers(parameter.low, parameter.high)
    return st.sampled_from(parameter.choices)


def typed(params: dict[str, Value]) -> list[tuple[str, type, Value]]:
    """True == 1 == 1.0, but not here."""
    return [(name, type(value), value) for name, value in params.items()]


# --- Spaces are values -----------------------------------------------------------------------------------------------


@given(spaces)
def test_a_space_survives_json(space: Space) -> None:
    again = Space.from_json(json.loads(json.dumps(space.to_json(), allow_nan=False)))
    assert again == space
    assert hash(again) == hash(space)
    assert list(again) == list(space)
    assert repr(again) == repr(space)


def test_json_is_the_shape_of_the_study_file() -> None:
    text = """
        [space.lr]
        type = "float"
        low = 1e-5
        high = 1e-1
        log = true
        [space.depth]
        type = "int"
        low = 1
        high = 12
        [space.loss]
        type = "categorical"
        choices = ["l1", "l2"]
    """
    assert Space.from_json(tomllib.loads(text)["space"]) == SPACE
    assert SPACE.to_json() == {
        "lr": {"type": "float", "low": 1e-5, "high": 1e-1, "log": True},
        "depth": {"type": "int", "low": 1, "high": 12, "log": False},
        "loss": {"type": "categorical", "choices": ["l1", "l2"]},
    }


def test_repr_is_code_that_makes_the_space() -> None:
    assert repr(SPACE) == (
        "Space({'lr': Float(1e-05, 0.1, log=True), 'depth': Int(1, 12), 'loss': Categorical(['l1', 'l2'])})"
    )


def test_a_space_is_a_mapping_that_cannot_change() -> None:
    declared: dict[str, Parameter] = {"a": Float(0, 1)}
    space = Space(declared)
    declared["b"] = Float(0, 1)
    assert dict(space) == {"a": Float(0, 1)}
    assert ("a" in space, "b" in space, len(space), space["a"]) == (True, False, 1, Float(0, 1))
    with pytest.raises(AttributeError):
        space.extra = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        space["a"].low = 2.0  # type: ignore[misc, union-attr]


@pytest.mark.parametrize("again", [lambda space: pickle.loads(pickle.dumps(space)), copy.deepcopy, Space])
def test_copies_are_equal(again: Callable[[Space], Space]) -> None:
    assert again(SPACE) == SPACE
    assert hash(again(SPACE)) == hash(SPACE)


def test_order_types_and_bounds_matter_for_equality() -> None:
    assert Space({"a": Int(0, 1), "b": Int(0, 2)}) != Space({"b": Int(0, 2), "a": Int(0, 1)})
    assert Space({"a": Float(0, 1)}) != Space({"a": Int(0, 1)})
    assert Space({"a": Float(1, 2)}) != Space({"a": Float(1, 2, log=True)})
    assert Space({"a": Float(0, 1)}) != {"a": Float(0, 1)}
    assert Categorical([1, 2]) != Categorical([True, 2])
    assert Categorical([1, 2]) != Categorical([1.0, 2])
    assert Categorical([1, 2]) != (1, 2)


def test_bounds_and_choices_become_plain_python() -> None:
    number = Float(np.float32(0.5), np.int64(2), log=np.True_)  # type: ignore[arg-type]
    assert [type(bound) for bound in (number.low, number.high, number.log)] == [float, float, bool]
    integer = Int(np.int8(1), np.uint64(5))  # type: ignore[arg-type]
    assert [type(bound) for bound in (integer.low, integer.high)] == [int, int]
    choices = Categorical(np.array([1, 2])).choices  # type: ignore[arg-type]
    assert [type(choice) for choice in choices] == [int, int]
    assert Float(Fraction(1, 2), 1) == Float(0.5, 1.0)  # type: ignore[arg-type]


def test_enum_choices_become_their_values() -> None:
    class Loss(StrEnum):
        L1 = "l1"

    class Old(str, Enum):  # noqa: UP042  (its str() is "Old.L2")
        L2 = "l2"

    choices = Categorical([Loss.L1, Old.L2]).choices
    assert choices == ("l1", "l2")
    assert [type(choice) for choice in choices] == [str, str]


# --- Wrong declarations ----------------------------------------------------------------------------------------------

BAD_RANGES: list[tuple[type, Any, Any, Any, list[str]]] = [
    (Float, 1, 0, False, ["1.0", "0.0", "low <= high"]),
    (Float, math.nan, 1, False, ["nan", "finite"]),
    (Float, 0, math.inf, False, ["inf", "finite"]),
    (Float, -math.inf, 0, False, ["-inf", "finite"]),
    (Float, 0, 10**400, False, ["1000", "finite"]),
    (Float, "0", 1, False, ["'0'", "finite numbers"]),
    (Float, None, 1, False, ["None", "finite numbers"]),
    (Float, False, 1, False, ["False", "finite numbers"]),
    (Float, 0, np.True_, False, ["True", "finite numbers"]),
    (Float, 0, 1j, False, ["1j", "finite numbers"]),
    (Float, -1e308, 1e308, False, ["-1e+308", "high - low"]),
    (Float, 0, 1, True, ["0.0", "low > 0"]),
    (Float, -1, 1, True, ["-1.0", "low > 0"]),
    (Float, 1e300, math.nextafter(1e300, math.inf), True, ["1e+300", "logarithms"]),
    (Float, 0, 1, "yes", ["'yes'", "true or false"]),
    (Float, 1, 2, 1, ["log = 1", "true or false"]),
    (Int, 5, 4, False, ["5", "4", "low <= high"]),
    (Int, 0.5, 3, False, ["0.5", "integers"]),
    (Int, 0, 3.0, False, ["3.0", "integers"]),
    (Int, math.nan, 3, False, ["nan", "integers"]),
    (Int, 0, "3", False, ["'3'", "integers"]),
    (Int, False, 3, False, ["False", "integers"]),
    (Int, 0, np.True_, False, ["True", "integers"]),
    (Int, 0, 2**40, False, [str(2**40), "2**40 values", "distinguishable"]),
    (Int, 2**39, 2**40 + 1, True, [str(2**40 + 1), "2**40", "distinguishable"]),
    (Int, 0, 9, True, ["low = 0", "low > 0"]),
    (Int, 1, 9, None, ["None", "true or false"]),
]


@pytest.mark.parametrize(("kind", "low", "high", "log", "fragments"), BAD_RANGES)
def test_bad_ranges(kind: type, low: Any, high: Any, log: Any, fragments: list[str]) -> None:
    with pytest.raises(SpaceError) as alone:
        kind(low, high, log)
    table = {"type": kind.__name__.lower(), "low": low, "high": high, "log": log}
    with pytest.raises(SpaceError) as named:
        Space.from_json({"rate": table})
    assert str(named.value) == f"parameter 'rate': {alone.value}"
    assert [fragment for fragment in fragments if fragment not in str(alone.value)] == []


def test_the_largest_allowed_ranges() -> None:
    assert Int(0, 2**40 - 1).high == 2**40 - 1
    assert Int(1, 2**40, log=True).high == 2**40
    assert Float(-1e308, 7e307).low == -1e308
    assert Float(5e-324, 1.7e308, log=True).low == 5e-324
    assert Float(0, 5e-324).high == 5e-324


BAD_CHOICES: list[tuple[Any, list[str]]] = [
    ([], ["[]", "at least one"]),
    ("abc", ["'abc'", "a list"]),
    (b"abc", ["b'abc'", "a list"]),
    ({"a"}, ["{'a'}", "a list"]),
    (3, ["3", "a list"]),
    (None, ["None", "a list"]),
    (["a", "b", "a"], ["'a' twice"]),
    ([1, True], ["True twice"]),
    ([0, False], ["False twice"]),
    ([1, 1.0], ["1.0 twice"]),
    ([None, None], ["None twice"]),
    ([math.nan], ["nan", "finite number"]),
    ([1.0, math.inf], ["inf", "finite number"]),
    ([(1, 2)], ["(1, 2)", "a string"]),
    ([["x"]], ["['x']", "a string"]),
    ([b"x"], ["b'x'", "a string"]),
    ([1j], ["1j", "a string"]),
    ([Float], ["Float", "a string"]),
]


@pytest.mark.parametrize(("choices", "fragments"), BAD_CHOICES)
def test_bad_choices(choices: Any, fragments: list[str]) -> None:
    with pytest.raises(SpaceError) as alone:
        Categorical(choices)
    with pytest.raises(SpaceError) as named:
        Space.from_json({"loss": {"type": "categorical", "choices": choices}})
    assert str(named.value) == f"parameter 'loss': {alone.value}"
    assert [fragment for fragment in fragments if fragment not in str(alone.value)] == []


BAD_SPACES: list[tuple[Any, list[str]]] = [
    ({}, ["{}", "at least one"]),
    ([("a", Float(0, 1))], ["[('a', Float(0.0, 1.0))]", "mapping"]),
    (None, ["None", "mapping"]),
    ({"": Float(0, 1)}, ["''", "not empty"]),
    ({3: Float(0, 1)}, ["3", "a string"]),
    ({"rate": (0, 1)}, ["'rate'", "(0, 1)", "Float, Int or Categorical"]),
    ({"rate": Float}, ["'rate'", "Float, Int or Categorical"]),
    ({"rate": None}, ["'rate'", "None"]),
]


@pytest.mark.parametrize(("declared", "fragments"), BAD_SPACES)
def test_bad_spaces(declared: Any, fragments: list[str]) -> None:
    with pytest.raises(SpaceError) as error:
        Space(declared)
    assert [fragment for fragment in fragments if fragment not in str(error.value)] == []


BAD_TABLES: list[tuple[Any, list[str]]] = [
    ({"type": "double", "low": 0, "high": 1}, ["'double'", "'float'"]),
    ({"type": ["float"], "low": 0, "high": 1}, ["['float']", "'int'"]),
    ({"low": 0, "high": 1}, ["None", "'categorical'"]),
    ({"type": "float", "low": 0, "hihg": 1}, ["'hihg'", "'high', perhaps?"]),
    ({"type": "categorical", "choices": ["a"], "log": True}, ["'log'", "True", "'choices'"]),
    ({"type": "int", "low": 0, "high": 3, 7: 1}, ["7", "'low'"]),
    ({"type": "float", "low": 0}, ["'high' is missing", "'low': 0"]),
    ({"type": "int", "high": 0}, ["'low' is missing"]),
    ({"type": "categorical"}, ["'choices' is missing"]),
    ([0, 1], ["[0, 1]", "table"]),
    (None, ["None", "table"]),
]


@pytest.mark.parametrize(("table", "fragments"), BAD_TABLES)
def test_bad_tables(table: Any, fragments: list[str]) -> None:
    with pytest.raises(SpaceError) as error:
        Space.from_json({"fine": {"type": "int", "low": 0, "high": 1}, "rate": table})
    assert str(error.value).startswith("parameter 'rate': ")
    assert [fragment for fragment in fragments if fragment not in str(error.value)] == []


@pytest.mark.parametrize("data", [{}, None, [], "space"])
def test_bad_documents(data: Any) -> None:
    with pytest.raises(SpaceError, match=r"^got (\{\}|None|\[\]|'space'), expected a mapping"):
        Space.from_json(data)


# --- Params ----------------------------------------------------------------------------------------------------------


@given(st.data())
def test_validate_returns_good_params_unchanged_in_the_order_of_the_space(data: st.DataObject) -> None:
    space = data.draw(spaces)
    params = {name: data.draw(values(parameter)) for name, parameter in space.items()}
    backwards = dict(reversed(params.items()))
    assert typed(space.validate(backwards)) == typed(params)


@pytest.mark.parametrize(
    ("parameter", "value", "clean"),
    [
        (Float(0, 4), 3, 3.0),
        (Float(0, 4), np.float64(0.5), 0.5),
        (Float(0, 4), np.float32(0.5), 0.5),
        (Float(0, 4), np.int64(4), 4.0),
        (Int(-5, 5), np.int64(-5), -5),
        (Int(0, 5), np.uint8(5), 5),
        (Categorical([1, 2]), 1.0, 1),
        (Categorical([1, 2]), np.int32(2), 2),
        (Categorical([True, False]), np.False_, False),
        (Categorical(["a", None]), None, None),
        (Categorical(["a", None]), np.str_("a"), "a"),
        (Categorical([0.5]), np.float16(0.5), 0.5),
    ],
)
def test_values_become_plain_python(parameter: Parameter, value: object, clean: Value) -> None:
    assert typed(Space({"a": parameter}).validate({"a": value})) == [("a", type(clean), clean)]


BAD_VALUES: list[tuple[Parameter, Any]] = [
    *[(Float(0, 4), value) for value in (-1e-9, 4.1, 5, math.nan, math.inf, -math.inf, 10**400, np.float64(7))],
    *[(Float(0, 4), value) for value in (True, np.True_, "1", None, [1], 1j, np.array(1.0))],
    *[(Int(0, 4), value) for value in (-1, 5, 10**400, 3.0, 2.5, math.nan, True, np.True_, "3", None, np.float64(3))],
    *[(Categorical([1, 2]), value) for value in (True, 3, "1", None, [1], math.nan, np.array([1, 2]), {"a": 1})],
    *[(Categorical([True, "a"]), value) for value in (1, 1.0, np.int64(1), "A", False)],
]


@pytest.mark.parametrize(("parameter", "value"), BAD_VALUES)
def test_bad_values(parameter: Parameter, value: Any) -> None:
    with pytest.raises(ParamsError) as error:
        Space({"fine": Int(0, 1), "rate": parameter}).validate({"fine": 0, "rate": value})
    if isinstance(parameter, Categorical | Ordinal):
        valid = repr(list(parameter.choices))
    else:
        valid = f"from {parameter.low} to"
    assert str(error.value).startswith(f"parameter 'rate': got {repr(value)[:200]}")
    assert valid in str(error.value)


BAD_NAMES: list[tuple[Any, list[str]]] = [
    ({**GOOD, "dept": 5}, ["'dept'", "5", "'depth', perhaps?"]),
    ({"lr": 0.01, "Depth": 3, "loss": "l2"}, ["'Depth'", "3", "'depth', perhaps?"]),
    ({**GOOD, "zzz": 5}, ["'zzz'", "5", "['lr', 'depth', 'loss']"]),
    ({**GOOD, 3: 5}, ["3", "5", "['lr', 'depth', 'loss']"]),
    ({"lr": 0.01, "loss": "l2"}, ["'depth' is missing", "0.01", "Int(1, 12)"]),
    ({}, ["'lr' is missing", "{}", "Float(1e-05, 0.1, log=True)"]),
    ([1, 2], ["[1, 2]", "mapping"]),
    (None, ["None", "mapping"]),
]


@pytest.mark.parametrize(("params", "fragments"), BAD_NAMES)
def test_bad_names(params: Any, fragments: list[str]) -> None:
    with pytest.raises(ParamsError) as error:
        SPACE.validate(params)
    assert [fragment for fragment in fragments if fragment not in str(error.value)] == []


def test_messages_stay_short() -> None:
    with pytest.raises(ParamsError) as error:
        SPACE.validate({**GOOD, "loss": "x" * 10_000})
    assert len(str(error.value)) < 500
