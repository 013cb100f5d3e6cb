"""Nine hyperparameters of XGBoost on the breast cancer data that come with scikit-learn (569 rows, 30 columns).

The objective is minus the mean accuracy over five stratified folds, which are shuffled once, with seed 42; the optimum
is agreed to be -1, which no classifier attains. The ranges are those of the paper's code, all of them linear, although
a practitioner would search most of them on a log scale: with gamma, alpha and lambda up to 100, nine of ten uniform
points learn nothing and score the share of the larger class, 0.627. Counts are integers here; the paper rounds
reals down. One thread and fixed seeds make it a deterministic function.

Virtual seconds are the work of training: trees times (3 + levels), where levels past the fourth are free because trees
on 455 rows hardly grow deeper, divided by the mean over the space, so that an evaluation takes 1 s on average.
Measured on one core: per tree, unregularised trees of 4 levels take 1.73 times as long as those of one (7/4 here) and
those of 100 levels 1.06 times as long as those of 4. Over 300 uniform points of the bounded task, where few trees grow,
the correlation of virtual with processor time is 0.84; an evaluation takes 72 ms of it on average and 253 ms at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

import nonstop
from nonstop.errors import MissingExtraError
from nonstop.space.encoding import decode
from nonstop_bench.durations import Array
from nonstop_bench.problems.task import BlackBox

FOLDS, SPLIT_SEED, SEED = 5, 42, 0
MAX_DEPTH = 100
#: Deeper levels cost nothing more, and the rest of a tree's cost is that of three levels.
COSTLY_LEVELS, BASE_LEVELS = 4, 3

#: The bounds of the paper; n_estimators differs between the two tasks.
FLOATS = {
    "learning_rate": (0.001, 0.99),
    "subsample": (0.01, 0.99),
    "colsample_bytree": (0.01, 0.99),
    "colsample_bynode": (0.01, 0.99),
    "gamma": (0.0, 100.0),
    "reg_alpha": (0.0, 100.0),
    "reg_lambda": (0.0, 100.0),
}


def full() -> BlackBox:
    """The paper's: up to 50000 trees, so that an evaluation takes some 10 seconds."""
    return _task("xgboost", 50_000)


def bounded() -> BlackBox:
    """At most 300 trees: the same landscape for a fraction of a second."""
    return _task("xgboost-300", 300)


def accuracy(params: Mapping[str, Any]) -> float:
    """The mean over the folds of the share of held-out rows that are classified rightly."""
    xgboost = _xgboost()
    settings = {**params, "objective": "binary:logistic", "nthread": 1, "seed": SEED}
    trees = settings.pop("n_estimators")
    shares = []
    for training, held_out, labels in _folds():
        model = xgboost.train(settings, training, num_boost_round=trees)
        shares.append(np.mean((model.predict(held_out) > 0.5) == labels))
    return float(np.mean(shares))


def work(trees: int, depth: int) -> float:
    """In units of one level of one tree."""
    return float(trees * (BASE_LEVELS + min(depth, COSTLY_LEVELS)))


def _task(name: str, most_trees: int) -> BlackBox:
    space = nonstop.Space(
        {
            **{name: nonstop.Float(low, high) for name, (low, high) in FLOATS.items()},
            "n_estimators": nonstop.Int(1, most_trees),
            "max_depth": nonstop.Int(1, MAX_DEPTH),
        }
    )
    # The mean of a product of two independent uniform integers.
    mean_work = (1 + most_trees) / 2 * float(np.mean([work(1, depth) for depth in range(1, MAX_DEPTH + 1)]))

    def function(params: Mapping[str, object]) -> float:
        return -accuracy(params)

    def duration(rng: np.random.Generator, x: Array) -> float:  # noqa: ARG001
        params: dict[str, Any] = decode(space, x)
        return work(params["n_estimators"], params["max_depth"]) / mean_work

    return BlackBox(name, space, function, optimum=-1.0, duration=duration)


@lru_cache(maxsize=1)
def _folds() -> list[tuple[Any, Any, Array]]:
    """(training matrix, held-out matrix, held-out labels) of every fold, binned once for all evaluations."""
    xgboost = _xgboost()
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import StratifiedKFold

    X, y = load_breast_cancer(return_X_y=True)
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=SPLIT_SEED).split(X, y)
    return [
        (xgboost.DMatrix(X[rows], y[rows], nthread=1), xgboost.DMatrix(X[others], nthread=1), y[others])
        for rows, others in splits
    ]


def _xgboost() -> Any:
    try:
        import sklearn  # noqa: F401
        import xgboost
    except ImportError as error:
        raise MissingExtraError("tuning XGBoost", "bench", "nonstop-bench") from error
    return xgboost
