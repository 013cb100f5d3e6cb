"""Heartbeats, trials handed on, and results that come late."""

from __future__ import annotations

import math

import pytest

from nonstop.errors import StudyError, TrialError
from nonstop.trials.messages import Counts, HandOn, Pulse, Request
from nonstop.trials.trial import TrialState
from tests.helpers.storages import Desk


def test_a_beat_counts_mine_and_shows_all(desk: Desk) -> None:
    running, proposing, other = desk.run("a"), desk.ask(worker="b"), desk.ask(worker="c")
    desk.storage.beat(desk.study, [(running.number, 1), (proposing.number, 1)])
    pulses = desk.storage.beat(desk.study, [(running.number, 1)])
    assert list(pulses) == [Pulse(0, 1, 2, "a"), Pulse(1, 1, 1, "b"), Pulse(other.number, 1, 0, "c")]


@pytest.mark.parametrize("lease", [None, 2.5, math.inf])
def test_a_trial_keeps_the_lease_it_was_asked_with(desk: Desk, lease: float | None) -> None:
    asked = desk.storage.exchange(desk.study, 0, request=Request("mine", "me", lease=lease)).trial
    assert asked is not None
    assert desk.start(asked).trial == desk.trial(0)
    assert desk.trial(0).lease == lease
    assert list(desk.storage.beat(desk.study, [])) == [Pulse(0, 1, 0, "me", lease)]
    assert desk.hand_on(asked)
    assert desk.trial(0).lease is None
    again = desk.storage.exchange(desk.study, 0, request=Request("other", "other", lease=lease)).trial
    assert again is not None
    assert (again.attempt, again.lease) == (2, lease)


def test_one_beat_serves_many_trials_and_counts_each_once(desk: Desk) -> None:
    trials = [desk.run(f"w{index}") for index in range(12)]
    mine = [(trial.number, trial.attempt) for trial in trials]
    pulses = desk.storage.beat(desk.study, [*mine[:10], mine[0], (mine[11][0], 2), (99, 1)])
    assert [pulse.beat for pulse in pulses] == [1] * 10 + [0, 0]
    with pytest.raises(StudyError, match="no study with id 55"):
        desk.storage.beat(55, mine)


def test_a_beat_is_no_change(desk: Desk) -> None:
    trial = desk.run()
    cursor = desk.read().cursor
    desk.storage.beat(desk.study, [(trial.number, 1)])
    assert desk.read(cursor).changes == ()
    assert desk.read(cursor).cursor == cursor
    assert desk.trial(trial.number).beat == 1


def test_a_beat_keeps_no_lease_that_is_lost(desk: Desk) -> None:
    trial, done = desk.run(), desk.run()
    desk.report(done)
    assert desk.hand_on(trial)
    assert list(desk.storage.beat(desk.study, [(trial.number, 1), (done.number, 1), (55, 1)])) == []
    again = desk.ask(worker="second")
    assert list(desk.storage.beat(desk.study, [(trial.number, 1)])) == [Pulse(trial.number, 2, 0, "second")]
    assert again.params == trial.params


def test_finishing_and_starting_keep_the_beat(desk: Desk) -> None:
    trial = desk.ask()
    desk.storage.beat(desk.study, [(trial.number, 1)])
    desk.start(trial)
    assert [pulse.beat for pulse in desk.storage.beat(desk.study, [(trial.number, 1)])] == [2]


def test_a_trial_with_a_heartbeat_is_not_handed_on(desk: Desk) -> None:
    trial = desk.run()
    desk.storage.beat(desk.study, [(trial.number, 1)])
    before = desk.read()
    assert not desk.hand_on(trial, beat=0)
    assert desk.read() == before
    assert desk.hand_on(trial, beat=1)


def test_a_trial_is_handed_on_once(desk: Desk) -> None:
    trial = desk.run()
    assert desk.hand_on(trial, beat=0)
    assert not desk.hand_on(trial, beat=0)
    assert not desk.hand_on(trial)
    waiting = desk.trial(trial.number)
    assert (waiting.state, waiting.attempt, waiting.worker, waiting.beat) == (TrialState.WAITING, 2, None, 0)
    assert (waiting.params, waiting.seed, waiting.diagnostics) == (trial.params, trial.seed, trial.diagnostics)


def test_a_trial_that_no_worker_holds_is_not_handed_on(desk: Desk) -> None:
    desk.insert({"x": 1.0}, None, "enqueue")
    enqueued = desk.trial(0)
    assert not desk.hand_on(enqueued)
    done = desk.ask()
    desk.report(done)
    assert not desk.hand_on(done)
    with pytest.raises(TrialError, match="no trial 9"):
        desk.storage.hand_on(desk.study, HandOn(9, 1, "", max_attempts=1))


