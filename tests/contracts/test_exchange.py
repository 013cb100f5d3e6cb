"""Hand in a result, ask for the next trial, read what is new."""

from __future__ import annotations

import pytest

from nonstop.errors import TrialError
from nonstop.trials.messages import Counts, Request
from nonstop.trials.trial import Trial, TrialState
from tests.helpers.storages import Desk
from tests.helpers.trials import QUASI_RANDOM


def test_an_empty_study_reads_empty(desk: Desk) -> None:
    read = desk.read()
    assert (read.changes, read.cursor, read.version, read.counts, read.trial) == ((), 0, 0, Counts(), None)


def test_numbers_follow_each_other_and_versions_count_results(desk: Desk) -> None:
    first, second = desk.ask(), desk.ask()
    assert [(trial.number, trial.version, trial.attempt) for trial in (first, second)] == [(0, 0, 1), (1, 0, 1)]
    started = desk.start(first).trial
    assert started is not None
    assert started.state is TrialState.RUNNING
    done = desk.report(started, 0.5)
    assert done.version == 1
    assert desk.ask().version == 1


def test_a_trial_remembers_its_life(desk: Desk) -> None:
    trial = desk.run(worker="worker 3")
    done = desk.report(trial, 0.25).trial
    assert done is not None
    assert (done.params, done.value, done.order, done.seed, done.worker) == ({"x": 0.0}, 0.25, 1, 7, "worker 3")
    assert done.diagnostics == QUASI_RANDOM
    assert done.asked_at is not None
    assert done.started_at is not None
    assert done.finished_at is not None
    assert done.asked_at < done.started_at < done.finished_at


def test_tell_and_ask_and_read_are_one_transaction(desk: Desk) -> None:
    trial = desk.run()
    cursor = desk.read().cursor
    answer = desk.storage.exchange(desk.study, cursor, desk.a_report(trial, 2.0), Request("next", "me"))
    assert answer.trial is not None
    assert answer.trial.number == 1
    assert answer.trial.version == answer.version == 1
    assert [(change.number, change.state) for change in answer.changes] == [
        (0, TrialState.COMPLETED),
        (1, TrialState.PROPOSING),
    ]
    assert answer.cursor == cursor + 2


def test_a_reader_sees_only_what_is_new_in_the_order_of_change(desk: Desk) -> None:
    trials = [desk.run() for _ in range(4)]
    cursor = desk.read().cursor
    assert desk.read(cursor).changes == ()
    for number in (2, 0):
        desk.report(trials[number], float(number))
    new = desk.read(cursor)
    assert [(trial.number, trial.order) for trial in new.changes] == [(2, 1), (0, 2)]
    assert [trial.sequence for trial in new.changes] == [cursor + 1, cursor + 2]
    assert new.cursor == cursor + 2


def test_a_trial_that_changed_twice_is_read_once_in_its_newest_state(desk: Desk) -> None:
    desk.report(desk.run())
    assert [trial.state for trial in desk.read().changes] == [TrialState.COMPLETED]
    assert desk.read().cursor == 3


def test_reading_changes_nothing(desk: Desk) -> None:
    desk.run()
    assert desk.read() == desk.read()


def test_counts_follow_every_state(desk: Desk) -> None:
    trials = [desk.run() for _ in range(4)]
    desk.report(trials[0])
    desk.report(trials[1], None, state=TrialState.FAILED, reason="boom")
    desk.hand_on(trials[2])
    desk.insert({"x": 9.0}, None, "enqueue")
    desk.insert({"x": 9.5}, 3.0, "add")
    counts = desk.read().counts
    assert counts == Counts(proposing=0, waiting=2, running=1, completed=2, failed=1)
    assert counts.unfinished == 3
    assert desk.ask().number == 2


def test_a_failure_keeps_its_reason_and_is_no_data(desk: Desk) -> None:
    failed = desk.report(desk.run(), float("nan"), state=TrialState.FAILED, reason="exit \0 1\ud800")
    assert failed.trial is not None
    assert (failed.trial.value, failed.trial.order, failed.version) == (None, None, 0)
    assert failed.trial.reason == "exit \N{REPLACEMENT CHARACTER} 1?"


def test_the_first_result_wins_and_the_second_changes_nothing(desk: Desk) -> None:
    trial = desk.run()
    desk.report(trial, 1.0)
    before = desk.read()
    second = desk.report(trial, 2.0)
    assert second.trial is not None
    assert second.trial.value == 1.0
    assert desk.read() == before


