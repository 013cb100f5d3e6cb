"""NonstopSearch as a searcher of Ray Tune: the cases that Ray tests its own searchers by, and runs on a local Ray."""

from __future__ import annotations

import copy
import json
import logging
import math
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import nonstop
from tests.integrations.hosts import host

tune = host("ray.tune")

import ray  # noqa: E402
from ray.tune.schedulers import ASHAScheduler  # noqa: E402
from ray.tune.search import ConcurrencyLimiter, Searcher  # noqa: E402

from nonstop.integrations.ray import NonstopSearch  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray warns of its own matters

SPACE = {"a": tune.uniform(0.0, 5.0)}


def search(**options: Any) -> NonstopSearch:
    return NonstopSearch(**{"space": SPACE, "metric": "metric", "mode": "max", **options})


def states(searcher: NonstopSearch) -> list[str]:
    return [str(trial.state) for trial in searcher.study.trials]


def complete(searcher: Searcher, trial_id: str, value: object = 1.0) -> None:
    result = {"training_iteration": 1, "metric": value, "config/a": 1.0, "time_total_s": 1}
    searcher.on_trial_result(trial_id, result)
    searcher.on_trial_complete(trial_id, result)


def test_a_suggestion_is_a_busy_point_until_its_result() -> None:
    searcher = search()
    configs = [searcher.suggest(f"{i}") for i in range(3)]
    assert len({config["a"] for config in configs if isinstance(config, dict)}) == 3
    assert searcher.suggest("1") == configs[1]  # asked again for the same trial
    assert states(searcher) == ["running"] * 3
    complete(searcher, "1", 2.5)
    assert states(searcher) == ["running", "completed", "running"]
    assert searcher.study.best_value == 2.5
    assert searcher.study.trials[1].notes == {"trial_id": "1", "iterations": 1}
    later = searcher.suggest("3")
    diagnostics = searcher.study.trials[3].diagnostics
    assert isinstance(later, dict)
    assert diagnostics is not None
    assert searcher.study.trials[3].version == 1
    assert [trial.worker for trial in searcher.study.trials] == ["tune-0", "tune-1", "tune-2", "tune-1"]


@pytest.mark.parametrize(("mode", "direction"), [("min", "minimize"), ("max", "maximize")])
def test_the_mode_is_the_direction(mode: str, direction: str) -> None:
    assert search(mode=mode).study.spec.direction == direction


@pytest.mark.parametrize(
    ("result", "error", "reason"),
    [
        ({"metric": math.nan}, False, "the trial reported metric = nan"),
        ({"metric": math.inf}, False, "the trial reported metric = inf"),
        ({"metric": -math.inf}, False, "the trial reported metric = -inf"),
        ({"metric": "good"}, False, "the trial reported metric = 'good'"),
        ({"other": 1.0}, False, "the trial ended without reporting metric"),
        (None, False, "the trial ended without reporting metric"),
        (None, True, "the trial ended with an error"),
        ({"metric": 3.0}, True, "the trial ended with an error"),
    ],
)
def test_what_fails_leaves_no_busy_point_and_is_learned_from(result: Any, error: bool, reason: str) -> None:
    searcher = search()
    searcher.suggest("1")
    searcher.on_trial_complete("1", result, error)
    trial = searcher.study.trials[0]
    assert (trial.state, trial.reason) == ("failed", reason)
    searcher.suggest("2")
    assert states(searcher) == ["failed", "running"]


def test_results_after_the_last_change_nothing() -> None:
    """Ray's testOptunaReportTooOften."""
    searcher = search()
    searcher.suggest("1")
    complete(searcher, "1", 1.0)
    complete(searcher, "1", 2.0)
    complete(searcher, "unknown", 2.0)
    assert [trial.value for trial in searcher.study.trials] == [1.0]


def test_an_errored_trial_that_tune_runs_again_is_a_result(tmp_path: Path) -> None:
    """`Tuner.restore(..., resume_errored=True)`: the same trial id comes to another end."""
    searcher = search()
    config = searcher.suggest("1")
    searcher.on_trial_complete("1", None, error=True)
    other = restored(searcher, tmp_path)
    other.on_trial_complete("1", None, error=True)
    assert states(other) == ["failed"]
    complete(other, "1", 2.0)
    complete(other, "1", 3.0)
    assert [(trial.params, trial.value) for trial in other.study.trials] == [(config, None), (config, 2.0)]


