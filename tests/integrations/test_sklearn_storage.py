"""A search in a storage: it goes on after Ctrl-C, an error or a kill, and several processes can share it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop.trials.messages import HandOn
from nonstop.workers.lease import Lease
from tests.integrations.hosts import host

host("sklearn")
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import KFold  # noqa: E402

import nonstop.integrations.sklearn_candidates as candidates  # noqa: E402
from nonstop.integrations.sklearn import NonstopSearchCV  # noqa: E402
from tests.integrations.sklearn_models import Deadly, Failing, Interrupted, Notes, Noting, X, Y  # noqa: E402

ROOT = Path(__file__).parents[2]
SPACE = {"x": nonstop.Float(0.0, 1.0)}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'search.db'}"


def search(url: str, notes: Notes | None = None, **options: Any) -> NonstopSearchCV:
    model = options.pop("model", None) or Noting(notes=notes)
    options = {"n_iter": 8, "cv": 2, "random_state": 0, "storage": url, "study_name": "s", "refit": False, **options}
    return NonstopSearchCV(model, SPACE, **options)


def test_after_an_interruption_it_goes_on(url: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        search(url, Interrupted(after=7)).fit(X, Y)
    stored = nonstop.load_study(url, "s").trials
    assert [trial.state.value for trial in stored] == ["completed"] * 3 + ["waiting"]  # the fourth was given back
    notes = Notes()
    found = search(url, notes).fit(X, Y)
    assert len(notes.begun) == 10  # two splits of five candidates
    whole = search(url, study_name="whole").fit(X, Y)
    assert found.cv_results_["params"] == whole.cv_results_["params"]  # as if nothing had happened
    for key in ("split0_test_score", "split1_test_score", "mean_test_score", "rank_test_score"):
        assert (found.cv_results_[key] == whole.cv_results_[key]).all()
    assert [trial.attempt for trial in nonstop.load_study(url, "s").trials] == [1, 1, 1, 2, 1, 1, 1, 1]


def test_what_is_finished_is_not_fitted_again(url: str) -> None:
    first = search(url, return_train_score=True).fit(X, Y)
    notes = Notes()
    again = search(url, notes, return_train_score=True).fit(X, Y)
    assert notes.begun == []
    assert first.cv_results_.keys() == again.cv_results_.keys()
    for key, values in first.cv_results_.items():
        assert list(values) == list(again.cv_results_[key]), key  # times and scores, to the last bit
    assert again.best_params_ == first.best_params_


def test_more_candidates_go_on_and_fewer_keep_all(url: str) -> None:
    first = search(url, n_iter=4).fit(X, Y)
    more = search(url, n_iter=6).fit(X, Y)
    fewer = search(url, n_iter=2).fit(X, Y)
    assert [len(one.cv_results_["params"]) for one in (first, more, fewer)] == [4, 6, 6]
    assert more.cv_results_["params"][:4] == first.cv_results_["params"]


def test_an_error_that_is_raised_leaves_the_candidate_to_be_tried_again(url: str) -> None:
    with pytest.raises(ZeroDivisionError):
        search(url, Failing(0.5, ZeroDivisionError()), error_score="raise").fit(X, Y)
    assert nonstop.load_study(url, "s").trials[-1].state == "waiting"
    found = search(url, error_score="raise").fit(X, Y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


@pytest.mark.filterwarnings("default:One or more of the test scores are non-finite")
def test_failures_and_what_is_no_number_are_kept(url: str) -> None:
    with pytest.warns(match="fits failed"):
        first = search(url, Failing(0.5, ValueError("too large"))).fit(X, Y)
    with pytest.warns(match="fits failed"):  # scikit-learn says it again
        again = search(url).fit(X, Y)
    assert np.isnan(first.cv_results_["mean_test_score"]).any()
    assert np.array_equal(first.cv_results_["mean_test_score"], again.cv_results_["mean_test_score"], equal_nan=True)


def test_several_scores_are_kept(url: str) -> None:
    options: dict[str, Any] = {"scoring": ["accuracy", "f1"], "refit": "f1", "model": LogisticRegression()}
    space = {"C": nonstop.Float(0.1, 10.0)}
    one, two = (search(url, **options).set_params(space=space).fit(X, Y) for _ in range(2))
    assert list(one.cv_results_["split1_test_f1"]) == list(two.cv_results_["split1_test_f1"])
    assert one.best_index_ == two.best_index_
    with pytest.raises(nonstop.StudyError, match="of a search with another estimator, another score or other data"):
        search(url, **{**options, "scoring": "f1", "refit": True}).set_params(space=space).fit(X, Y)


@pytest.mark.parametrize("before", [False, True])
def test_scores_on_the_training_data_may_be_wanted_later_or_no_more(url: str, before: bool) -> None:
    search(url, n_iter=3, return_train_score=before).fit(X, Y)
    found = search(url, n_iter=6, return_train_score=not before)
    if before:
        assert "mean_train_score" not in found.fit(X, Y).cv_results_
        return
    with pytest.warns(match="train scores are non-finite"):
        found.fit(X, Y)
    assert list(np.isnan(found.cv_results_["mean_train_score"])) == [True] * 3 + [False] * 3


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"X": X + 1.0}, "another estimator, another score or other data"),
        ({"y": 1 - Y}, "another estimator, another score or other data"),
        ({"model": LogisticRegression()}, "another estimator, another score or other data"),
        ({"scoring": "accuracy"}, "another estimator, another score or other data"),
        ({"cv": 4}, r"whose splits had \[10, 10\] test samples, not \[5, 5, 5, 5\]"),
    ],
    ids=["X", "y", "model", "scoring", "cv"],
)
def test_another_search_of_the_same_name_is_refused(url: str, changed: dict[str, Any], message: str) -> None:
    search(url, n_iter=2).fit(X, Y)
    options = {key: value for key, value in changed.items() if key not in {"X", "y"}}
    with pytest.raises(nonstop.StudyError, match=f"the study 's' has results of a search .*{message}"):
        search(url, n_iter=2, **options).fit(changed.get("X", X), changed.get("y", Y))


def test_other_callable_scores_are_refused(url: str) -> None:
    def one(model: Any, _X: Any, _y: Any) -> float:
        return float(model.x)

    search(url, n_iter=2, scoring=one).fit(X, Y)
    assert len(search(url, n_iter=2, scoring=one).fit(X, Y).cv_results_["params"]) == 2
    with pytest.raises(nonstop.StudyError, match="other data"):
        search(url, n_iter=2).fit(X, Y)


@pytest.mark.parametrize(
    "data",
    [X.tolist(), X.astype("float32"), [[str(value[0])] for value in X], np.asarray(X, dtype=object)],
    ids=["list", "single", "texts", "objects"],
)
def test_any_data_is_recognised(url: str, data: Any) -> None:
    search(url, n_iter=2).fit(data, Y)
    notes = Notes()
    search(url, notes, n_iter=2).fit(data, Y)
    assert notes.begun == []
    with pytest.raises(nonstop.StudyError, match="other data"):
        search(url, n_iter=2).fit(data[::-1], Y)


def test_tables_and_sparse_matrices_are_recognised(url: str) -> None:
    sparse, pandas = host("scipy.sparse"), host("pandas")
    for number, data in enumerate(
        (sparse.csr_matrix(X), sparse.coo_matrix(X), pandas.DataFrame({"a": list("abcd") * 5}))
    ):
        notes = Notes()
        search(url, n_iter=2, study_name=f"s{number}").fit(data, Y)
        search(url, notes, n_iter=2, study_name=f"s{number}").fit(data, Y)
        assert notes.begun == []


def test_splits_that_are_drawn_anew_are_the_same_search(url: str) -> None:
    search(url, n_iter=2, cv=KFold(2, shuffle=True)).fit(X, Y)
    assert len(search(url, n_iter=4, cv=KFold(2, shuffle=True)).fit(X, Y).cv_results_["params"]) == 4


def test_results_from_elsewhere_teach_the_model_but_are_no_candidates(url: str) -> None:
    study = nonstop.create_study(url, "s", space=nonstop.Space(SPACE), direction="maximize")
    study.add_trials([({"x": x}, -((x - 0.3) ** 2)) for x in (0.0, 0.2, 0.25, 0.45, 0.7, 0.9)])
    study.enqueue({"x": 0.123})
    found = search(url, n_iter=5, random_state=None).fit(X, Y)
    points = [params["x"] for params in found.cv_results_["params"]]
    assert len(points) == 5
    assert points[0] == 0.123
    assert found.best_params_["x"] == pytest.approx(0.3, abs=0.02)


@pytest.mark.filterwarnings("default:One or more of the test scores are non-finite")
def test_a_candidate_that_was_lost_again_and_again_has_no_score(url: str) -> None:
    study = nonstop.create_study(url, "s", space=nonstop.Space(SPACE), direction="maximize")
    trial = study.ask()
    study.storage.hand_on(study.id, HandOn(trial.number, 1, "no heartbeat", 1))
    with pytest.warns(match="fits failed"):
        found = search(url, n_iter=3, random_state=None).fit(X, Y)
    assert list(np.isnan(found.cv_results_["mean_test_score"])) == [True, False, False]
    assert found.cv_results_["params"][0] == trial.params


def test_several_searches_share_their_candidates(url: str) -> None:
    """Each fits candidates that no other has, and has all of them in the end."""
    notes = Notes()
    searches = [search(url, notes, n_iter=12) for _ in range(3)]
    threads = [threading.Thread(target=one.fit, args=(X, Y)) for one in searches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert len(notes.begun) == 24  # two splits of twelve candidates
    points = [sorted(one["x"] for one in each.cv_results_["params"]) for each in searches]
    assert points[0] == points[1] == points[2]
    assert len(points[0]) == 12


CHILD = """
import sys, time
import nonstop.integrations.sklearn_candidates as candidates
from nonstop.workers.lease import Lease
from tests.integrations.sklearn_models import Notes, X, Y
from tests.integrations.test_sklearn_storage import search