def test_attempts_are_capped(desk: Desk) -> None:
    trial = desk.run()
    for attempt in (1, 2):
        assert desk.hand_on(trial, max_attempts=3)
        trial = desk.ask()
        assert (trial.attempt, trial.state) == (attempt + 1, TrialState.RUNNING)
    assert desk.hand_on(trial, max_attempts=3)
    failed = desk.trial(trial.number)
    assert (failed.state, failed.attempt, failed.reason) == (TrialState.FAILED, 3, "no heartbeat")
    assert failed.finished_at is not None
    assert desk.ask().number == 1


def test_a_late_result_counts_while_the_trial_waits(desk: Desk) -> None:
    trial = desk.run()
    desk.hand_on(trial)
    done = desk.report(trial, 4.0).trial
    assert done is not None
    assert (done.state, done.value, done.attempt) == (TrialState.COMPLETED, 4.0, 2)
    assert desk.ask().number == 1


def test_a_late_result_counts_and_fences_the_second_worker_off(desk: Desk) -> None:
    first = desk.run("first")
    desk.hand_on(first)
    second = desk.ask(worker="second")
    desk.report(first, 4.0)
    assert list(desk.storage.beat(desk.study, [(second.number, second.attempt)])) == []
    after = desk.report(second, 5.0)
    assert after.trial is not None
    assert (after.trial.value, after.version) == (4.0, 1)
    assert not desk.hand_on(second)


def test_a_late_value_revives_a_trial_that_failed_by_its_lease(desk: Desk) -> None:
    """The evaluation was finished: only the worker was taken for dead."""
    done, trial = desk.run(), desk.run()
    desk.report(done, 1.0)
    desk.hand_on(trial, max_attempts=1)
    failed = desk.trial(trial.number)
    assert desk.read().counts == Counts(completed=1, failed=1)
    report = desk.a_report(trial, 4.0)
    answer = desk.storage.exchange(desk.study, 0, report)
    revived = answer.trial
    assert revived is not None
    assert (revived.state, revived.value, revived.order, revived.attempt) == (TrialState.COMPLETED, 4.0, 2, 1)
    assert (revived.undone, revived.reason) == (failed.sequence, "no heartbeat")
    assert (answer.counts, answer.version, revived.sequence) == (Counts(completed=2), 2, failed.sequence + 1)
    assert desk.storage.exchange(desk.study, 0, report) == answer, "a retry changes nothing"
    assert desk.report(trial, 5.0).trial == revived, "nor does a second value"
    assert desk.read(failed.sequence).changes == (revived,)


def test_a_late_failure_revives_nothing(desk: Desk) -> None:
    trial = desk.run()
    desk.hand_on(trial, max_attempts=1)
    before = desk.read()
    desk.report(trial, None, state=TrialState.FAILED, reason="boom")
    assert desk.read() == before
    desk.report(trial, 4.0)
    assert desk.trial(trial.number).value == 4.0, "that failure did not count, this value does"


def test_a_trial_that_failed_by_its_own_report_stays_failed(desk: Desk) -> None:
    lost, trial = desk.run(), desk.run()
    desk.report(trial, None, state=TrialState.FAILED, reason="boom")
    desk.hand_on(lost)
    desk.report(lost, None, state=TrialState.FAILED, reason="late boom")
    before = desk.read()
    desk.report(trial, 4.0)
    desk.report(lost, 4.0)
    assert desk.read() == before


def test_a_trial_that_was_never_started_cannot_be_revived(desk: Desk) -> None:
    trial = desk.ask()
    desk.hand_on(trial, max_attempts=1)
    with pytest.raises(TrialError, match="never started"):
        desk.report(trial, 4.0)


def test_an_attempt_that_was_never_granted_has_no_result(desk: Desk) -> None:
    trial = desk.run()
    for attempt in (0, 2):
        with pytest.raises(TrialError, match="never started"):
            desk.report(trial, attempt=attempt)
    desk.hand_on(trial)
    with pytest.raises(TrialError, match="never started"):
        desk.report(trial, attempt=2)


def test_a_request_whose_trial_was_handed_on_is_a_new_one(desk: Desk) -> None:
    request = Request("mine", "me")
    first = desk.storage.exchange(desk.study, 0, request=request).trial
    assert first is not None
    desk.hand_on(first)
    other = desk.ask(worker="other")
    assert other.number == first.number
    again = desk.storage.exchange(desk.study, 0, request=request).trial
    assert again is not None
    assert again.number == 1
    desk.hand_on(other, max_attempts=1)
    assert desk.trial(0).state is TrialState.FAILED
