"""Fixed params of nested spaces."""

from __future__ import annotations

import numpy as np
import pytest

import nonstop
from nonstop.errors import ParamsError
from nonstop.space.partial import partial_params, partial_point
from nonstop.trials.replay import replay

SPACE = nonstop.Space(
    {
        "a": nonstop.Categorical(
            {
                "x": nonstop.Space(
                    {
                        "b": nonstop.Categorical({"u": nonstop.Space({"c": nonstop.Float(0.0, 1.0)}), "v": None}),
                        "z": nonstop.Float(0.0, 1.0),
                    }
                ),
                "y": nonstop.Space({"z": nonstop.Float(2.0, 3.0)}),
                "n": None,
            }
        ),
        "q": nonstop.Float(0.0, 1.0),
    }
)
NAN = float("nan")


@pytest.mark.parametrize(
    ("given", "point"),
    [
        ({}, [NAN] * 9),
        ({"q": 0.5}, [NAN] * 8 + [0.5]),
        ({"a": "x", "b": "u", "c": 0.5}, [1, 0, 0, 1, 0, 0.5, NAN, NAN, NAN]),
        ({"a": "x", "z": 0.25}, [1, 0, 0, NAN, NAN, NAN, 0.25, NAN, NAN]),
        ({"z": 2.25, "a": "y"}, [0, 1, 0, NAN, NAN, NAN, NAN, 0.25, NAN]),
    ],
)
def test_fixed_params_are_a_point_with_gaps(given: dict[str, object], point: list[float]) -> None:
    fixed = partial_params(SPACE, given)
    assert fixed == given
    np.testing.assert_array_equal(partial_point(SPACE, fixed), point)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"z": 0.5}, "'z' is only there when a is 'x': fix a, too"),
        ({"a": "x", "c": 0.5}, "'c' is only there when a is 'x' and b is 'u': fix b, too"),
        ({"a": "n", "z": 0.5}, "'z' is only there when a is 'x', or when a is 'y', and a is 'n'"),
        ({"a": "x", "z": 2.5}, "fixed parameter 'z': got 2.5"),
        ({"k": 1}, "unknown fixed parameter 'k'"),
    ],
)
def test_what_cannot_be_fixed_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParamsError, match=message):
        partial_params(SPACE, given)


def test_a_choice_with_one_value_need_not_be_fixed() -> None:
    only = nonstop.Space({"a": nonstop.Categorical({"x": nonstop.Space({"z": nonstop.Float(0.0, 1.0)})})})
    assert partial_point(only, partial_params(only, {"z": 0.25})).tolist() == [0.25]


def test_fixed_choices_are_kept_and_replayed() -> None:
    study = nonstop.create_study(space=SPACE, seed=0, initial=2)
    for i in range(8):
        fixed = {"a": "x", "b": "u"} if i % 2 else {"a": "y", "z": 2.25}
        trial = study.ask(fixed=fixed)
        assert trial.fixed == fixed
        assert fixed.items() <= dict(trial.params).items()
        assert SPACE.validate(trial.params) == trial.params
        study.tell(trial, trial.params["q"])
    assert replay(study.spec, study.trials).identical
