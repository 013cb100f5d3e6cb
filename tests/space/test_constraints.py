"""Known constraints: what they mean, where they hold, and that Python never runs them."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonstop.errors import ParamsError, SpaceError
from nonstop.space import Categorical, Float, Int, Ordinal, Parameter, Space
from nonstop.space.encoding import cube_of, decode
from nonstop.space.parser import parsed

ABC: dict[str, Parameter] = {"a": Float(-10, 10), "b": Float(-10, 10), "c": Int(-5, 5)}


def holds(text: str, space: dict[str, Any] | None = None, **params: Any) -> bool:
    declared = Space(space or {name: ABC[name] for name in ABC if name in params}, where=[text])
    try:
        declared.validate(params)
    except ParamsError as error:
        assert "does not hold" in str(error)  # noqa: PT017
        return False
    return True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", True),
        ("a <= 1", True),
        ("a < 1", False),
        ("a >= 1", True),
        ("a > 1", False),
        ("a == 1", True),
        ("a != 1", False),
        ("a < b < c", True),
        ("a < c < b", False),
        ("a < b <= 2", True),
        ("a < c > b", True),
        ("not a < b", False),
        ("not (a < b < c)", False),
        ("not (a < c < b)", True),
        ("a < b and b > c", False),
        ("a > b or b < c", True),
        ("not (a > b or b > c)", True),
        ("a + b * c == 7", True),
        ("(a + b) * c == 9", True),
        ("b - a - 1 == 0", True),
        ("c / b / 2 == 0.75", True),
        ("2 ** 3 ** 2 == 512 * a", True),
        ("-b ** 2 == -4", True),
        ("(-b) ** 2 == 4", True),
        ("2 ** -a == 0.5", True),
        ("- - a == +a", True),
        ("abs(-b) == b", True),
        ("min(a, b, c) == 1", True),
        ("max(a, b, c) == 3", True),
        ("sqrt(b + 2) == 2", True),
        ("log(exp(a)) == 1", True),
        ("exp(0 * b) == 1", True),
        (".5 * b == 1e0", True),
        ("a < b or 1 / (a - 1) > 0", True),
        ("`a` < `b`", True),
        ("a<b\n  and b<c", True),
    ],
)
def test_what_an_expression_means(text: str, expected: bool) -> None:
    assert holds(text, a=1.0, b=2.0, c=3) is expected


NEVER = ["1 / a < 5", "1 / a > 5", "not 1 / a > 5", "not 1 / a < 5", "log(a) < 9", "not log(a) < 9", "sqrt(a - 1) >= 0"]
NEVER += ["exp(1000 + a) > 0", "1 / exp(1000 + a) < 9", "10 ** 400 > a", "a ** -1 < 9", "(a - 1) ** 0.5 < 9"]
NEVER += ["1e308 * 10 + a > 0", "(1 / a) ** 0 == 1", "max(1, 1 / a) > 0", "min(1, log(a)) < 9", "abs(1 / a) > 0"]
NEVER += ["1 / a != 3", "not 1 / a == 3", "not (0 < 1 / a < 3)", "1e308 - -1e308 * 9 > a"]


@pytest.mark.parametrize("text", NEVER)
@pytest.mark.filterwarnings("error")
def test_what_cannot_be_computed_does_not_hold(text: str) -> None:
    assert not holds(text, a=0.0)
    region = cube_of(Space({"a": ABC["a"]}, where=[text])).region
    assert region is not None
    X = np.array([[0.5], [0.5]])
    assert not region.holds(X).any()
    margin = region.margin(X)
    assert margin is not None
    assert (margin < 0).all()


def test_choices_truths_and_nones() -> None:
    space: dict[str, Any] = {
        "model": Categorical(["svm", "it's"]),
        "bias": Categorical([True, False]),
        "size": Ordinal(["s", "m", "l"]),
        "width": Ordinal([16, 32, 64]),
        "pad": Categorical([None, "same", 1]),
    }
    params = {"model": "it's", "bias": True, "size": "m", "width": 32, "pad": None}
    for text, expected in [
        ('model == "it\'s"', True),
        ("model != 'svm'", True),
        ("'svm' == model", False),
        ("bias", True),
        ("not bias", False),
        ("bias == true and bias != False", True),
        ("size == 'm'", True),
        ("width * 2 == 64", True),
        ("width < 33", True),
        ("pad == none", True),
        ("pad == None or pad == 'same'", True),
        ("pad == 1", False),
        ("pad != 1", True),
        ("not pad == 'same'", True),
    ]:
        assert holds(text, space, **params) is expected, text


def test_names_with_spaces_dots_and_words() -> None:
    space: dict[str, Any] = {
        "learning rate": Int(0, 9),
        "optimizer.lr": Int(0, 9),
        "and": Int(0, 9),
        "größe": Int(0, 9),
    }
    params = {"learning rate": 1, "optimizer.lr": 2, "and": 3, "größe": 4}
    assert holds("`learning rate` < optimizer.lr < `and` < größe", space, **params)


def test_a_violated_constraint_is_named_with_its_values() -> None:
    space = Space({"batch": Int(16, 256), "width": Int(16, 256)}, where=["batch < 200", "batch * width <= 4096"])
    with pytest.raises(ParamsError, match=r"^batch \* width <= 4096 does not hold: batch = 128, width = 64$"):
        space.validate({"batch": 128, "width": 64})
    with pytest.raises(ParamsError, match=r"^batch < 200 does not hold: batch = 256$"):
        space.validate({"batch": 256, "width": 256})


def test_a_margin_is_how_far_a_point_is_from_the_border() -> None:
    space = Space({"a": Float(0, 10), "b": Float(0, 10)}, where=["a + b <= 10", "a >= 1 or b > 9"])
    region = cube_of(space).region
    assert region is not None
    X = np.array([[0.2, 0.3], [0.6, 0.6], [0.05, 0.2], [0.05, 0.95], [0.5, 0.5]])
    np.testing.assert_allclose(region.margin(X), [1.0, -2.0, -0.5, 0.0, 0.0], atol=1e-12)  # type: ignore[arg-type]
    assert region.holds(X).tolist() == [True, False, False, True, True]


def test_a_strict_comparison_does_not_hold_on_the_border() -> None:
    for word, expected in [("<", False), ("<=", True), (">", False), (">=", True), ("==", True), ("!=", False)]:
        region = cube_of(Space({"a": Float(0, 1)}, where=[f"a {word} 0.5"])).region
        assert region is not None
        margin = region.margin(np.array([[0.5]]))
        assert region.holds(np.array([[0.5]])).tolist() == [expected]
        assert margin is not None
        assert (margin >= 0).tolist() == [expected]


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32), st.sampled_from([True, False]))
def test_many_points_at_once_are_decided_as_their_params(seed: int, log: bool) -> None:
    """The border goes through the points: the last bit of every operation counts."""
    parameter = Float(1e-3, 1e3, log=True) if log else Float(0.1, 7.3)
    one, rng = Space({"a": parameter, "n": Int(3, 4000, log=True)}), np.random.default_rng(seed)
    X = cube_of(one).spread(rng.random((40, 2)))
    values = [decode(one, x) for x in X]
    a = values[0]["a"]
    where = [f"a <= {a!r}", f"exp(-a) * n ** 1.7 >= {math.exp(-float(a)) * 3.0**1.7!r}"]  # type: ignore[arg-type]
    for text in where:
        space = Space(dict(one), where=[text])
        region = cube_of(space).region
        assert region is not None
        good = region.holds(X)
        for x, params, fits in zip(X, values, good, strict=True):
            assert holds(text, dict(one), **params) is bool(fits)
            assert region.holds(x[None]).tolist() == [bool(fits)]


def test_constraints_are_a_part_of_the_space() -> None:
    plain, one = Space(ABC), Space(ABC, where=["a < b"])
    assert one != plain
    assert one != Space(ABC, where=["a <= b"])
    assert one == Space(ABC, where="  a < b ")
    assert hash(one) == hash(Space(ABC, where=["a < b"]))
    assert Space(one) == one
    assert Space(one, where=[]) == plain
    assert pickle.loads(pickle.dumps(one)) == one
    assert one.where == ("a < b",)
    assert plain.where == ()
    assert repr(one).endswith(", where=['a < b'])")
    assert one.to_json()["where"] == ["a < b"]
    assert "where" not in plain.to_json()
    assert Space.from_json(json.loads(json.dumps(one.to_json()))) == one
    assert Space.from_json({**plain.to_json(), "where": "a < b"}) == one
    assert cube_of(one) == cube_of(Space(ABC, where=["a < b"])) != cube_of(plain)


def test_functions() -> None:
    def small(params: dict[str, Any]) -> bool:
        return bool(params["a"] < params["b"])

    space = Space(ABC, where=[small, "c > 0"])
    assert space.where == (small, "c > 0")
    assert space.validate({"a": 0, "b": 1, "c": 2}) == {"a": 0.0, "b": 1.0, "c": 2}
    with pytest.raises(ParamsError, match=r"small.* does not hold for .*'a': 3.0"):
        space.validate({"a": 3, "b": 1, "c": 2})
    region = cube_of(space).region
    assert region is not None
    X = cube_of(space).snap(np.array([[0.1, 0.2, 0.9], [0.2, 0.1, 0.9], [0.1, 0.2, 0.1]]))
    assert region.holds(X).tolist() == [True, False, False]
    assert region.margin(X) is None
    assert space == Space(ABC, where=[small, "c > 0"])
    assert space != Space(ABC, where=[lambda _: True, "c > 0"])


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda params: params["z"], r"failed for .*KeyError: 'z'"),
        (lambda params: params["a"], r"returned 0.0 for .*expected True or False"),
        (lambda: True, r"failed for .*TypeError"),
    ],
)
def test_a_function_that_fails_is_named(function: Any, said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        Space(ABC, where=function).validate({"a": 0, "b": 1, "c": 2})


NESTED = Space(
    {
        "width": Int(1, 100),
        "model": Categorical(
            {
                "svm": Space({"C": Float(0, 10), "gamma": Float(0, 10)}, where=["C < gamma", "gamma < width"]),
                "forest": Space({"C": Int(0, 100)}),
                "none": None,
            }
        ),
    },
    where=["C * 2 <= width"],
)


@pytest.mark.parametrize(
    ("params", "broken"),
    [
        ({"width": 50, "model": "none"}, None),
        ({"width": 50, "model": "forest", "C": 25}, None),
        ({"width": 50, "model": "forest", "C": 26}, "C * 2 <= width does not hold: C = 26, width = 50"),
        ({"width": 50, "model": "svm", "C": 5.0, "gamma": 6.0}, None),
        ({"width": 50, "model": "svm", "C": 6.0, "gamma": 5.0}, "C < gamma does not hold: C = 6.0, gamma = 5.0"),
        ({"width": 5, "model": "svm", "C": 1.0, "gamma": 6.0}, "gamma < width does not hold: gamma = 6.0, width = 5"),
    ],
)
def test_constraints_of_nested_spaces(params: dict[str, Any], broken: str | None) -> None:
    """A constraint with an inactive name is satisfied; that of a nested space is for when it is there."""
    if broken is None:
        assert NESTED.validate(params) == params
    else:
        with pytest.raises(ParamsError) as error:
            NESTED.validate(params)
        assert str(error.value) == broken


def test_a_nested_constraint_sees_outer_names_but_not_those_of_other_choices() -> None:
    inner = Space({"C": Float(0, 1)}, where=["C < width"])
    with pytest.raises(SpaceError, match="unknown name 'width'"):
        inner.validate({"C": 0.5})
    outer = Space({"width": Float(0, 1), "model": Categorical({"a": inner, "b": None})})
    assert outer.validate({"width": 0.7, "model": "a", "C": 0.5})
    with pytest.raises(SpaceError, match="unknown name 'width'"):
        Space({"model": Categorical({"a": inner, "b": Space({"width": Float(0, 1)})})}).complete()
    with pytest.raises(SpaceError, match="unknown name 'width'"):
        cube_of(inner)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.lists(st.sampled_from([*"ab1.<>=()+-*/ ,'", "and ", "not ", "min("])).map("".join))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parsed(text)
    except SpaceError as error:
        assert "constraint" in str(error)  # noqa: PT017


def test_a_constraint_between_names_that_are_never_there_together_is_a_mistake() -> None:
    first, second = Space({"C": Float(0, 1), "n": Int(0, 9)}), Space({"trees": Int(0, 9), "n": Int(0, 9)})
    model = Categorical({"a": first, "b": second})
    with pytest.raises(SpaceError, match="C and trees are never there together"):
        Space({"model": model}, where=["C < trees"])
    Space({"model": model}, where=["C < n", "n < trees", "model == 'a' or trees < n"])
