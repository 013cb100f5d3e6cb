"""scikit-learn's own tests of searches, unmodified: NonstopSearchCV stands for GridSearchCV and RandomizedSearchCV."""

from __future__ import annotations

import importlib
import os
from unittest.mock import patch

import pytest

from tests.integrations.hosts import host

host("sklearn")
from tests.integrations.sklearn_own import Grid, Randomized  # noqa: E402

#: They make no search, or need what NonstopSearchCV does not promise.
LEFT_OUT = {
    "test_validate_parameter_input": "of ParameterGrid and ParameterSampler",
    "test_parameter_grid": "of ParameterGrid",
    "test_param_sampler": "of ParameterSampler",
    "test_parameters_sampler_replacement": "of ParameterSampler",
    "test_yield_masked_array_for_each_param": "of a helper",
    "test_yield_masked_array_no_runtime_warning": "of a helper",
    "test__custom_fit_no_run_search": "of classes that extend BaseSearchCV",
    "test_custom_run_search": "of classes that extend BaseSearchCV",
    "test_array_api_search_cv_classifier": "needs torch, CuPy or dpnp",
    "test_no_refit": "has an empty grid: a space has at least one parameter",
    "test_predict_proba_disabled": "has an empty grid: a space has at least one parameter",
    "test_grid_search_bad_param_grid": "is about the messages for bad grids: a space has its own",
}
#: `make test-integrations` runs them.
SLOW = {"test_search_with_2d_array", "test_random_search_cv_results"}


def own_tests() -> dict[str, object]:
    """The tests by name. They get hold of the classes when they are imported."""
    selection = importlib.import_module("sklearn.model_selection")
    with patch.object(selection, "GridSearchCV", Grid), patch.object(selection, "RandomizedSearchCV", Randomized):
        module = importlib.import_module("sklearn.model_selection.tests.test_search")
    left_out = LEFT_OUT.keys() | (set() if os.environ.get("NONSTOP_HOSTS") == "all" else SLOW)
    return {name: value for name, value in vars(module).items() if name.startswith("test_") and name not in left_out}


globals().update(own_tests())
pytestmark = pytest.mark.filterwarnings("default")
