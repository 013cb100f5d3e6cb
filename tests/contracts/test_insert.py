"""Many trials from elsewhere in one transaction: all of them or none, once, in their order."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from nonstop.errors import TrialError
from nonstop.storage import open_storage
from nonstop.trials.messages import Insert, Request
from nonstop.trials.trial import TrialState
from tests.contracts.test_concurrency import in_processes
from tests.helpers.storages import Desk

DONE, FAILED = TrialState.COMPLETED, TrialState.FAILED
#: Of every kind: with and without times, and to be evaluated.
ROWS = [
    Insert({"x": 0.1}, DONE, 5.0, finished_at=30.0, worker="anna", seconds=2.5, started_at=27.0, notes={"epoch": [3]}),
    Insert({"x": 0.2}, FAILED, reason="boom \0", finished_at=10.0, notes={"a": None}),
    Insert({"x": 0.3}),
    Insert({"x": 0.4}, DONE, -0.0, finished_at=20.0),
    Insert({"x": 0.5}, DONE, 7.0),
    Insert({"x": 0.6}, notes={"retry_of": 1}, fixed={"x": 0.6}),
]


def test_numbers_are_as_given_and_results_in_the_order_of_their_times(desk: Desk) -> None:
    desk.report(desk.run())
    trials = desk.storage.insert(desk.study, ROWS, "many")
    assert [trial.number for trial in trials] == [1, 2, 3, 4, 5, 6]
    assert [trial.order for trial in trials] == [3, None, None, 2, 4, None]
    assert [trial.state.value for trial in trials] == [
        "completed", "failed", "waiting", "completed", "completed", "waiting"
    ]  # fmt: skip
    read = desk.read()
    assert [trial.order for trial in read.changes if trial.order] == [1, 2, 3, 4], "as a follower reads them"
    assert sorted(read.changes[1:], key=lambda trial: trial.number) == list(trials)
    assert read.counts.total == 7
    assert (read.version, read.counts.waiting, read.counts.failed) == (4, 2, 1)


def test_what_is_known_of_them_is_kept(desk: Desk) -> None:
    first, failed, waiting, *_, last = desk.storage.insert(desk.study, ROWS, "many")
    assert (first.worker, first.started_at, first.finished_at, first.seconds) == ("anna", 27.0, 30.0, 2.5)
    assert (first.notes, first.version, first.asked_at, first.diagnostics) == ({"epoch": [3]}, -1, None, None)
    assert (failed.reason, failed.value, failed.finished_at) == ("boom \N{REPLACEMENT CHARACTER}", None, 10.0)
    assert (waiting.finished_at, waiting.notes) == (None, {})
    assert (last.notes, last.fixed) == ({"retry_of": 1}, {"x": 0.6})


def test_a_repeated_insertion_changes_nothing(desk: Desk) -> None:
    desk.storage.insert(desk.study, ROWS, "many")
    before = desk.read()
    assert list(desk.storage.insert(desk.study, ROWS, "many")) == sorted(before.changes, key=lambda it: it.number)
    assert desk.read() == before
    other = desk.storage.insert(desk.study, ROWS[:2], "more")
    assert [trial.number for trial in other] == [6, 7]
    assert [trial.number for trial in desk.storage.insert(desk.study, ROWS[:2], "more")] == [6, 7]


@pytest.mark.parametrize(
    "wrong",
    [
        Insert({"x": 1.0}, DONE, None),
        Insert({"x": 1.0}, DONE, math.nan),
        Insert({"x": 1.0}, FAILED, 1.0),
        Insert({"x": 1.0}, TrialState.WAITING, 1.0),
        Insert({"x": 1.0}, TrialState.RUNNING),
        Insert({"x": math.nan}),
        Insert({"x": 1.0}, notes={"a": math.inf}),
    ],
)
def test_one_that_is_wrong_is_none_that_is_stored(desk: Desk, wrong: Insert) -> None:
    before = desk.read()
    with pytest.raises(TrialError):
        desk.storage.insert(desk.study, [*ROWS, wrong, *ROWS], "many")
    assert desk.read() == before
    assert desk.storage.insert(desk.study, [*ROWS], "many")[0].number == 0


def test_nothing_is_no_insertion(desk: Desk) -> None:
    before = desk.read()
    assert list(desk.storage.insert(desk.study, [], "none")) == []
    assert desk.read() == before


def test_a_failure_that_was_inserted_stays_one(desk: Desk) -> None:
    """It came with its result: a value that is told later is none of a worker that was taken for lost."""
    (failed,) = desk.storage.insert(desk.study, ROWS[1:2], "failed")
    desk.report(failed, 1.0)
    assert desk.trial(failed.number) == failed


def test_notes_of_an_enqueued_trial_stay_beside_those_of_its_result(desk: Desk) -> None:
    desk.storage.insert(desk.study, ROWS[-1:], "enqueue")
    done = desk.report(desk.ask(), 1.0, notes={"loss": 2}).trial
    assert done is not None
    assert done.notes == {"retry_of": 1, "loss": 2}
    assert desk.trial(done.number).notes == done.notes


def test_the_waiting_ones_are_granted_by_number(desk: Desk) -> None:
    desk.storage.insert(desk.study, ROWS, "many")
    assert [desk.ask().number, desk.ask().number, desk.ask().number] == [2, 5, 6]


def test_more_than_are_sent_at_once(desk: Desk) -> None:
    rows = [Insert({"x": float(index)}, DONE, float(-index), finished_at=float(index % 7)) for index in range(4_321)]
    trials = desk.storage.insert(desk.study, rows, "many")
    assert [trial.value for trial in trials] == [-float(index) for index in range(4_321)]
    read = desk.read()
    assert [trial.order for trial in read.changes] == list(range(1, 4_322))
    assert [trial.finished_at for trial in read.changes] == sorted(float(index % 7) for index in range(4_321))
    again = desk.storage.insert(desk.study, [replace(row) for row in rows], "many")
    assert list(again) == list(trials)


def test_processes_insert_at_once(shared_url: str) -> None:
    storage = open_storage(shared_url)
    study = storage.create_study("demo", {}).id

    def work(index: int) -> None:
        own = open_storage(shared_url)
        for turn in range(4):
            made, again = (own.insert(study, ROWS, f"{index} {turn}") for _ in range(2))
            # By number: another process may have been given a waiting one in between.
            assert [trial.number for trial in again] == [trial.number for trial in made]
            own.exchange(study, 0, request=Request(f"{index} {turn}", "me"))
        own.close()

    in_processes(4, work)
    read = storage.exchange(study, 0)
    assert sorted(trial.number for trial in read.changes) == list(range(96))
    assert [trial.order for trial in read.changes if trial.order] == list(range(1, 49))
    assert (read.counts.completed, read.counts.failed, read.counts.running) == (48, 16, 16)
    storage.close()
