"""What a study wants of its outcomes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonstop.errors import StudyError
from nonstop.outcomes.goals import Goals
from tests.helpers.goals import MAXIMIZE, MINIMIZE

BOTH = Goals.of(
    "minimize", {"error": "minimize", "speed": "maximize"}, {"memory": "<= 8", "heat": ">= 20", "drift": "<= 0"}
)
FULL = {"error": 0.1, "speed": 3.0, "memory": 7.0, "heat": 30.0, "drift": -1.0}
NUMBERS = st.floats(-1e100, 1e100)


def test_most_studies_have_a_value_and_no_names() -> None:
    assert (MINIMIZE.names, MINIMIZE.named, MINIMIZE.several, str(MINIMIZE)) == (("value",), False, False, "minimize")
    assert (MINIMIZE.sign, MAXIMIZE.sign) == (-1.0, 1.0)
    assert MINIMIZE.value_of({"value": 3.0}) == 3.0
    assert MINIMIZE.violation({"value": 3.0}) == 0.0


def test_objectives_come_first_then_constraints() -> None:
    assert BOTH.names == ("error", "speed", "memory", "heat", "drift")
    assert BOTH.several
    assert BOTH.signs.tolist() == [-1.0, 1.0]
    assert BOTH.value_of(FULL) is None
    assert str(BOTH) == "minimize error, maximize speed, subject to memory <= 8.0, heat >= 20.0, drift <= 0.0"
    with pytest.raises(StudyError, match="several objectives: error, speed"):
        _ = BOTH.sign


def test_one_that_has_a_name_and_one_that_is_the_value() -> None:
    named = Goals.of("minimize", {"speed": "maximize"})
    assert (named.sign, named.named, named.value_of({"speed": 2.0}), str(named)) == (1.0, True, 2.0, "maximize speed")
    value = Goals.of("maximize", None, {"memory": "<= 8"})
    assert (value.names, value.named, value.sign) == (("value", "memory"), True, 1.0)
    assert str(value) == "maximize value, subject to memory <= 8.0"


@pytest.mark.parametrize(
    ("objectives", "constraints", "said"),
    [
        ({}, None, "objectives must be a mapping from at least one name"),
        (["error"], None, "objectives must be a mapping"),
        ({"error": "min"}, None, "the objective 'error' must be 'minimize' or 'maximize', not 'min'"),
        ({"error": None}, None, "the objective 'error' must be"),
        ({"": "minimize"}, None, "the name of an outcome must be a text of 1 to 100 printable characters, not ''"),
        ({" ": "minimize"}, None, "the name of an outcome"),
        ({"a\nb": "minimize"}, None, "the name of an outcome"),
        ({"a" * 101: "minimize"}, None, "the name of an outcome"),
        ({3: "minimize"}, None, "the name of an outcome"),
        (None, ["memory"], "constraints must be a mapping"),
        (None, {"memory": "8"}, "the constraint on 'memory' must be a text"),
        (None, {3: "<= 8"}, "the name of an outcome"),
        ({"a": "minimize"}, {"a": "<= 1"}, "'a' is both an objective and a constraint"),
        (None, {"value": "<= 1"}, "'value' is both an objective and a constraint"),
    ],
)
def test_what_makes_no_sense(objectives: Any, constraints: Any, said: str) -> None:
    with pytest.raises(StudyError, match=said):
        Goals.of("minimize", objectives, constraints)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"speed": None}, "the outcome 'speed' is None, not a finite number"),
        ({"speed": math.nan}, "the outcome 'speed' is nan, not a finite number"),
        ({"heat": -math.inf}, "the outcome 'heat' is -inf, not a finite number"),
        ({"heat": "30"}, "the outcome 'heat' is '30', not a finite number"),
        ({"heat": True}, "the outcome 'heat' is True, not a finite number"),
    ],
)
def test_a_result_that_is_none_says_why(change: dict[str, object], said: str) -> None:
    assert BOTH.wrong({**FULL, **change}) == said


def test_a_missing_outcome_is_named() -> None:
    told = {("sped" if name == "speed" else name): value for name, value in FULL.items()}
    assert BOTH.wrong(told) == "the outcome 'speed' is missing among ['error', 'sped', 'memory', 'heat', 'drift']"
    assert BOTH.wrong({**FULL, "more": object()}) is None


def test_outcomes_are_floats_in_the_order_of_the_goals() -> None:
    told = {"drift": np.float32(-1.0), "more": 5, "heat": np.int64(30), "memory": 7, "speed": 3, "error": 0.1}
    found = BOTH.outcomes_of(told)
    assert found == FULL
    assert list(found) == list(BOTH.names)
    assert {type(value) for value in found.values()} == {float}


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(FULL, NUMBERS)), max_size=5))
def test_many_are_as_each(many: list[dict[str, float]]) -> None:
    assert BOTH.signed(many).shape == (len(many), 2)
    assert BOTH.violations(many).shape == (len(many),)
    for row, violation, outcomes in zip(BOTH.signed(many), BOTH.violations(many), many, strict=True):
        assert row.tolist() == [-outcomes["error"], outcomes["speed"]]
        assert violation == BOTH.violation(outcomes)
        broken = [outcomes["memory"] > 8.0, outcomes["heat"] < 20.0, outcomes["drift"] > 0.0]
        names = tuple(name for name, is_broken in zip(("memory", "heat", "drift"), broken, strict=True) if is_broken)
        assert BOTH.violated(outcomes) == names
        assert (violation == 0.0) == (not names)


def test_violations_of_different_units_add_up() -> None:
    assert BOTH.violation({**FULL, "memory": 10.0, "heat": 10.0, "drift": 2.0}) == 0.25 + 0.5 + 2.0
