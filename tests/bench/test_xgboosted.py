"""The XGBoost tasks against scikit-learn's own cross-validation, and their virtual clock."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop.errors import MissingExtraError, ParamsError
from nonstop.space.encoding import cube_of, encode
from nonstop_bench.problems.task import BlackBox
from nonstop_bench.problems.xgboosted import accuracy, bounded, full

GOOD: dict[str, Any] = {
    "learning_rate": 0.3,
    "subsample": 0.8,
    "colsample_bytree": 0.7,
    "colsample_bynode": 0.6,
    "gamma": 0.1,
    "reg_alpha": 0.05,
    "reg_lambda": 1.0,
    "n_estimators": 40,
    "max_depth": 4,
}


def seconds(task: BlackBox, **changes: Any) -> float:
    assert task.duration is not None
    return task.duration(np.random.default_rng(0), encode(task.space, task.space.validate(GOOD | changes)))


def test_it_is_minus_the_accuracy_that_scikit_learn_finds() -> None:
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from xgboost import XGBClassifier

    X, y = load_breast_cancer(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=42)
    for changes in ({}, {"reg_lambda": 60.0, "subsample": 0.3}, {"gamma": 80.0}):
        params = GOOD | changes
        model = XGBClassifier(**params, n_jobs=1)
        expected = float(np.mean(cross_val_score(model, X, y, cv=folds, scoring="accuracy")))
        assert bounded().objective(params) == pytest.approx(-expected, abs=1e-12)


def test_good_parameters_are_good_and_heavy_regularization_learns_nothing() -> None:
    task = bounded()
    assert -1.0 < task.objective(GOOD) < -0.95
    assert 0.0 < task.regret(task.objective(GOOD)) < 0.05
    majority = task.objective(GOOD | {"gamma": 100.0, "reg_alpha": 100.0, "reg_lambda": 100.0})
    assert majority == pytest.approx(-357 / 569, abs=1e-3)


def test_the_same_params_give_the_same_value() -> None:
    assert accuracy(GOOD) == accuracy(dict(GOOD))
    assert accuracy(GOOD) != accuracy(GOOD | {"learning_rate": 0.001, "n_estimators": 1})


def test_the_spaces_are_the_papers_but_for_the_trees() -> None:
    assert bounded().dim == full().dim == 9
    assert bounded().space["n_estimators"] == nonstop.Int(1, 300)
    assert full().space["n_estimators"] == nonstop.Int(1, 50_000)
    assert full().space["learning_rate"] == nonstop.Float(0.001, 0.99)
    assert full().space["gamma"] == nonstop.Float(0.0, 100.0)
    assert full().space["max_depth"] == nonstop.Int(1, 100)
    assert {**bounded().space, "n_estimators": None} == {**full().space, "n_estimators": None}
    assert bounded().objective(GOOD) == full().objective(GOOD)
    with pytest.raises(ParamsError, match="n_estimators"):
        bounded().objective(GOOD | {"n_estimators": 301})


@pytest.mark.parametrize("task", [bounded(), full()], ids=lambda task: task.name)
def test_virtual_time_has_mean_one(task: BlackBox) -> None:
    assert task.duration is not None
    points = cube_of(task.space).spread(np.random.default_rng(0).random((4000, task.dim)))
    times = [task.duration(np.random.default_rng(0), x) for x in points]
    assert np.mean(times) == pytest.approx(1.0, abs=0.03)
    assert min(times) > 0.0


def test_virtual_time_is_the_work_of_training() -> None:
    task = bounded()
    assert seconds(task, n_estimators=80) == pytest.approx(2 * seconds(task, n_estimators=40))
    by_depth = [seconds(task, max_depth=depth) for depth in (1, 2, 3, 4)]
    np.testing.assert_allclose(np.array(by_depth) / by_depth[0], [1.0, 1.25, 1.5, 1.75])
    assert seconds(task, max_depth=100) == by_depth[-1]
    assert seconds(task, learning_rate=0.9) == seconds(task)


def test_without_the_packages_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(MissingExtraError, match=r"bench\[bench\]"):
        bounded().objective(GOOD)
