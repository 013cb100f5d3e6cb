"""What goes in comes out, to the last bit."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nonstop.errors import TrialError
from nonstop.trials.messages import Request
from nonstop.trials.trial import TrialState
from nonstop.types import Value
from tests.helpers.storages import Desk
from tests.helpers.trials import a_start, modelled, said

EXTREMES = (0.0, -0.0, 5e-324, -5e-324, sys.float_info.max, -sys.float_info.max, 0.1 + 0.2, 1 / 3, 1e22, 123456789.0)
PARAMS: dict[str, Value] = {
    "int": -(2**60),
    "text": "größer \0 \\ud800 \N{SNOWMAN} ' \" \\ ; --",
    "": "",
    "true": True,
    "none": None,
    **{repr(number): number for number in EXTREMES},
}


def same(one: object, two: object) -> bool:
    """Equal to the last bit and in type: 0.0 is not -0.0, 1 is not True."""
    return repr(one) == repr(two)


def test_results_keep_every_bit(desk: Desk) -> None:
    for value in EXTREMES:
        done = desk.report(desk.run(), value).trial
        assert done is not None
        assert same(done.value, value)
        assert same(desk.trial(done.number).value, value)
        added = desk.insert({}, value, desk.new_id())
        assert same(desk.trial(added.number).value, value)


def test_params_keep_value_type_and_order(desk: Desk) -> None:
    started = desk.start(desk.ask(), PARAMS).trial
    assert started is not None
    assert same(started.params, PARAMS)
    assert same(desk.trial(0).params, PARAMS)
    enqueued = desk.insert(PARAMS, None, "enqueue")
    assert same(enqueued.params, PARAMS)


def test_notes_and_seconds_come_back(desk: Desk) -> None:
    notes = {"loss": [0.5, 0.25], "": None, "deep": {"a": "\N{SNOWMAN} \0"}, "n": 2**60, "tiny": 5e-324}
    done = desk.report(desk.run(), 1.0, notes=notes, seconds=0.1 + 0.2).trial
    assert done is not None
    for trial in (done, desk.trial(done.number)):
        assert same(trial.notes, notes)
        assert same(trial.seconds, 0.1 + 0.2)
    failed = desk.report(desk.run(), None, state=TrialState.FAILED, reason="no", notes=notes).trial
    assert failed is not None
    assert same(failed.notes, notes)
    assert failed.seconds is None
    assert desk.trial(desk.run().number).notes == {}


def test_notes_that_json_cannot_hold_are_refused(desk: Desk) -> None:
    trial = desk.run()
    for notes in ({"x": math.nan}, {"x": object()}, {"x": "a\ud800"}):
        with pytest.raises(TrialError, match="notes cannot be stored"):
            desk.report(trial, 1.0, notes=notes)
    assert desk.trial(trial.number).state is TrialState.RUNNING


@pytest.mark.parametrize("params", [{"x": "a\ud800"}, {"\udcff": 1.0}])
def test_half_a_character_is_refused(desk: Desk, params: dict[str, Value]) -> None:
    with pytest.raises(TrialError, match="half of a surrogate pair"):
        desk.insert(params, None, "enqueue")
    with pytest.raises(TrialError, match="half of a surrogate pair"):
        desk.start(desk.ask(), params)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(number=st.floats(allow_nan=False, allow_infinity=False), text=st.text())
def test_any_number_and_any_text_come_back(desk: Desk, number: float, text: str) -> None:
    trial = desk.insert({"x": number, text: text}, number, desk.new_id())
    assert same(trial.params, {"x": number, text: text})
    assert same(desk.trial(trial.number), trial)


def test_integers_become_floats_where_values_are_meant(desk: Desk) -> None:
    done = desk.report(desk.run(), 3).trial
    assert done is not None
    assert same(done.value, 3.0)


def test_diagnostics_come_back_and_seeds_are_wide(desk: Desk) -> None:
    diagnostics = modelled(0.1, 1e-300, noise=5e-324, mean=-0.0, sd=0.1 + 0.2, busy=(1, 2), believed=(), warm=7)
    trial = desk.ask()
    start = a_start(trial.number, {"x": 0.5}, 2**63 - 1, diagnostics)
    assert desk.storage.start(desk.study, start, 10).trial is not None
    assert desk.trial(0).diagnostics == diagnostics
    assert repr(said(desk.trial(0)).mean) == "-0.0"
    assert desk.trial(0).seed == 2**63 - 1


def test_trials_from_outside(desk: Desk) -> None:
    enqueued = desk.insert({"x": 0.1}, None, "enqueue")
    added = desk.insert({"x": 0.2}, 5.0, "add")
    assert (enqueued.number, enqueued.state, enqueued.version, enqueued.order) == (0, TrialState.WAITING, -1, None)
    assert (added.number, added.state, added.version, added.order) == (1, TrialState.COMPLETED, -1, 1)
    assert added.finished_at is not None
    read = desk.read()
    assert (read.version, read.cursor) == (1, 2)
    assert read.changes == (enqueued, added)


def test_a_repeated_insert_returns_the_trial_as_it_stands(desk: Desk) -> None:
    desk.insert({"x": 0.1}, None, "enqueue")
    desk.report(desk.ask(), 2.0)
    before = desk.read()
    again = desk.insert({"x": 0.1}, None, "enqueue")
    assert (again.number, again.value) == (0, 2.0)
    assert desk.read() == before


def test_an_insert_and_a_request_may_have_the_same_id(desk: Desk) -> None:
    desk.insert({"x": 0.1}, 1.0, "same")
    trial = desk.storage.exchange(desk.study, 0, request=Request("same", "me")).trial
    assert trial is not None
    assert trial.number == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, object(), 1j])
def test_params_that_are_no_json_are_refused(desk: Desk, bad: float) -> None:
    with pytest.raises(TrialError, match="JSON"):
        desk.insert({"x": bad}, None, "enqueue")
    assert desk.read().changes == ()
