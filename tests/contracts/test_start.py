"""A proposal becomes a running trial, unless the world moved on."""

from __future__ import annotations

import pytest

from nonstop.errors import TrialError
from nonstop.trials.trial import TrialState
from nonstop.types import Value
from tests.helpers.storages import Desk
from tests.helpers.trials import a_start, modelled


def test_a_proposal_from_the_same_data_started_meanwhile_refuses(desk: Desk) -> None:
    mine, other = desk.ask(), desk.ask()
    cursor = desk.read().cursor
    desk.start(other)
    before = desk.read()
    refused = desk.start(mine, cursor=cursor)
    assert refused.trial is None
    assert [trial.number for trial in refused.changes] == [other.number]
    assert desk.read() == before
    accepted = desk.start(mine, cursor=refused.cursor)
    assert accepted.trial is not None
    assert accepted.trial.state is TrialState.RUNNING


def test_a_proposal_from_other_data_does_not_disturb(desk: Desk) -> None:
    first, other = desk.run(), desk.ask()
    desk.report(first)
    mine = desk.ask()
    cursor = desk.read().cursor
    desk.start(other)
    assert (mine.version, other.version) == (1, 0)
    assert desk.start(mine, cursor=cursor).trial is not None


def test_the_same_point_already_running_refuses_unless_told_otherwise(desk: Desk) -> None:
    first, other = desk.run(), desk.ask()
    desk.report(first)
    mine = desk.ask()
    cursor = desk.read().cursor
    point: dict[str, Value] = {"x": 0.5, "loss": "l1"}
    desk.start(other, point)
    assert desk.start(mine, {"loss": "l1", "x": 0.5}, cursor).trial is None
    started = desk.storage.start(desk.study, a_start(mine.number, point, unique=False), cursor)
    assert started.trial is not None


def test_a_finished_trial_at_the_same_point_does_not_refuse(desk: Desk) -> None:
    running, first = desk.run(), desk.run()
    desk.report(first)
    mine = desk.ask()
    cursor = desk.read().cursor
    desk.report(running)
    assert desk.start(mine, running.params, cursor).trial is not None


def test_a_repeated_start_answers_as_the_first_time(desk: Desk) -> None:
    mine = desk.ask()
    cursor = desk.read().cursor
    first = desk.start(mine, {"x": 0.1 + 0.2}, cursor)
    assert desk.start(mine, {"x": 0.1 + 0.2}, cursor) == first
    with pytest.raises(TrialError, match="cannot start"):
        desk.start(mine, {"x": 0.3}, cursor)


def test_who_lost_the_lease_cannot_start(desk: Desk) -> None:
    mine = desk.ask()
    desk.hand_on(mine)
    with pytest.raises(TrialError, match="attempt 1 cannot start"):
        desk.start(mine)
    again = desk.ask()
    with pytest.raises(TrialError, match="attempt 1 cannot start"):
        desk.start(mine)
    assert desk.start(again).trial is not None


def test_a_finished_trial_cannot_start(desk: Desk) -> None:
    trial = desk.run()
    desk.report(trial)
    with pytest.raises(TrialError, match="completed"):
        desk.start(trial)
    with pytest.raises(TrialError, match="no trial 5"):
        desk.storage.start(desk.study, a_start(5, {}), 0)


def test_what_cannot_be_stored_is_refused_before_anything_changes(desk: Desk) -> None:
    mine = desk.ask()
    before = desk.read()
    with pytest.raises(TrialError, match="JSON"):
        desk.start(mine, {"x": float("nan")})
    with pytest.raises(TrialError, match="JSON"):
        desk.storage.start(desk.study, a_start(0, {}, diagnostics=modelled(1.0, sd=float("inf"))), 0)
    with pytest.raises(TrialError, match="64 bits"):
        desk.storage.start(desk.study, a_start(0, {}, 2**63), before.cursor)
    assert desk.read() == before
