"""Outcomes by name, in every storage: reported, inserted, late, revived, copied, read again, and never another's."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nonstop.errors import TrialError
from nonstop.storage.contract import Storage
from nonstop.storage.copies import copy_study
from nonstop.storage.memory import MemoryStorage
from nonstop.storage.sql import SqlStorage
from nonstop.trials.messages import Insert, Request
from nonstop.trials.trial import Trial, TrialState
from tests.helpers.storages import Desk

TWO = {"error": 0.1, "latency": 3.2, "größe [GB]": -0.0}
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
OUTCOMES = st.dictionaries(NAMES, st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4)


def bits(trial: Trial | None) -> tuple[float | None, list[tuple[str, str]]]:
    assert trial is not None
    return trial.value, [(name, float(value).hex()) for name, value in trial.outcomes.items()]


EXPECTED = [(name, float(value).hex()) for name, value in TWO.items()]


@pytest.mark.parametrize("value", [0.1, None])
def test_a_report_brings_them(desk: Desk, value: float | None) -> None:
    trial = desk.run()
    assert trial.outcomes == {}
    done = desk.report(trial, value, outcomes=TWO).trial
    assert bits(done) == bits(desk.trial(0)) == (value, EXPECTED)
    assert desk.trial(0).order == 1
    assert desk.read().version == 1


def test_with_the_next_request_in_one_transaction(desk: Desk) -> None:
    trial = desk.run()
    report = desk.a_report(trial, None, outcomes=TWO)
    answer = desk.storage.exchange(desk.study, 0, report, Request("next", "me"))
    assert bits(answer.changes[0]) == (None, EXPECTED)
    assert answer.trial is not None
    assert (answer.trial.number, answer.trial.outcomes) == (1, {})


def test_a_repeated_report_changes_nothing_and_the_first_result_wins(desk: Desk) -> None:
    trial = desk.run()
    report = desk.a_report(trial, None, outcomes=TWO)
    first = desk.storage.exchange(desk.study, 0, report)
    assert desk.storage.exchange(desk.study, 0, report) == first
    desk.report(trial, None, outcomes={"error": 9.0, "latency": 9.0})
    assert bits(desk.trial(0)) == (None, EXPECTED)
    assert desk.read().version == 1


@pytest.mark.parametrize(
    ("value", "outcomes"),
    [
        (None, {}),
        (None, {"error": math.nan}),
        (None, {"error": 1.0, "latency": math.inf}),
        (None, {"error": "1.0"}),
        (None, {"error": None}),
        (math.nan, {"error": 1.0}),
    ],
)
def test_what_is_no_number_is_refused_and_nothing_stays(desk: Desk, value: float | None, outcomes: Any) -> None:
    trial = desk.run()
    with pytest.raises(TrialError, match="must be a finite number"):
        desk.report(trial, value, outcomes=outcomes)
    with pytest.raises(TrialError, match="must be a finite number"):
        desk.storage.insert(desk.study, [Insert({"x": 1.0}, TrialState.COMPLETED, value, outcomes=outcomes)], "one")
    assert [found.state for found in desk.read().changes] == [TrialState.RUNNING]


def test_a_failure_has_none(desk: Desk) -> None:
    trial = desk.run()
    desk.report(trial, None, state=TrialState.FAILED, reason="boom", outcomes=TWO)
    assert bits(desk.trial(0)) == (None, [])
    for state in (TrialState.FAILED, TrialState.WAITING):
        with pytest.raises(TrialError, match=f"a trial that is {state} has no value"):
            desk.storage.insert(desk.study, [Insert({"x": 1.0}, state, outcomes=TWO)], f"{state}")


def test_numbers_become_floats(desk: Desk) -> None:
    desk.report(desk.run(), None, outcomes={"error": 1, "latency": 2})
    outcomes = desk.trial(0).outcomes
    assert outcomes == {"error": 1.0, "latency": 2.0}
    assert {type(value) for value in outcomes.values()} == {float}


def test_inserted_ones_come_back(desk: Desk) -> None:
    rows = [
        Insert({"x": 1.0}, TrialState.COMPLETED, None, finished_at=5.0, outcomes=TWO),
        Insert({"x": 2.0}, TrialState.COMPLETED, 0.5, finished_at=3.0, outcomes={"error": 0.5}),
        Insert({"x": 3.0}, TrialState.COMPLETED, 0.25),
        Insert({"x": 4.0}),
    ]
    first = desk.storage.insert(desk.study, rows, "one")
    assert desk.storage.insert(desk.study, rows, "one") == first
    assert [bits(trial) for trial in desk.storage.exchange(desk.study, 0).changes][:2] == [
        (0.5, [("error", (0.5).hex())]),
        (None, EXPECTED),
    ]
    assert [desk.trial(number).outcomes for number in (2, 3)] == [{}, {}]
    assert desk.read().counts.completed == 3


def test_a_late_result_counts_with_them(desk: Desk) -> None:
    trial = desk.run()
    assert desk.hand_on(trial)
    desk.report(trial, None, outcomes=TWO)
    assert bits(desk.trial(0)) == (None, EXPECTED)


def test_one_that_is_later_still_changes_nothing(desk: Desk) -> None:
    trial = desk.run()
    assert desk.hand_on(trial)
    again = desk.ask(worker="other")
    desk.report(again, None, outcomes=TWO)
    desk.report(trial, None, outcomes={"error": 7.0, "latency": 7.0})
    assert bits(desk.trial(0)) == (None, EXPECTED)


def test_a_late_result_revives_a_trial_that_failed_by_its_lease(desk: Desk) -> None:
    trial = desk.run()
    assert desk.hand_on(trial, max_attempts=1)
    assert desk.trial(0).state is TrialState.FAILED
    desk.report(trial, None, outcomes=TWO)
    revived = desk.trial(0)
    assert (revived.state, revived.undone is not None) == (TrialState.COMPLETED, True)
    assert bits(revived) == (None, EXPECTED)


def test_they_belong_to_the_caller(desk: Desk) -> None:
    given = dict(TWO)
    desk.report(desk.run(), None, outcomes=given)
    given["error"] = 9.0
    read = desk.trial(0).outcomes
    assert isinstance(read, dict)
    read["latency"] = 9.0
    assert bits(desk.trial(0)) == (None, EXPECTED)


def test_a_copy_has_them(storage: Storage) -> None:
    desk = Desk(storage, storage.create_study("demo", {}).id)
    desk.report(desk.run(), None, outcomes=TWO)
    desk.report(desk.run(), 0.5, outcomes={"error": 0.5})
    desk.report(desk.run(), 0.25)
    desk.run()
    targets: list[Storage] = [storage, MemoryStorage(), SqlStorage("sqlite://")]
    for target in targets:
        record = copy_study(storage, desk.study, target, "copy")
        copies = sorted(target.exchange(record.id, 0).changes, key=lambda trial: trial.number)
        assert [bits(trial) for trial in copies] == [bits(desk.trial(number)) for number in range(4)]
    for target in targets[1:]:
        target.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(OUTCOMES)
def test_any_name_and_any_number_come_back(desk: Desk, outcomes: dict[str, float]) -> None:
    trial = desk.run()
    desk.report(trial, None, outcomes=outcomes)
    found = desk.trial(trial.number).outcomes
    assert {name: value.hex() for name, value in found.items()} == {
        name: float(value).hex() for name, value in outcomes.items()
    }


def test_another_process_reads_them(shared_url: str) -> None:
    writer, reader = SqlStorage(shared_url), SqlStorage(shared_url)
    desk = Desk(writer, writer.create_study("demo", {}).id)
    desk.report(desk.run(), None, outcomes=TWO)
    assert [bits(trial) for trial in reader.exchange(desk.study, 0).changes] == [(None, EXPECTED)]
    writer.close()
    reader.close()
