"""A choice of a classifier, and its hyperparameters, on the handwritten digits that come with scikit-learn.

Is the digit even? A support vector machine (with one of two kernels), a random forest or boosted trees learn it from
240 of the 1797 images and are tested on the other 1557, three times with other 240: the reverse of threefold
cross-validation, so that an evaluation takes some hundredths of a second and the error still has 4671 levels. Splits
and seeds are fixed, so it is a deterministic function. Nothing is tabulated or cached. The optimum is agreed to be 0,
which no classifier attains: the regret is the error itself.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from nonstop.errors import MissingExtraError
from nonstop_bench.spaces.declared import Choice, Declared, Number, Params
from nonstop_bench.spaces.task import SpaceTask

ROWS, SPLITS, SEED = 240, 3, 0

_KERNELS = Choice(
    {
        "rbf": {"gamma": Number(1e-5, 1.0, log=True)},
        "poly": {"degree": Number(2, 5, whole=True), "scale": Number(1e-4, 1.0, log=True)},
    }
)
MODELS = Choice(
    {
        "forest": {
            "trees": Number(2, 30, log=True, whole=True),
            "features": Number(0.05, 1.0),
            "leaf": Number(1, 20, log=True, whole=True),
        },
        "svm": {"C": Number(1e-3, 1e3, log=True), "kernel": _KERNELS},
        "boosting": {
            "rounds": Number(5, 50, log=True, whole=True),
            "rate": Number(1e-2, 1.0, log=True),
            "depth": Number(1, 5, whole=True),
            "subsample": Number(0.2, 1.0),
        },
    }
)


def error(params: Params) -> float:
    """The share of the tested images that are classified wrongly."""
    return float(np.mean([_wrong(_model(params), *split) for split in _splits()]))


def _wrong(model: Any, X: Any, y: Any, X_test: Any, y_test: Any) -> float:
    return float(np.mean(model.fit(X, y).predict(X_test) != y_test))


def _model(p: Params) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.svm import SVC

    if p["model"] == "forest":
        return RandomForestClassifier(
            n_estimators=p["trees"], max_features=p["features"], min_samples_leaf=p["leaf"], random_state=SEED
        )
    if p["model"] == "boosting":
        return GradientBoostingClassifier(
            n_estimators=p["rounds"],
            learning_rate=p["rate"],
            max_depth=p["depth"],
            subsample=p["subsample"],
            max_features="sqrt",
            random_state=SEED,
        )
    if p["kernel"] == "poly":
        return SVC(C=p["C"], kernel="poly", degree=p["degree"], gamma=p["scale"], coef0=1.0)
    return SVC(C=p["C"], kernel="rbf", gamma=p["gamma"])


@lru_cache(maxsize=1)
def _splits() -> list[tuple[Any, Any, Any, Any]]:
    """(images, labels, tested images, their labels) of every split."""
    try:
        from sklearn.datasets import load_digits
    except ImportError as missing:
        raise MissingExtraError("choosing a classifier", "bench", "nonstop-bench") from missing
    X, y = load_digits(return_X_y=True)
    X, even = X / 16.0, y % 2 == 0
    order = np.random.default_rng(SEED).permutation(len(X))
    parts = [order[i * ROWS : (i + 1) * ROWS] for i in range(SPLITS)]
    rests = [np.setdiff1d(order, part) for part in parts]
    return [(X[part], even[part], X[rest], even[rest]) for part, rest in zip(parts, rests, strict=True)]


CLASSIFIER = SpaceTask("classifier", Declared({"model": MODELS}), error, optimum=0.0)
