"""Failed trials, tried again as new ones; and what the model makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import nonstop
from nonstop.trials.replay import replay
from nonstop.trials.trial import TrialState

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})


@pytest.fixture
def study() -> nonstop.Study:
    """Six trials: the first three failed, two of them because of the disk."""
    study = nonstop.create_study(space=SPACE, initial=2)
    for reason in ("disk full", "diverged", "the disk is gone"):
        study.tell(study.ask(), state="failed", reason=reason)
    for value in (0.5, 0.3, 0.7):
        study.tell(study.ask(), value)
    return study


def test_all_failed_trials_are_enqueued_once(study: nonstop.Study) -> None:
    new = study.retry()
    assert [trial.notes for trial in new] == [{"retry_of": 0}, {"retry_of": 1}, {"retry_of": 2}]
    assert [trial.params for trial in new] == [study.trials[number].params for number in range(3)]
    assert {trial.state for trial in new} == {TrialState.WAITING}
    assert study.retry() == ()
    assert [trial.state.value for trial in study.trials[:3]] == ["failed"] * 3, "results are never changed"


def test_some_of_them(study: nonstop.Study) -> None:
    assert [trial.notes["retry_of"] for trial in study.retry(reason="disk")] == [0, 2]
    assert [trial.notes["retry_of"] for trial in study.retry([1, 1])] == [1]
    with pytest.raises(nonstop.TrialError, match="trial 1 was retried before, as trial 8"):
        study.retry([1])
    assert [trial.notes["retry_of"] for trial in study.retry([1], again=True)] == [1]
    assert len(study.retry(again=True)) == 3
    for number, said in ((3, "trial 3 is completed"), (99, "no trial 99"), ("x", "must be a nonstop.Trial")):
        with pytest.raises(nonstop.TrialError, match=said):
            study.retry([number])  # type: ignore[list-item]


def test_a_retry_that_failed_is_what_is_retried_next(study: nonstop.Study) -> None:
    study.retry([1])
    again = study.ask()
    study.tell(again, state="failed", reason="diverged again")
    assert [trial.notes["retry_of"] for trial in study.retry(reason="diverged")] == [again.number]


def test_two_who_retry_at_the_same_time_retry_once(study: nonstop.Study) -> None:
    other = nonstop.Study(study.storage, study.storage.load_study(study.name), study.spec)
    before = other.trials
    first = study.retry()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nonstop.Study, "trials", property(lambda _self: before))
        assert other.retry() == first


def test_notes_of_the_evaluation_stand_beside_the_link(study: nonstop.Study) -> None:
    study.retry([0])
    told = study.tell(study.ask(), 0.4, notes={"epochs": 3})
    assert told.notes == {"retry_of": 0, "epochs": 3}


def test_a_success_at_a_failed_point_is_no_failure_any_more() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.random((20, 2)), rng.random(20)
    failed = rng.random((6, 2))
    for rule in ("ucb", "kb-logei"):
        both = nonstop.propose(X, y, rule=rule, seed=1, failed=np.concatenate([failed[:3], X[[4]], failed[3:]]))
        alone = nonstop.propose(X, y, rule=rule, seed=1, failed=failed)
        assert both.x.tobytes() == alone.x.tobytes()
        assert both.success == alone.success
        told = nonstop.propose([*X, *failed, X[4]], [*y, *[np.nan] * 7], rule=rule, seed=1)
        assert told.x.tobytes() == alone.x.tobytes()
    only = nonstop.propose(X, y, seed=1, failed=X[[4]])
    plain = nonstop.propose(X, y, seed=1)
    assert (only.x.tobytes(), only.success) == (plain.x.tobytes(), 1.0)


def test_a_study_with_retries_replays(study: nonstop.Study) -> None:
    study.retry()
    for value in (0.6, 0.2, 0.9, 0.4, 0.1):
        study.tell(study.ask(), value)
    report = replay(study.spec, study.trials)
    assert report.identical
    assert (report.outside, report.model_based) == (3, 6)