def test_a_repeated_report_changes_nothing_and_answers_the_same(desk: Desk) -> None:
    report = desk.a_report(desk.run(), 1.0)
    first = desk.storage.exchange(desk.study, 0, report)
    assert desk.storage.exchange(desk.study, 0, report) == first


def test_a_repeated_exchange_gets_the_same_trial(desk: Desk) -> None:
    report, request = desk.a_report(desk.run(), 1.0), Request("again", "me", limit=2)
    first = desk.storage.exchange(desk.study, 0, report, request)
    assert first.trial is not None
    assert desk.storage.exchange(desk.study, 0, report, request) == first


def test_a_refused_exchange_leaves_nothing_behind(desk: Desk) -> None:
    trial = desk.run()
    before = desk.read()
    with pytest.raises(TrialError):
        desk.storage.exchange(desk.study, 0, desk.a_report(trial, float("nan")), Request("next", "me"))
    with pytest.raises(TrialError):
        desk.storage.exchange(desk.study, 0, desk.a_report(trial, number=77), Request("next", "me"))
    assert desk.read() == before


def test_a_result_is_a_finite_number(desk: Desk) -> None:
    trial = desk.run()
    for value in (float("nan"), float("inf"), -float("inf"), "1.0"):
        with pytest.raises(TrialError, match="finite"):
            desk.report(trial, value)  # type: ignore[arg-type]
        with pytest.raises(TrialError, match="finite"):
            desk.insert({}, value, "add")  # type: ignore[arg-type]
    with pytest.raises(TrialError, match="finite"):
        desk.report(trial, None)


def test_what_was_never_started_has_no_result(desk: Desk) -> None:
    desk.insert({"x": 1.0}, None, "enqueue")
    waiting, proposing = desk.trial(0), desk.ask()
    assert proposing.number == 0
    fresh = desk.ask()
    for trial in (waiting, fresh):
        with pytest.raises(TrialError, match="never started"):
            desk.report(Trial(trial.number, trial.state, attempt=trial.attempt + (trial is waiting)))
    with pytest.raises(TrialError, match="no trial 99"):
        desk.report(Trial(99, TrialState.RUNNING))
    with pytest.raises(TrialError, match="ends a trial"):
        desk.report(proposing, state=TrialState.WAITING)


def test_the_budget_counts_what_runs_and_what_is_done_but_no_failures(desk: Desk) -> None:
    trials = [desk.start(desk.ask(limit=2)).trial for _ in range(2)]
    assert desk.request(limit=2) is None
    assert trials[0] is not None
    assert trials[1] is not None
    desk.report(trials[0])
    assert desk.request(limit=2) is None
    desk.report(trials[1], None, state=TrialState.FAILED, reason="boom")
    assert desk.ask(limit=2).number == 2
    assert desk.request(limit=2) is None


def test_a_waiting_trial_goes_first_and_the_lowest_number_of_them(desk: Desk) -> None:
    running = desk.run()
    proposing = desk.ask()
    for params in ({"x": 1.0}, {"x": 2.0}):
        desk.insert(params, None, desk.new_id())
    desk.report(running)
    desk.hand_on(proposing)
    again, enqueued = desk.ask(worker="second"), desk.ask()
    assert (again.number, again.state, again.version, again.attempt) == (1, TrialState.PROPOSING, 1, 2)
    assert again.worker == "second"
    assert (enqueued.number, enqueued.state, enqueued.version) == (2, TrialState.RUNNING, -1)
    assert enqueued.params == {"x": 1.0}


def test_the_budget_holds_for_waiting_trials_too(desk: Desk) -> None:
    desk.report(desk.run())
    for _ in range(2):
        desk.insert({"x": 1.0}, None, desk.new_id())
    assert desk.request(limit=1) is None
    enqueued = desk.ask(limit=2)
    assert enqueued.number == 1
    assert desk.request(limit=2) is None
    desk.report(enqueued)
    assert desk.request(limit=2) is None
    assert desk.ask(limit=3).number == 2


def test_values_belong_to_the_caller(desk: Desk) -> None:
    trial = desk.run()
    assert isinstance(trial.params, dict)
    trial.params["x"] = 99.0
    assert desk.trial(trial.number).params == {"x": 0.0}