class Slow(Notes):
    def begin(self, model):
        super().begin(model)
        if len(self.begun) == 9:
            print("ready", flush=True)
            time.sleep(60)

candidates.LEASE = Lease(1.0)
search(sys.argv[1], Slow(), n_iter=10).fit(X, Y)
"""


@pytest.mark.skipif(os.environ.get("NONSTOP_HOSTS") != "all", reason="slow: `make test-integrations` runs it")
def test_after_a_kill_it_goes_on_and_fits_what_was_under_way(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, url], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert [trial.state.value for trial in nonstop.load_study(url, "s").trials] == ["completed"] * 4 + ["running"]
    monkeypatch.setattr(candidates, "LEASE", Lease(1.0))
    notes = Notes()
    found = search(url, notes, n_iter=10).fit(X, Y)
    assert len(notes.begun) == 12  # six candidates, of which one was begun before
    assert len(found.cv_results_["params"]) == 10
    assert max(trial.attempt for trial in nonstop.load_study(url, "s").trials) == 2


def test_a_candidate_of_another_process_that_lives_is_waited_for(url: str) -> None:
    search(url, n_iter=2).fit(X, Y)
    study = nonstop.load_study(url, "s")
    other = study.ask()  # asked for without a lease: never handed on
    finished: list[float] = []

    def tell() -> None:
        time.sleep(1.5)
        notes = study.trials[0].notes
        finished.append(time.monotonic())
        nonstop.load_study(url, "s").tell(other, 0.5, notes=notes)

    teller = threading.Thread(target=tell)
    teller.start()
    found = search(url, n_iter=3).fit(X, Y)
    assert time.monotonic() >= finished[0]
    teller.join()
    assert len(found.cv_results_["params"]) == 3


def test_a_process_that_dies_ends_the_fit_and_gives_all_candidates_back(url: str) -> None:
    with ProcessPoolExecutor(2) as executor, pytest.raises(BrokenExecutor):
        search(url, model=Deadly(), executor=executor).fit(X, Y)
    states = {trial.state.value for trial in nonstop.load_study(url, "s").trials}
    assert "waiting" in states
    assert not states & {"running", "proposing"}
