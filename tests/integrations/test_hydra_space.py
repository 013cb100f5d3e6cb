"""Search spaces in Hydra's words, and params as overrides that Hydra reads back as the same values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonstop import Categorical, Float, Int, Ordinal, SpaceError
from tests.integrations.hosts import host

host("hydra")

from hydra.core.override_parser.overrides_parser import OverridesParser  # noqa: E402

from nonstop.integrations.hydra_space import Search, override_of, search_of, space_of  # noqa: E402


def searched(*arguments: str, **params: object) -> Search:
    return search_of(params, arguments, None)


@pytest.mark.parametrize(
    ("word", "parameter"),
    [
        ("interval(0.5,2.0)", Float(0.5, 2.0)),
        ("interval(1,8)", Float(1.0, 8.0)),
        ("int(interval(1,8))", Int(1, 8)),
        ("interval(1,2.5)", Float(1.0, 2.5)),
        ("int(interval(1.0,5.0))", Int(1, 5)),
        ("tag(log,interval(1e-5,1e-1))", Float(1e-5, 1e-1, log=True)),
        ("tag(log,int(interval(1,1024)))", Int(1, 1024, log=True)),
        ("range(1,10)", Int(1, 9)),
        ("range(5)", Int(0, 4)),
        ("range(16,80,16)", Int(16, 64, step=16)),
        ("range(10,1,-3)", Int(4, 10, step=3)),
        ("shuffle(range(1,4))", Int(1, 3)),
        ("range(0.0,1.0,0.25)", Float(0.0, 0.75, step=0.25)),
        ("range(3,4)", Int(3, 3)),
        ("tag(log,range(1,65))", Int(1, 64, log=True)),
        ("l1,l2", Categorical(["l1", "l2"])),
        ("choice(l1,l2)", Categorical(["l1", "l2"])),
        ("choice(3,2.5,true,'a b')", Categorical([3, 2.5, True, "a b"])),
        ("null,3,'null'", Categorical([None, 3, "null"])),
        ("choice([1,2],[3])", Categorical(["[1,2]", "[3]"])),
        ("tag(ordinal,choice(small,large))", Ordinal(["small", "large"])),
    ],
)
def test_sweeps_of_the_command_line(word: str, parameter: object) -> None:
    assert searched(f"a.b={word}").parameters == {"a.b": parameter}


@pytest.mark.parametrize(
    ("described", "parameter"),
    [
        ("float(1e-5, 1e-1, log)", Float(1e-5, 1e-1, log=True)),
        ("int(16, 256, step=16)", Int(16, 256, step=16)),
        ("int(16, 256, log, step=x2)", Int(16, 256, log=True, step="x2")),
        ({"type": "float", "low": 0, "high": 1, "step": 0.25}, Float(0, 1, step=0.25)),
        ({"type": "ordinal", "choices": ["s", "m"]}, Ordinal(["s", "m"])),
        ("interval(0.0, 1.0)", Float(0.0, 1.0)),
        ("l1,l2", Categorical(["l1", "l2"])),
    ],
)
def test_parameters_of_a_config(described: object, parameter: object) -> None:
    assert searched(lr=described).parameters == {"lr": parameter}


def test_what_is_no_sweep_is_in_every_job() -> None:
    search = searched("x=interval(0.0,1.0)", "seed=3", "+new='a,b'", "~old", lr=0.1, names=["a", "b"])
    assert search.overrides({"x": 0.25}) == ["x=0.25", "lr=0.1", "names=['a','b']", "seed=3", "+new='a,b'", "~old"]


def test_the_command_line_wins_over_the_config() -> None:
    fixed = searched("lr=0.5", lr="interval(0.0,1.0)", depth="int(1, 5)")
    assert set(fixed.parameters) == {"depth"}
    assert fixed.overrides({"depth": 2}) == ["depth=2", "lr=0.5"]
    other = searched("lr=interval(2.0,3.0)", lr="float(0, 1)", depth=7)
    assert other.parameters == {"lr": Float(2.0, 3.0)}
    assert searched("+lr=interval(2.0,3.0)", lr=0.1).overrides({"lr": 2.5}) == ["+lr=2.5"]


def test_prefixes_are_kept_for_the_override_and_not_for_the_name() -> None:
    search = search_of({"++b": "float(0, 1)"}, ["+a=interval(0.0,1.0)", "db@src=mysql,sqlite"], None)
    assert set(search.parameters) == {"a", "b", "db@src"}
    assert search.overrides({"b": 0.5, "a": 0.25, "db@src": "mysql"}) == ["++b=0.5", "+a=0.25", "db@src=mysql"]


def test_choices_may_bring_parameters_along_and_constraints_hold() -> None:
    choices = {"sgd": {"momentum": {"type": "float", "low": 0, "high": 1}}, "adam": {}}
    search = searched(optimizer={"type": "categorical", "choices": choices}, **{"a.b": "int(1, 9)"})
    space = space_of(search, ["a.b * 2 <= 10"])
    assert space.validate({"optimizer": "sgd", "momentum": 0.5, "a.b": 5})
    with pytest.raises(ValueError, match=r"a\.b"):
        space.validate({"optimizer": "adam", "a.b": 6})


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("range(5,5)", "x=range.5,5.: the range is empty"),
        ("tag(square,interval(0.0,1.0))", "got the tag square, expected log"),
        ("tag(log,interval(0.0,1.0))", "expected low > 0"),
        ("tag(log,range(0.5,2.0,0.5))", "must be of integers"),
        ("a,a", "choices"),
    ],
)
def test_sweeps_that_make_no_sense(word: str, said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        searched(f"x={word}")


@pytest.mark.parametrize("short", ["float(0, 1, lg)", "int(0.5, 1)", "float(a, 1)", "int(1, 9, step=2, step=4, 5)"])
def test_short_forms_that_make_no_sense(short: str) -> None:
    with pytest.raises(SpaceError, match=r"hydra\.sweeper\.params: got (float|int)"):
        searched(lr=short)


def read(override: str) -> Any:
    parsed = OverridesParser.create().parse_override(override)
    assert not parsed.is_sweep_override()
    return parsed.value()


#: What can be a choice and stands in one line: Hydra's grammar has no way to write a line end.
SCALARS = st.one_of(
    st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])),
    st.integers(-(2**63), 2**63),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)


@settings(deadline=None)
@given(SCALARS)
def test_hydra_reads_the_value_that_was_proposed(value: object) -> None:
    found = read(override_of("key", value))
    if isinstance(found, list | dict):  # a list or table as a text stays what Hydra reads
        assert isinstance(value, str)
        assert value.strip()[0] in "[{"
    else:
        assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "value", ["1", "1e3", "true", "null", "a,b", "a b", "it's", "${x}", "", "a=b", "[1", "x\\", "é"]
)
def test_texts_stay_texts(value: str) -> None:
    assert read(override_of("key", value)) == value
