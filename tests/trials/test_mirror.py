"""A mirror shows the same, whether it heard of everything at once or bit by bit, and whenever it is asked."""

from __future__ import annotations

import numpy as np

import nonstop
from nonstop.space.encoding import encode
from nonstop.trials.messages import Request
from nonstop.trials.mirror import Mirror
from nonstop.trials.trial import TrialState

SPACE = nonstop.Space({"x": nonstop.Float(1e-3, 10.0, log=True), "n": nonstop.Int(1, 99, log=True)})


def a_study() -> nonstop.Study:
    """Forty trials that ended in another order than they began, some of them failed, two that wait and two that run."""
    study = nonstop.create_study(None, space=SPACE, rule="random", seed=1)
    trials = [study.ask() for _ in range(42)]
    for trial in trials[39::-1]:
        study.tell(trial, *((None, "failed") if trial.number % 7 == 0 else (float(trial.number),)))
    study.enqueue({"x": 1.0, "n": 5})
    study.enqueue({"x": 2.0, "n": 6})
    return study


def test_points_are_the_encoded_params_in_the_order_asked_for() -> None:
    study = a_study()
    mirror = Mirror(SPACE)
    mirror.apply(study.storage.exchange(study.id, 0).changes)
    X, y = mirror.data(mirror.version)
    done = sorted((trial for trial in study.trials if trial.order is not None), key=lambda trial: trial.order or 0)
    assert y.tolist() == [trial.value for trial in done]
    assert np.array_equal(X, [encode(SPACE, trial.params or {}) for trial in done])
    assert [len(part) for part in mirror.data(5)] == [5, 5]
    numbers = [41, 0, 43, 7]
    assert np.array_equal(mirror.points(numbers), [encode(SPACE, study.trials[n].params or {}) for n in numbers])
    assert mirror.points([]).shape == (0, 2)


def test_news_bit_by_bit_are_the_news_at_once() -> None:
    study = a_study()
    whole, parts = Mirror(SPACE), Mirror(SPACE)
    news = study.storage.exchange(study.id, 0).changes
    whole.apply(news)
    for i, trial in enumerate(news):
        parts.apply([trial])
        if i % 3 == 0:
            parts.data(parts.version)
    assert parts.trials == whole.trials
    for some, every in zip(parts.data(parts.version), whole.data(whole.version), strict=True):
        assert np.array_equal(some, every)
    running = whole.numbers(TrialState.RUNNING, TrialState.WAITING)
    assert np.array_equal(parts.points(running), whole.points(running))


def test_a_trial_without_params_has_no_point() -> None:
    study = nonstop.create_study(None, space=SPACE, seed=1)
    study.storage.exchange(study.id, 0, request=Request("a", "me"))
    mirror = Mirror(SPACE)
    mirror.apply(study.storage.exchange(study.id, 0).changes)
    assert mirror.points([0]).shape == (0, 2)
