"""Choices that bring parameters along: what is there when, in params, in points and in words."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import numpy as np
import pytest

from nonstop.errors import ParamsError
from nonstop.space import Categorical, Float, Int, Space
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Condition
from nonstop.space.encoding import cube_of, decode, encode, encode_many

SVM = Space(
    {"C": Float(1e-3, 1e3, log=True), "kernel": Categorical({"rbf": Space({"gamma": Float(0, 1)}), "linear": None})}
)
SPACE = Space(
    {
        "model": Categorical({"svm": SVM, "forest": Space({"trees": Int(10, 500), "C": Float(0, 1)}), "none": None}),
        "seed": Int(1, 3),
    }
)
FOREST = {"model": "forest", "trees": 20, "C": 0.5, "seed": 2}


def test_the_leaves_are_in_a_fixed_order_parents_first() -> None:
    assert [leaf.name for leaf in SPACE.leaves] == ["model", "C", "kernel", "gamma", "trees", "C", "seed"]
    assert [leaf.under for leaf in SPACE.leaves] == [None, (0, 0), (0, 0), (2, 0), (0, 1), (0, 1), None]
    assert SPACE.names == ("model", "C", "kernel", "gamma", "trees", "seed")
    assert list(SPACE) == ["model", "seed"]


def test_the_cube_has_conditions() -> None:
    cube = cube_of(SPACE)
    assert cube.parts == (OneHot(3), Continuous(), OneHot(2), Continuous(), Levels(491), Continuous(), Levels(3))
    svm, forest = Condition(0, frozenset({0})), Condition(0, frozenset({1}))
    assert cube.conditions == (None, svm, svm, Condition(2, frozenset({0})), forest, forest, None)
    assert cube.region is None


def test_params_hold_exactly_the_active_names_in_order() -> None:
    assert list(SPACE.validate(dict(reversed(FOREST.items())))) == ["model", "trees", "C", "seed"]
    x = encode(SPACE, FOREST)
    assert decode(SPACE, x) == FOREST
    again = x.copy()
    again[3], again[4:6], again[6] = 0.9, [0.0, 1.0], 0.1  # those of the svm
    assert decode(SPACE, again) == FOREST
    np.testing.assert_array_equal(cube_of(SPACE).snap(again[None])[0], x)


def test_two_leaves_of_one_name_are_two_axes() -> None:
    svm: dict[str, Any] = {"model": "svm", "C": 1.0, "kernel": "linear", "seed": 2}
    X = encode_many(SPACE, [svm, FOREST])
    assert np.flatnonzero(X[0] != X[1]).tolist() == [0, 1, 5, 7]  # model, kernel, trees; C is in the middle of both


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (
            {**FOREST, "gamma": 0.1},
            "parameter 'gamma' is only there when model is 'svm' and kernel is 'rbf', and model is 'forest'",
        ),
        ({**FOREST, "kernel": "rbf"}, "parameter 'kernel' is only there when model is 'svm', and model is 'forest'"),
        (
            {"model": "none", "C": 1.0, "seed": 1},
            "parameter 'C' is only there when model is 'svm', or when model is 'forest', and model is 'none'",
        ),
        (
            {"model": "svm", "C": 1.0, "kernel": "linear", "gamma": 0.1, "seed": 1},
            "parameter 'gamma' is only there when model is 'svm' and kernel is 'rbf', and kernel is 'linear'",
        ),
        ({"model": "forest", "C": 0.5, "seed": 2}, "it is Int(10, 500), there because model is 'forest'"),
        ({"model": "svm", "C": 1.0, "seed": 2}, "there because model is 'svm'"),
        ({**FOREST, "C": 1000.0}, "parameter 'C': got 1000.0, expected a number from 0.0 to 1.0"),
        ({**FOREST, "tree": 1}, "unknown parameter 'tree' with value 1: expected 'trees', perhaps?"),
        ({**FOREST, "model": "forrest"}, "parameter 'model': got 'forrest', expected one of ['svm', 'forest', 'none']"),
        ({"trees": 20, "C": 0.5, "seed": 2}, "parameter 'model' is missing"),
    ],
)
def test_a_missing_or_superfluous_name_is_explained(params: dict[str, Any], said: str) -> None:
    with pytest.raises(ParamsError) as error:
        SPACE.validate(params)
    assert said in str(error.value)


def test_tables_that_read_well() -> None:
    text = """
        [space.model]
        type = "categorical"

        [space.model.choices.svm]
        where = ["C < 100"]
        [space.model.choices.svm.C]
        type = "float"
        low = 1e-3
        high = 1e3
        log = true

        [space.model.choices.forest.trees]
        type = "int"
        low = 10
        high = 500

        [space.model.choices.none]

        [space.layers]
        type = "categorical"
        choices = [1, { value = 2, space = { width2 = { type = "int", low = 8, high = 64, step = 8 } } }]
    """
    declared = Space.from_json(tomllib.loads(text)["space"])
    svm = Space({"C": Float(1e-3, 1e3, log=True)}, where=["C < 100"])
    assert declared == Space(
        {
            "model": Categorical({"svm": svm, "forest": Space({"trees": Int(10, 500)}), "none": None}),
            "layers": Categorical({1: None, 2: Space({"width2": Int(8, 64, step=8)})}),
        }
    )
    assert Space.from_json(json.loads(json.dumps(declared.to_json()))) == declared


def test_choices_that_bring_nothing_are_a_list() -> None:
    assert Categorical({"a": None, "b": None}) == Categorical(["a", "b"])
    assert Space({"c": Categorical({"a": None})}).to_json() == {"c": {"type": "categorical", "choices": ["a"]}}


def test_a_single_choice_costs_no_dimension_whatever_it_brings() -> None:
    space = Space(
        {
            "model": Categorical(
                {"svm": Space({"C": Float(0, 1), "k": Categorical({"a": Space({"n": Int(1, 4)}), "b": None})})}
            )
        }
    )
    cube = cube_of(space)
    assert cube.parts == (Continuous(), OneHot(2), Levels(4))
    assert cube.conditions == (None, None, Condition(1, frozenset({0})))
    params = {"model": "svm", "C": 0.25, "k": "a", "n": 3}
    assert decode(space, encode(space, params)) == space.validate(params) == params


def test_a_space_in_which_everything_is_single() -> None:
    space = Space({"a": Int(3, 3), "b": Categorical(["x"]), "c": Float(2.5, 2.5, log=True)})
    cube = cube_of(space)
    assert (cube.axes, cube.dim, cube.size) == (0, 0, 1)
    assert decode(space, []) == {"a": 3, "b": "x", "c": 2.5}
    assert encode_many(space, [{"a": 3, "b": "x", "c": 2.5}] * 2).shape == (2, 0)
    with pytest.raises(ParamsError, match="'a': got 4, expected an integer from 3 to 3"):
        space.validate({"a": 4, "b": "x", "c": 2.5})
