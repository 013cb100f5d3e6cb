"""Asked trials: held until they are told, given back, or expired by a lease of their own."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

import nonstop
from nonstop.errors import StudyError, TrialError
from nonstop.storage.schema import results
from nonstop.storage.sql import SqlStorage
from nonstop.trials.messages import Pulse
from nonstop.trials.trial import Trial, TrialState
from nonstop.workers.lease import Heart, Lease, LeaseWatch
from tests.helpers.clocks import HandClock

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
ASKED = Pulse(0, 1, 0, "me", 4.0)


def a_study(url: str | None = None) -> nonstop.Study:
    return nonstop.create_study(url, "demo", space=SPACE)


def watched(study: nonstop.Study, seconds: float, lease: float = 1.0) -> None:
    """What a worker on the same study sees and does for so long."""
    clock = HandClock()
    heart = Heart(study.storage, study.id, Lease(lease), clock)
    for _ in range(int(seconds / lease * 4) + 1):
        heart.beat([])
        clock.time += lease / 4


def test_an_asked_trial_is_held_until_it_is_told() -> None:
    study = a_study()
    trial = study.ask("me")
    watched(study, 100.0)
    assert study.trials[0].state is TrialState.RUNNING
    assert study.tell(trial, 0.5).attempt == 1


def test_an_asked_trial_expires_by_a_lease_of_its_own() -> None:
    study = a_study()
    trial = study.ask("me", lease=5.0)
    watched(study, 4.0)
    assert study.trials[0].state is TrialState.RUNNING
    watched(study, 6.0)
    handed_on = study.trials[0]
    assert (handed_on.state, handed_on.attempt, handed_on.lease) == (TrialState.WAITING, 2, None)
    assert study.tell(trial, 0.5).value == 0.5, "a late value counts while there is no other"


def test_without_workers_the_next_ask_hands_on_what_expired(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = HandClock()
    monkeypatch.setattr("nonstop.study.WallClock", lambda: clock)
    study = a_study()
    first = study.ask("me", lease=5.0)
    assert study.ask().number == 1
    clock.time += 6.0
    again = study.ask("other")
    assert (again.number, again.attempt, again.params) == (0, 2, first.params)


@pytest.mark.parametrize("lease", [0.0, -1.0, math.nan, math.inf, "5", True])
def test_a_lease_that_is_no_duration_is_refused(lease: object) -> None:
    study = a_study()
    with pytest.raises(StudyError, match="lease must be a number of seconds > 0"):
        study.ask(lease=lease)  # type: ignore[arg-type]
    assert study.trials == ()


def test_a_trial_given_back_is_the_next_one() -> None:
    study = a_study()
    trial = study.ask("me")
    given = study.give_back(trial)
    assert (given.state, given.attempt, given.worker) == (TrialState.WAITING, 2, None)
    assert study.give_back(trial) == given, "given back twice is given back once"
    again = study.ask("other")
    assert (again.number, again.params) == (trial.number, trial.params)
    assert study.give_back(again.number).attempt == 3
    study.tell(study.ask(), 1.0)
    with pytest.raises(TrialError, match="trial 0 was told before: it is completed"):
        study.give_back(0)
    with pytest.raises(TrialError, match="no trial 9"):
        study.give_back(9)


def test_giving_back_what_another_holds_by_now_changes_nothing() -> None:
    study = a_study()
    mine = study.ask("me")
    study.give_back(mine)
    study.ask("other")
    assert study.give_back(mine).worker == "other"


def test_a_late_value_is_logged_before_it_is_refused(tmp_path: Path) -> None:
    """As when the trial was handed on to a worker, which was faster."""
    study = a_study(f"sqlite:///{tmp_path / 'runs.db'}")
    mine = study.ask("me", lease=1.0)
    watched(study, 2.0)
    study.tell(study.ask("other"), 0.25)
    with pytest.raises(TrialError, match="trial 0 was told before: it is completed"):
        study.tell(mine, 0.75)
    assert study.best_value == 0.25
    storage = study.storage
    assert isinstance(storage, SqlStorage)
    rows = storage._database.read(lambda connection: connection.execute(results.select()).all())
    assert sorted((row.value, row.counted) for row in rows) == [("0.25", True), ("0.75", False)]
    storage.close()


def test_a_value_that_loses_a_race_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one tells between our look and our report."""
    study = a_study()
    trial = study.ask()
    known = study._known

    def look(asked: Trial | int) -> Trial:
        found = known(asked)
        nonstop.load_study(study.storage, "demo").tell(trial, 0.25)
        return found

    monkeypatch.setattr(study, "_known", look)
    with pytest.raises(TrialError, match="told before"):
        study.tell(trial, 0.75)
    assert study.best_value == 0.25


def test_an_own_lease_outlasts_a_stall_of_its_observer() -> None:
    """There is no heartbeat that the stall could have kept from us."""
    watch, beating = LeaseWatch(1.0), replace(ASKED, lease=None)
    assert watch.expired([ASKED, beating], 100.0) == []
    assert watch.expired([ASKED, beating], 500.0) == [ASKED]


def test_a_storage_that_answers_slowly_does_not_keep_the_dead_alive() -> None:
    """Every look takes longer than half a lease: the observer is slow, not stalled."""
    watch, silent = LeaseWatch(2.0), Pulse(0, 1, 7, "dead")
    found = [bool(watch.expired([silent], 100.0 + 2.1 * look)) for look in range(4)]
    assert found == [False, False, True, True]


def test_a_live_worker_behind_a_slow_storage_is_left_alone() -> None:
    watch = LeaseWatch(2.0)
    assert not any(watch.expired([Pulse(0, 1, beat, "alive")], 100.0 + 2.1 * beat) for beat in range(50))