def test_without_space_or_mode_there_is_nothing_to_suggest() -> None:
    with pytest.raises(RuntimeError, match="search space"):
        NonstopSearch(metric="metric", mode="max").suggest("1")
    with pytest.raises(RuntimeError, match="metric"):
        NonstopSearch(SPACE).suggest("1")
    with pytest.raises(RuntimeError, match="search space"):
        NonstopSearch().add_evaluated_point({"a": 1.0}, 1.0)


def test_tune_sets_metric_mode_and_space() -> None:
    searcher = NonstopSearch()
    assert searcher.set_search_properties("loss", "min", {**SPACE, "constant": 3, "list": [1, 2]}, stop=None)
    assert (searcher.metric, searcher.mode) == ("loss", "min")
    config = searcher.suggest("1")
    assert isinstance(config, dict)
    assert config.keys() == {"a"}
    assert searcher.set_search_properties("loss", "min", {**SPACE, "constant": 3})  # the same again, as after a restore
    assert not searcher.set_search_properties("loss", "min", {"b": tune.uniform(0.0, 1.0)})


def test_a_space_of_nonstop_takes_metric_and_mode_from_tune() -> None:
    space = nonstop.Space({"net/depth": nonstop.Int(1, 5)}, where="`net/depth` >= 3")
    searcher = NonstopSearch(space)
    assert searcher.set_search_properties(None, "max", {"constant": 3})
    assert searcher.metric == "_metric"  # as Tune calls it when it has no name
    config = searcher.suggest("1")
    assert isinstance(config, dict)
    assert config["net"]["depth"] >= 3


def test_a_grid_is_refused() -> None:
    with pytest.raises(nonstop.SpaceError, match="grid"):
        NonstopSearch().set_search_properties("loss", "min", {"a": tune.grid_search([1, 2])})


def test_the_budget() -> None:
    searcher = search(n_trials=2)
    for trial_id in ("1", "2"):
        searcher.suggest(trial_id)
    assert searcher.suggest("3") is None  # one of the two may still fail
    searcher.on_trial_complete("1", None, error=True)
    assert isinstance(searcher.suggest("3"), dict)
    for trial_id in ("2", "3"):
        complete(searcher, trial_id)
    assert searcher.suggest("4") == Searcher.FINISHED


def test_points_to_evaluate_come_first() -> None:
    points = [{"a": 1.0}, {"a": 2.0}]
    searcher = search(points_to_evaluate=points)
    assert [searcher.suggest(f"{i}") for i in range(2)] == points
    assert searcher.suggest("2") not in points
    known = search(points_to_evaluate=points, evaluated_rewards=[3.0, 4.0])
    assert [(trial.params, trial.value) for trial in known.study.trials] == [({"a": 1.0}, 3.0), ({"a": 2.0}, 4.0)]
    assert known.suggest("1") not in points
    with pytest.raises(nonstop.StudyError, match="one value for each"):
        search(points_to_evaluate=points, evaluated_rewards=[3.0])


def test_an_evaluated_point_is_a_result() -> None:
    """Ray's AddEvaluatedPointTest."""
    searcher = search()
    searcher.add_evaluated_point({"a": 1.0, "constant": 3}, 1.0, intermediate_values=[0.8, 0.9])
    searcher.add_evaluated_point({"a": 2.0}, 1.0, error=True)
    searcher.add_evaluated_point({"a": 3.0}, 0.5, pruned=True)
    searcher.add_evaluated_point({"a": 4.0}, math.nan)
    assert states(searcher) == ["completed", "failed", "completed", "failed"]
    assert isinstance(searcher.suggest("1"), dict)
    limited = ConcurrencyLimiter(search(), max_concurrent=1)
    limited.add_evaluated_point({"a": 1.0}, 1.0)
    assert states(limited.searcher) == ["completed"]


def test_wrong_arguments() -> None:
    with pytest.raises(nonstop.StudyError, match="names of as many metrics"):
        NonstopSearch(SPACE, mode=["min", "max"])
    with pytest.raises(nonstop.StudyError, match="not 'obs'"):
        search(metric=["a", "b"], mode=["min", "obs"])
    with pytest.raises(nonstop.StudyError, match=r"a value for each of metric, memory, not 1\.0"):
        search(constraints={"memory": "<= 2"}).add_evaluated_point({"a": 1.0}, 1.0)
    with pytest.raises(nonstop.StudyError, match="study_name"):
        search(storage="sqlite:///x.db")
    with pytest.raises(nonstop.StudyError, match="n_trials"):
        search(n_trials=0)


