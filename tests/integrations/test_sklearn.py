"""NonstopSearchCV: a search that never waits, with everything that RandomizedSearchCV has."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import nonstop
from tests.integrations.hosts import host

host("sklearn")
import joblib  # noqa: E402
import scipy.stats  # noqa: E402
from joblib.parallel import get_active_backend  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GroupKFold, RandomizedSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402

from nonstop.integrations.sklearn import NonstopSearchCV, count_of  # noqa: E402
from tests.integrations.sklearn_models import ONE_SPLIT, Failing, HeldBack, Notes, Noting, X, Y  # noqa: E402

SPACE = {"x": nonstop.Float(0.0, 1.0)}


def search(notes: Notes | None = None, **options: Any) -> NonstopSearchCV:
    options = {"space": SPACE, "n_iter": 8, "cv": ONE_SPLIT, "random_state": 0, **options}
    return NonstopSearchCV(Noting(notes=notes), **options)


def test_the_next_candidate_does_not_wait_for_the_slowest_on_joblib() -> None:
    notes = HeldBack(others=7)
    with joblib.parallel_config("threading", n_jobs=2):
        found = search(notes).fit(X, Y)
    assert notes.in_time  # in batches of two, only one other would have begun
    assert len(found.cv_results_["params"]) == 8


def test_nor_on_an_executor() -> None:
    notes = HeldBack(others=7)
    with ThreadPoolExecutor(2) as executor:
        search(notes, executor=executor).fit(X, Y)
    assert notes.in_time


def test_a_candidate_is_proposed_from_all_that_is_known() -> None:
    """The version of the data that a trial was proposed from is the number of results that there were."""
    assert [trial.version for trial in search().fit(X, Y).study_.trials] == list(range(8))
    notes = HeldBack(others=7)
    with joblib.parallel_config("threading", n_jobs=2):
        trials = search(notes).fit(X, Y).study_.trials
    assert [trial.version for trial in trials] == [0, 0, 1, 2, 3, 4, 5, 6]


def test_free_jobs_take_splits_of_the_candidate_under_way_before_the_next_candidate() -> None:
    notes = Notes()
    with joblib.parallel_config("threading", n_jobs=2):
        search(notes, cv=3, n_iter=4, refit=False).fit(X, Y)
    order = [model["x"] for model in notes.begun]
    assert len(order) == 12
    for place, x in enumerate(dict.fromkeys(order)):  # at most two are under way, so none begins early
        assert 3 * place - 1 <= order.index(x) <= 3 * place + 1


def test_candidates_under_way_are_busy_points() -> None:
    with joblib.parallel_config("threading", n_jobs=2):
        trials = search(HeldBack(others=7)).fit(X, Y).study_.trials
    busy = [trial.diagnostics.busy for trial in trials[2:] if trial.diagnostics]
    assert busy in ([(0,)] * 6, [(1,)] * 6)  # the one that is held back is whichever began first


def test_it_finds_the_best() -> None:
    found = search(n_iter=20).fit(X, Y)
    assert found.best_params_["x"] == pytest.approx(0.3, abs=0.02)
    assert found.best_score_ == found.study_.best_value
    assert found.best_estimator_.x == found.best_params_["x"]


def test_one_job_and_a_random_state_are_reproducible() -> None:
    one, same, other = (search(random_state=state).fit(X, Y).cv_results_["params"] for state in (1, 1, 2))
    assert one == same != other
    assert search(random_state=np.random.RandomState(1)).fit(X, Y).cv_results_["params"] == one


def test_the_results_have_the_form_of_those_of_randomized_search() -> None:
    for scoring in (None, ["accuracy", "f1"]):
        options: dict[str, Any] = {"cv": 3, "return_train_score": True, "scoring": scoring, "n_iter": 4}
        options["refit"] = "f1" if scoring else True
        own = NonstopSearchCV(LogisticRegression(), {"C": nonstop.Float(0.1, 10.0)}, **options).fit(X, Y)
        other = RandomizedSearchCV(LogisticRegression(), {"C": scipy.stats.uniform(0.1, 10)}, **options).fit(X, Y)
        forms = [{key: np.asarray(value).dtype for key, value in one.cv_results_.items()} for one in (own, other)]
        assert forms[0] == forms[1]
        assert own.n_splits_ == 3
        assert own.multimetric_ is other.multimetric_


def test_parameters_that_are_inactive_are_not_set() -> None:
    kinds = {"a": nonstop.Space({"x": nonstop.Float(0.0, 1.0)}), "b": nonstop.Space({"depth": nonstop.Int(2, 9)})}
    found = search(space=nonstop.Space({"kind": nonstop.Categorical(kinds)})).fit(X, Y)
    params = found.cv_results_["params"]
    assert {tuple(one) for one in params} == {("kind", "x"), ("kind", "depth")}
    assert list(found.cv_results_["param_x"].mask) == ["x" not in one for one in params]


def test_choices_may_stand_for_objects_in_a_pipeline() -> None:
    models = {"svc": SVC(), "logistic": LogisticRegression()}
    inner = {"svc": nonstop.Space({"model__C": nonstop.Float(0.1, 10.0, log=True)}), "logistic": None}
    pipeline = Pipeline([("scale", StandardScaler()), ("model", SVC())])
    options: dict[str, Any] = {"n_iter": 6, "cv": 2, "random_state": 0}
    space = {"model": nonstop.Categorical(inner)}
    found = NonstopSearchCV(pipeline, space, objects={"model": models}, **options).fit(X, Y)
    assert {type(one["model"]) for one in found.cv_results_["params"]} == {SVC, LogisticRegression}
    assert {trial.params["model"] for trial in found.study_.trials if trial.params} == {"svc", "logistic"}
    assert found.best_estimator_["model"] is not models["svc"]  # it is a copy
    with pytest.raises(nonstop.SpaceError, match="nothing is given for 'model' = 'logistic'"):
        NonstopSearchCV(pipeline, space, objects={"model": {"svc": SVC()}}, **options).fit(X, Y)
    with pytest.raises(nonstop.SpaceError, match="objects: got 'modle'"):
        NonstopSearchCV(pipeline, space, objects={"modle": models}, **options).fit(X, Y)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"C": [1, 10]}, r"parameter 'C': got \[1, 10\], expected nonstop.Categorical\(\[1, 10\]\)"),
        ({"C": scipy.stats.loguniform(0.1, 10)}, r"expected nonstop.Float\(0.1, 10.0, log=True\)"),
        ({"C": scipy.stats.uniform(1, 2)}, r"expected nonstop.Float\(1.0, 3.0\)"),
        ({"C": scipy.stats.randint(1, 5)}, r"expected nonstop.Int\(1, 4\)"),
        ([{"C": nonstop.Float(0.1, 1)}], "space must be a nonstop.Space, or a mapping"),
        ({"C": 3}, "expected a Float, Int or Categorical"),
    ],
)
def test_what_is_no_space_is_refused_with_the_way_to_write_it(wrong: Any, message: str) -> None:
    with pytest.raises(nonstop.SpaceError, match=message):
        NonstopSearchCV(SVC(), wrong).fit(X, Y)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(nonstop.StudyError, match="n_iter must be an integer from 1"):
        search(n_iter=0).fit(X, Y)
    with pytest.raises(nonstop.StudyError, match="executor must be"):
        search(executor=3).fit(X, Y)
    with pytest.raises(nonstop.StudyError, match="needs a study_name"):
        search(storage="sqlite:///:memory:").fit(X, Y)
    with pytest.raises(ValueError, match="Invalid parameter 'nothing'"):
        search(space={"nothing": nonstop.Float(0.0, 1.0)}, error_score="raise").fit(X, Y)


def test_a_candidate_that_fails_is_a_failed_trial() -> None:
    with pytest.warns(match="fits failed"):
        found = search(Failing(0.5, ValueError("too large")), error_score=-9.0, n_iter=12).fit(X, Y)
    failed = [trial for trial in found.study_.trials if trial.state == "failed"]
    assert {trial.reason for trial in failed} == {"split 0: ValueError: too large"}
    assert all(trial.params is not None and trial.params["x"] > 0.5 for trial in failed)
    scores = dict(
        zip([one["x"] for one in found.cv_results_["params"]], found.cv_results_["mean_test_score"], strict=True)
    )
    assert {x for x, score in scores.items() if score == -9.0} == {
        trial.params["x"] for trial in failed if trial.params
    }
    assert 0 < len(failed) < 7  # half of the points would fail by chance; the model learns


def test_scores_that_are_no_numbers_are_failures_too() -> None:
    def score(model: Any, _X: Any, _y: Any) -> float:
        return float("nan") if model.x > 0.5 else model.x

    with pytest.warns(match="non-finite"):
        found = search(scoring=score).fit(X, Y)
    states = {trial.state.value for trial in found.study_.trials if trial.params and trial.params["x"] > 0.5}
    assert states == {"failed"}
    assert "no finite number" in next(trial.reason or "" for trial in found.study_.trials if trial.state == "failed")


def test_errors_are_raised_if_asked_for() -> None:
    with pytest.raises(ZeroDivisionError):
        search(Failing(0.5, ZeroDivisionError()), error_score="raise").fit(X, Y)
    with joblib.parallel_config("threading", n_jobs=2), pytest.raises(ZeroDivisionError):
        search(Failing(0.5, ZeroDivisionError()), error_score="raise").fit(X, Y)
    assert not type(get_active_backend()[0]).__name__.startswith("Nonstop")


@pytest.mark.parametrize(
    ("refit", "maximised"), [("low", "low"), ("high", "high"), (False, "high"), (lambda _: 0, "high")]
)
def test_of_several_scores_the_one_of_refit_or_the_first_is_maximised(refit: Any, maximised: str) -> None:
    scoring = {"high": lambda model, _X, _y: model.x, "low": lambda model, _X, _y: -model.x}
    found = search(scoring=scoring, refit=refit, n_iter=12).fit(X, Y)
    means = found.cv_results_[f"mean_test_{maximised}"]
    assert [trial.value for trial in found.study_.trials] == pytest.approx(list(means))
    assert found.study_.best_params["x"] == pytest.approx(1.0 if maximised == "high" else 0.0, abs=0.01)


def test_groups_reach_the_splitter() -> None:
    groups = np.arange(20) // 4
    assert search(cv=GroupKFold(5)).fit(X, Y, groups=groups).n_splits_ == 5
    with pytest.raises(ValueError, match="groups"):
        search(cv=GroupKFold(5)).fit(X, Y)


def test_a_space_with_fewer_points_is_tried_completely() -> None:
    space = {"depth": nonstop.Int(1, 3), "kind": nonstop.Categorical(["a", "b"])}
    with pytest.warns(UserWarning, match="the space has 6 points only, fewer than n_iter=8"):
        found = search(space=space).fit(X, Y)
    assert len({tuple(one.items()) for one in found.cv_results_["params"]}) == 6


def test_points_are_counted_through_nested_spaces() -> None:
    inner = nonstop.Space({"depth": nonstop.Int(1, 3), "kind": nonstop.Categorical(["a", "b"])})
    both = nonstop.Categorical({"u": inner, "v": None})
    assert count_of(nonstop.Space({"which": both, "n": nonstop.Int(1, 2)})) == 14
    assert count_of(nonstop.Space({"which": both, "x": nonstop.Float(0.0, 1.0)})) is None
    assert count_of(nonstop.Space({"n": nonstop.Int(1, 9)}, where="n > 3")) is None


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_fits_run_in_processes_of_joblib(backend: str) -> None:
    with joblib.parallel_config(backend, n_jobs=2):
        found = search(scoring=_process).fit(X, Y)
    assert os.getpid() not in found.cv_results_["mean_test_score"]


@pytest.mark.parametrize("slots", [1, 2])
def test_fits_run_in_the_processes_of_an_executor(slots: int) -> None:
    with ProcessPoolExecutor(slots) as executor:
        found = search(executor=executor, scoring=_process, n_iter=4).fit(X, Y)
        assert set(found.cv_results_["mean_test_score"]) <= set(map(float, executor._processes))


def _process(model: Any, _X: Any, _y: Any) -> float:
    return float(model.process_)


def test_fits_run_on_dask() -> None:
    distributed = host("distributed")
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with cluster, distributed.Client(cluster), joblib.parallel_config("dask"):
            found = search(cv=2).fit(X, Y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert len(found.study_.trials) == 8


def test_large_arrays_reach_processes_that_are_used_again() -> None:
    """joblib writes them to files of each Parallel, which it removes; the processes live on."""
    large = np.zeros((20, 20_000))
    for _ in range(2):
        joblib.Parallel(n_jobs=2)(joblib.delayed(np.sum)(large + 1) for _ in range(2))
        assert np.isfinite(search(n_jobs=2, n_iter=4).fit(large, Y).cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("jobs", [1, 2])
def test_fits_and_the_refit_have_the_backend_that_was_active(jobs: int) -> None:
    seen: list[str] = []

    class Looking(Notes):
        def begin(self, _model: Noting) -> None:
            seen.append(type(get_active_backend()[0]).__name__)

    with joblib.parallel_config("threading", n_jobs=jobs):
        search(Looking(), n_iter=2).fit(X, Y)
    assert not [name for name in seen if name.startswith("Nonstop")]
    assert seen[-1] == "ThreadingBackend"


def test_a_search_inside_another_parallel_loop() -> None:
    scores = cross_val_score(search(cv=2, n_iter=3, n_jobs=2), X, Y, cv=2, n_jobs=2)
    assert len(scores) == 2


def test_it_is_cloned_with_its_executor_and_pickled_without() -> None:
    with ThreadPoolExecutor(2) as executor:
        original = search(executor=executor)
        copied = clone(original)
        assert copied.executor is executor
        assert copied.get_params()["space"] == SPACE
        assert copied.space is not SPACE
        fitted = original.fit(X, Y)
        again = pickle.loads(pickle.dumps(fitted))
        assert isinstance(fitted.executor, Executor)
    assert again.executor is None
    assert not hasattr(again, "study_")
    assert again.best_params_ == fitted.best_params_
    assert (again.predict(X) == fitted.predict(X)).all()


def test_nothing_of_a_fit_stays_behind() -> None:
    found = search().fit(X, Y)
    assert not [name for name in vars(found) if name.startswith("_during")]
    with pytest.raises(nonstop.SpaceError):
        search(space={}).fit(X, Y)
    assert not type(get_active_backend()[0]).__name__.startswith("Nonstop")


def test_a_pipeline_with_names_of_steps() -> None:
    model = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=2, random_state=0))
    space = {"randomforestclassifier__max_depth": nonstop.Int(1, 20)}
    found = NonstopSearchCV(model, space, n_iter=3, cv=2, random_state=0).fit(X, Y)
    assert set(found.best_params_) == set(space)
    assert found.predict_proba(X).shape == (20, 2)


def test_without_scikit_learn_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import nonstop.integrations.sklearn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MissingExtraError: nonstop.integrations.sklearn needs an optional dependency" in done.stderr
    assert "[sklearn]'" in done.stderr
