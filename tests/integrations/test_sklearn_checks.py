"""What scikit-learn checks of every estimator, and of every meta-estimator that routes metadata, by its own tests."""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import nonstop
from tests.integrations.hosts import host

sklearn = host("sklearn")
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from nonstop.integrations.sklearn import NonstopSearchCV  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


def outcomes(estimator: Any) -> dict[str, str]:
    """The checks that do not pass, by name; every one of them is run."""
    if "on_fail" in inspect.signature(check_estimator).parameters:  # from scikit-learn 1.6
        done = check_estimator(estimator, on_fail=None)
        assert len(done) > 40
        return {check["check_name"]: check["status"] for check in done if check["status"] != "passed"}
    found = {}
    pairs = list(check_estimator(estimator, generate_only=True))
    assert len(pairs) > 30
    for instance, check in pairs:
        try:
            check(instance)
        except BaseException as error:  # SkipTest is none of Exception's in some versions
            found[check.func.__name__] = "skipped" if "Skip" in type(error).__name__ else "failed"
    return found


@pytest.mark.parametrize(
    ("model", "name"), [(LogisticRegression(), "C"), (Ridge(), "alpha")], ids=["classes", "numbers"]
)
def test_nothing_fails_that_passes_for_grid_search(model: Any, name: str) -> None:
    common: dict[str, Any] = {"cv": 2, "error_score": "raise"}
    space = {name: nonstop.Float(0.1, 1.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grid = outcomes(GridSearchCV(model, {name: [0.1, 1.0]}, **common))
        own = outcomes(NonstopSearchCV(model, space, n_iter=2, random_state=0, **common))
    assert own == grid
    assert "failed" not in own.values() or name == "alpha"  # which scikit-learn expects of GridSearchCV too


ROUTING = importlib.import_module("sklearn.tests.test_metaestimators_metadata_routing")
#: As the entries of GridSearchCV and RandomizedSearchCV in scikit-learn's list.
ENTRY: dict[str, Any] = {
    **next(row for row in ROUTING.METAESTIMATORS if row["metaestimator"] is GridSearchCV),
    "metaestimator": NonstopSearchCV,
    "init_args": {"space": {"alpha": nonstop.Float(0.1, 0.2)}, "n_iter": 2, "random_state": 0},
}
ROUTING_TESTS = [
    test
    for name, test in vars(ROUTING).items()
    if name.startswith("test_") and "metaestimator" in inspect.signature(test).parameters
]


@pytest.mark.parametrize("test", ROUTING_TESTS, ids=lambda test: test.__name__)
def test_metadata_is_routed(test: Callable[[dict[str, Any]], None]) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        test({**ENTRY, "init_args": dict(ENTRY["init_args"])})


def test_these_are_the_tests_of_the_routing() -> None:
    assert len(ROUTING_TESTS) >= 5
