"""Corners of an exchange: what a grant counts, and what an answer holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from nonstop.errors import StorageError
from nonstop.storage.contract import Storage
from nonstop.storage.schema import results
from nonstop.storage.sql import SqlStorage
from nonstop.trials.messages import Report, Request
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Value
from tests.helpers.storages import Desk


def test_a_trial_that_is_being_proposed_takes_room_from_those_that_wait(desk: Desk) -> None:
    desk.ask(limit=2)
    desk.insert({"x": 1.0}, None, "waits")
    assert desk.request(limit=1) is None
    assert desk.ask(limit=2).number == 1


def test_a_waiting_trial_begins_when_it_is_granted(desk: Desk) -> None:
    inserted = desk.insert({"x": 1.0}, None, "waits")
    granted = desk.ask()
    assert inserted.started_at is None
    assert granted.started_at is not None
    assert granted.started_at == granted.asked_at


def test_a_request_repeated_after_its_trial_was_handed_on_is_granted_the_next_attempt(desk: Desk) -> None:
    request = Request("mine", "me")
    first = desk.storage.exchange(desk.study, 0, request=request).trial
    assert first is not None
    desk.hand_on(first)
    again = desk.storage.exchange(desk.study, 0, request=request).trial
    assert again is not None
    assert (again.number, again.attempt, again.state) == (0, 2, TrialState.PROPOSING)


def test_a_request_with_fixed_params_leaves_other_waiting_trials_alone(desk: Desk) -> None:
    def granted(name: str, fixed: dict[str, Value], limit: int | None = None) -> Trial | None:
        return desk.storage.exchange(desk.study, 0, request=Request(name, "me", limit, fixed=fixed)).trial

    desk.insert({"x": 1.0}, None, "waits")
    fixed: dict[str, Value] = {"b": 1, "a": "one"}
    first = granted("one", fixed)
    assert first is not None
    assert (first.number, first.fixed) == (1, fixed)
    desk.hand_on(first)
    other = granted("two", {"a": "two"})
    assert other is not None
    assert (other.number, other.fixed) == (2, {"a": "two"})
    assert granted("full", {"a": "three"}, limit=3) is None
    again = granted("three", {"a": "one", "b": 1}, limit=3)
    assert again is not None
    assert (again.number, again.attempt, again.fixed) == (1, 2, fixed)
    assert desk.ask().number == 0
    started = desk.start(again).trial
    assert started is not None
    assert desk.trial(1).fixed == started.fixed == fixed


def test_a_result_that_changes_nothing_is_no_change(desk: Desk) -> None:
    trial = desk.run()
    first = Report("first", trial.number, trial.attempt, TrialState.COMPLETED, 1.0)
    cursor = desk.storage.exchange(desk.study, 0, first).cursor
    answer = desk.storage.exchange(desk.study, cursor, Report("late", trial.number, 1, TrialState.COMPLETED, 2.0))
    assert answer.changes == ()
    assert (answer.cursor, answer.version) == (cursor, 1)


@pytest.mark.parametrize("value", [0.1 + 0.2, 5e-324, -1.7976931348623157e308])
def test_the_log_of_results_keeps_every_bit(desk: Desk, storage: Storage, value: float) -> None:
    trial = desk.run()
    desk.storage.exchange(desk.study, 0, Report("a", trial.number, 1, TrialState.COMPLETED, value))
    if isinstance(storage, SqlStorage):
        query = select(results.c.value).where(results.c.id == "a")
        logged = storage._database.read(lambda connection: connection.execute(query).scalar_one())
        assert float(logged) == value
    assert desk.trial(trial.number).value == value


def test_a_file_that_was_deleted_while_in_use_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    storage = SqlStorage(f"sqlite:///{path}")
    study = storage.create_study("demo", {})
    path.unlink()
    SqlStorage(f"sqlite:///{path}").close()  # another file with the same name
    with pytest.raises(StorageError, match="moved or deleted"):
        storage.counts(study.id)