def test_several_metrics_are_several_objectives(tmp_path: Path) -> None:
    """Ray's MultiObjectiveTest, without the runs."""
    searcher = search(metric=["up", "down"], mode=["max", "min"], constraints={"memory": "<= 2"})
    for number, memory in enumerate([1.0, 3.0, math.nan, None]):
        config = searcher.suggest(f"{number}")
        assert isinstance(config, dict)
        result = {"up": config["a"], "down": -config["a"], "memory": memory, "training_iteration": 4, "other": 1}
        searcher.on_trial_complete(f"{number}", result)
    first, *_ = trials = searcher.study.trials
    assert [str(trial.state) for trial in trials] == ["completed", "completed", "failed", "failed"]
    assert first.outcomes == {"up": first.params["a"], "down": -first.params["a"], "memory": 1.0}
    assert trials[3].reason == "the trial ended without reporting memory"
    assert searcher.study.best_trials == (first,)  # the other is not feasible
    searcher.add_evaluated_point({"a": 4.9}, [4.9, -4.9, 0.5])
    second = restored(searcher, tmp_path)
    assert second.study.best_trials[0].params == {"a": 4.9}
    assert second.suggest("5") == searcher.suggest("5")


def asked(searcher: NonstopSearch) -> NonstopSearch:
    """A search with a result, a failure and trials that run; enough results for a model."""
    for number in range(14):
        searcher.suggest(f"{number}")
        if number not in (3, 12, 13):
            complete(searcher, f"{number}", -((number - 5.0) ** 2))
    searcher.on_trial_complete("3", None, error=True)
    searcher.suggest("1b")
    searcher.suggest("2b")
    searcher.suggest("not_completed")
    complete(searcher, "1b")
    return searcher


def restored(searcher: NonstopSearch, tmp_path: Path) -> NonstopSearch:
    searcher.save(str(tmp_path / "searcher.pkl"))
    other = NonstopSearch()  # which needs no other call: all is in the file
    other.restore(str(tmp_path / "searcher.pkl"))
    return other


@pytest.mark.parametrize("way", ["save", "pickle", "copy"])
def test_a_restored_search_goes_on_as_if_nothing_had_been(way: str, tmp_path: Path) -> None:
    """Ray's SaveRestoreCheckpointTest, and more: the next suggestions are the same to the last bit."""
    first = asked(search(seed=3))
    if way == "save":
        second = restored(first, tmp_path)
        json.loads((tmp_path / "searcher.pkl").read_text())  # plain JSON, whatever Tune calls it
    else:
        second = pickle.loads(pickle.dumps(first)) if way == "pickle" else copy.deepcopy(first)
    assert states(second) == states(first)
    assert second.suggest("not_completed") == first.suggest("not_completed")
    for searcher in (first, second):
        complete(searcher, "2b")
        searcher.suggest("3b")
        complete(searcher, "3b")
    assert second.suggest("4b") == first.suggest("4b")
    assert [trial.params for trial in second.study.trials] == [trial.params for trial in first.study.trials]
    assert [trial.diagnostics for trial in second.study.trials[:14]] == [t.diagnostics for t in first.study.trials[:14]]


def test_a_search_that_has_no_study_yet_is_saved_too(tmp_path: Path) -> None:
    other = restored(NonstopSearch(points_to_evaluate=[{"a": 4.0}], n_trials=7), tmp_path)
    assert other.set_search_properties("metric", "max", SPACE)
    assert other.suggest("1") == {"a": 4.0}


def test_codes_are_restored(tmp_path: Path) -> None:
    space = {"layers": tune.choice([[64, 64], [32]]), "size": tune.qlograndint(10, 1000, 10)}
    first = search(space=space, points_to_evaluate=[{"layers": [32], "size": 70}])
    assert restored(first, tmp_path).suggest("1") == {"layers": [32], "size": 70}


