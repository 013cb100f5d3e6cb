"""What tell() is given, checked against what the study asks for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nonstop.errors import TrialError
from nonstop.outcomes.goals import Goals
from nonstop.trials.telling import Told, told_of
from nonstop.trials.trial import TrialState
from tests.helpers.goals import MINIMIZE

DONE, FAILED = TrialState.COMPLETED, TrialState.FAILED
NAMED = Goals.of("minimize", {"error": "minimize"})
TWO = Goals.of("minimize", {"error": "minimize", "latency": "minimize"}, {"memory": "<= 8"})
LIMITED = Goals.of("minimize", None, {"memory": "<= 8"})


@pytest.mark.parametrize(
    ("goals", "value", "expected"),
    [
        (MINIMIZE, 3, Told(DONE, 3.0)),
        (MINIMIZE, {"value": np.float32(0.5), "epochs": 3}, Told(DONE, 0.5, extras={"epochs": 3})),
        (NAMED, 0.5, Told(DONE, 0.5, {"error": 0.5})),
        (NAMED, {"error": 0.5, "value": 7}, Told(DONE, 0.5, {"error": 0.5}, {"value": 7})),
        (
            TWO,
            {"memory": 9, "latency": 2, "error": 1, "host": "rig"},
            Told(DONE, None, {"error": 1.0, "latency": 2.0, "memory": 9.0}, {"host": "rig"}),
        ),
        (LIMITED, {"value": 1, "memory": 9}, Told(DONE, 1.0, {"value": 1.0, "memory": 9.0})),
    ],
)
@pytest.mark.parametrize("state", [None, "completed"])
def test_a_result(goals: Goals, value: object, expected: Told, state: str | None) -> None:
    assert told_of(goals, value, state) == expected


@pytest.mark.parametrize("goals", [MINIMIZE, NAMED, TWO])
def test_a_failure(goals: Goals) -> None:
    assert told_of(goals, None, "failed") == Told(FAILED)
    with pytest.raises(TrialError, match="a failed trial has no value"):
        told_of(goals, {"error": 1.0}, "failed")


@pytest.mark.parametrize(
    ("goals", "value", "said"),
    [
        (MINIMIZE, None, "a value must be a finite number, not None; use state='failed'"),
        (MINIMIZE, math.inf, "a value must be a finite number, not inf"),
        (MINIMIZE, {}, "the outcome 'value' is missing"),
        (NAMED, math.nan, "a value must be a finite number, not nan"),
        (NAMED, {"eror": 1.0}, r"the outcome 'error' is missing among \['eror'\]; use state='failed'"),
        (TWO, 0.5, r"the study has the outcomes \{'error': ..., 'latency': ..., 'memory': ...\}: tell all of them"),
        (TWO, None, "the study has the outcomes"),
        (TWO, {"error": 1.0, "latency": 2.0}, "the outcome 'memory' is missing"),
        (TWO, {"error": 1.0, "latency": math.nan, "memory": 1.0}, "the outcome 'latency' is nan"),
        (TWO, {"error": 1.0, "latency": "2", "memory": 1.0}, "the outcome 'latency' is '2'"),
    ],
)
def test_what_is_no_result(goals: Goals, value: Any, said: str) -> None:
    with pytest.raises(TrialError, match=said):
        told_of(goals, value)


def test_an_unknown_state() -> None:
    with pytest.raises(TrialError, match="state must be 'completed' or 'failed', not 'done'"):
        told_of(MINIMIZE, 1.0, "done")
