"""Stopping rules: what they say of made-up results, as values and as texts."""

from __future__ import annotations

from dataclasses import replace

import pytest

import nonstop
from nonstop.trials.trial import Trial, TrialState
from nonstop.trials.until import Until, Watch, met, until_of
from tests.helpers.goals import MAXIMIZE, MINIMIZE


def results(*values: float | None, seconds: float = 10.0) -> list[Trial]:
    """Results in this order; None is a failure."""
    trials, order = [], 0
    for number, value in enumerate(values):
        order += value is not None
        state = TrialState.FAILED if value is None else TrialState.COMPLETED
        place = None if value is None else order
        trials.append(Trial(number, state, value=value, order=place, seconds=seconds, sequence=number + 1))
    return trials


def test_a_target_value_in_both_directions() -> None:
    trials = results(3.0, 1.0, 2.0)
    assert met(Until(value=0.5), MINIMIZE, trials) is None
    assert met(Until(value=1.0), MINIMIZE, trials) == "the value 1 of trial 1 reached 1"
    assert met(Until(value=3.5), MAXIMIZE, trials) is None
    assert met(Until(value=2.5), MAXIMIZE, trials) == "the value 3 of trial 0 reached 2.5"


def test_results_without_an_improvement() -> None:
    trials = results(3.0, 1.0, None, 2.0, None, 1.0)
    assert met(Until(patience=3), MINIMIZE, trials) is None, (
        "failures are no results, and an equal one is no improvement"
    )
    assert met(Until(patience=2), MINIMIZE, trials) == "no improvement in 2 results"
    assert met(Until(patience=1), MINIMIZE, []) is None
    assert met(Until(patience=2), MINIMIZE, results(None, None, None)) is None


def test_seconds_of_evaluating_count_failures_too() -> None:
    trials = results(1.0, None, 2.0, seconds=40.0)
    assert met(Until(evaluating=121.0), MINIMIZE, trials) is None
    assert met(Until(evaluating="2m"), MINIMIZE, trials) == "2m 00s of evaluating, of 2m 00s"


def test_a_late_result_takes_the_place_of_its_failure() -> None:
    watch = Watch(Until(evaluating=25.0), MINIMIZE, results(1.0, None))
    watch.update([replace(results(1.0, 2.0)[1], seconds=12.0, sequence=9)])
    assert watch.reason() is None, "10 + 12, not 10 + 10 + 12"


def test_the_order_of_the_results_counts_and_not_that_of_the_trials() -> None:
    first, second, third = results(1.0, 2.0, 3.0)
    late = replace(first, order=3, sequence=9)
    assert met(Until(patience=2), MINIMIZE, [late, replace(second, order=1), replace(third, order=2)]) is None


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("value 0.01", Until(value=0.01)),
        ("value -1e-3", Until(value=-1e-3)),
        ("no improvement in 50", Until(patience=50)),
        ("  no  improvement in 1 result ", Until(patience=1)),
        ("evaluating 1h30m", Until(evaluating=5400.0)),
        ("evaluating 90", Until(evaluating=90.0)),
        ("value 1 or no improvement in 5 or evaluating 2h", Until(1.0, 5, "2h")),
        ("evaluating 0.000000001s", Until(evaluating=1e-9)),
        (["value 1", "evaluating 2h"], Until(value=1.0, evaluating=7200.0)),
    ],
)
def test_texts(text: object, until: Until) -> None:
    assert until_of(text) == until
    assert until_of(str(until)) == until, "and back"


@pytest.mark.parametrize(
    "text",
    ["", "value", "value x", "value nan", "better", "no improvement in -1", "no improvement in 0", "evaluating never",
     "value 1 or", "value 1 or value 2", 3, None, [], ["value 1", 7], "evaluating -3s", "value inf"],
)  # fmt: skip
def test_what_is_no_rule(text: object) -> None:
    with pytest.raises(nonstop.StudyError, match="until"):
        until_of(text)


def test_a_rule_must_be_one() -> None:
    with pytest.raises(nonstop.StudyError, match="no rule"):
        Until()
    with pytest.raises(nonstop.StudyError, match="must be a duration"):
        Until(evaluating="soon")