def test_a_study_in_a_storage_goes_on(tmp_path: Path) -> None:
    there = {"storage": f"sqlite:///{tmp_path}/runs.db", "study_name": "demo"}
    first = search(**there, points_to_evaluate=[{"a": 4.0}])
    first.suggest("1")
    first.suggest("2")
    second = restored(first, tmp_path)
    assert '"study": null' in (tmp_path / "searcher.pkl").read_text()
    complete(first, "1", 2.0)  # after the checkpoint
    complete(second, "1", 2.0)
    complete(second, "2", 3.0)
    assert [trial.value for trial in nonstop.load_study(there["storage"], "demo").trials] == [2.0, 3.0]
    third = search(**there, points_to_evaluate=[{"a": 4.0}])  # another experiment on the same study
    assert third.suggest("1") != {"a": 4.0}


def test_the_limiter_makes_it_wait() -> None:
    limited = ConcurrencyLimiter(search(), max_concurrent=2)
    assert [limited.suggest(f"{i}") is None for i in range(3)] == [False, False, True]
    complete(limited, "0")
    assert limited.suggest("3") is not None


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    yield
    ray.shutdown()


def invalid(config: dict[str, Any]) -> None:
    """Ray's own: numbers, NaN, and both infinities."""
    report = config["report"]
    values = [(4.0, math.inf), (3.0, -math.inf), (2.0, math.nan)]
    tune.report({"loss": next((value for limit, value in values if report > limit), report)})


def converging(config: dict[str, Any]) -> None:
    for step in range(1, 9):
        tune.report({"loss": (config["lr"] - 0.3) ** 2 + config["net"]["depth"] * 0.01 + 1.0 / step})


def fit(tmp_path: Path, trainable: Any, searcher: Searcher, space: Any, samples: int, **tuning: Any) -> Any:
    tuner = tune.Tuner(
        trainable,
        param_space=space,
        tune_config=tune.TuneConfig(
            metric="loss", mode="min", search_alg=searcher, num_samples=samples, reuse_actors=True, **tuning
        ),
        run_config=tune.RunConfig(storage_path=str(tmp_path / "ray"), name="run", verbose=0),
    )
    return tuner.fit()


@pytest.mark.usefixtures("local_ray")
def test_invalid_values_in_a_run(tmp_path: Path) -> None:
    """Ray's InvalidValuesTest: constants stay, and what is no number is a failed trial. The study outlives the run."""
    space = {"report": tune.uniform(0.0, 5.0), "list": [1, 2, 3], "num": 4}
    searcher = NonstopSearch(storage=f"sqlite:///{tmp_path}/runs.db", study_name="invalid")
    results = fit(tmp_path, invalid, ConcurrencyLimiter(searcher, max_concurrent=2), space, 8)
    best = results.get_best_result(filter_nan_and_inf=True)
    assert best.config["report"] <= 2.0
    assert (best.config["list"], best.config["num"]) == ([1, 2, 3], 4)
    study = nonstop.load_study(f"sqlite:///{tmp_path}/runs.db", "invalid")
    assert len(study.trials) == len(results) == 8
    for trial in study.trials:
        assert trial.state == ("completed" if trial.params["report"] <= 2.0 else "failed")
    assert study.best_value == best.metrics["loss"]


@pytest.mark.usefixtures("local_ray")
def test_with_asha_on_a_local_ray(tmp_path: Path) -> None:
    """Trials that the scheduler stops are results of what they had reached; the search is restored from the run."""
    space = {"lr": tune.uniform(0.0, 1.0), "net": {"depth": tune.randint(1, 5)}, "constant": "c"}
    results = fit(
        tmp_path, converging, NonstopSearch(seed=1), space, 8, scheduler=ASHAScheduler(max_t=8, grace_period=1)
    )
    assert not results.errors
    iterations = [result.metrics["training_iteration"] for result in results]
    assert min(iterations) < 8 == max(iterations)  # some were stopped, some came to the end
    assert all(result.config["constant"] == "c" for result in results)
    other = NonstopSearch()
    other.restore_from_dir(str(tmp_path / "ray" / "run"))
    told = {trial.notes["trial_id"]: trial.value for trial in other.study.trials if trial.value is not None}
    assert told == {result.metrics["trial_id"]: result.metrics["loss"] for result in results}
    assert [trial.notes["iterations"] for trial in other.study.trials] != [8] * 8
    # Trials that were evaluated elsewhere are given to another search, in the way of Ray's AddEvaluatedPointTest.
    warm = NonstopSearch(space, metric="loss", mode="min")
    trials = results._experiment_analysis.trials
    warm.add_evaluated_trials(trials, "loss")
    warm.add_evaluated_trials(trials[0], "loss")
    assert states(warm) == ["completed"] * 9
    assert isinstance(warm.suggest("1"), dict)
