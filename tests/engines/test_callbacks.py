"""optimize() with on_result, stop() and until: on one worker here, on threads and on processes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Value

X = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


def bowl(params: dict[str, Value]) -> float:
    time.sleep(0.02)
    return (float(str(params["x"])) - 0.3) ** 2


def slow(params: dict[str, Value]) -> float:
    time.sleep(0.3)
    return bowl(params)


def flaky(params: dict[str, Value]) -> float:
    if float(str(params["x"])) > 0.6:
        raise ValueError("too large")
    return bowl(params)


def a_study(tmp_path: Path) -> nonstop.Study:
    return nonstop.create_study(f"sqlite:///{tmp_path / 'runs.db'}", "demo", space=X, seed=0)


RUNS: list[tuple[str, Callable[[], dict[str, Any]]]] = [
    ("here", lambda: {"workers": 1}),
    ("processes", lambda: {"workers": 2}),
    ("threads", lambda: {"workers": ThreadPoolExecutor(2)}),
    ("executor", lambda: {"workers": ProcessPoolExecutor(2)}),
]
briefly = pytest.mark.parametrize("where", [make for _, make in RUNS[:2]], ids=[name for name, _ in RUNS[:2]])
everywhere = pytest.mark.parametrize("where", [make for _, make in RUNS], ids=[name for name, _ in RUNS])


@briefly
def test_each_result_is_told_once_in_order(tmp_path: Path, where: Callable[[], dict[str, Any]]) -> None:
    study = a_study(tmp_path)
    told: list[Trial] = []

    def listen(given: nonstop.Study, trial: Trial) -> None:
        assert given is study
        told.append(trial)

    study.optimize(flaky, n_trials=8, on_result=listen, **where())
    finished = sorted((trial for trial in study.trials if trial.state.finished), key=lambda trial: trial.sequence)
    assert told == finished
    assert {trial.state for trial in told} == {TrialState.COMPLETED, TrialState.FAILED}
    study.optimize(bowl, n_trials=9, on_result=listen)
    assert len(told) == len(finished) + 1, "results of earlier runs are not told again"


@everywhere
def test_stop_finishes_what_runs_and_starts_nothing_more(tmp_path: Path, where: Callable[[], dict[str, Any]]) -> None:
    study = a_study(tmp_path)

    usages = study.optimize(slow, n_trials=1000, on_result=lambda study, _trial: study.stop(), **where())
    states = [trial.state for trial in study.trials]
    assert set(states) <= {TrialState.COMPLETED, TrialState.WAITING}, "one may have been granted at that very moment"
    assert all(trial.attempt == 1 for trial in study.trials if trial.state is TrialState.COMPLETED)
    assert 1 <= states.count(TrialState.COMPLETED) <= 8
    assert usages, "it returns as a run does that has completed its budget"


@everywhere
def test_a_function_that_raises_ends_the_run(tmp_path: Path, where: Callable[[], dict[str, Any]]) -> None:
    study = a_study(tmp_path)
    calls: list[int] = []

    def raising(_study: nonstop.Study, trial: Trial) -> None:
        calls.append(trial.number)
        raise KeyError("my own mistake")

    with pytest.raises(KeyError, match="my own mistake"):
        study.optimize(slow, n_trials=1000, on_result=raising, **where())
    assert len(calls) == 1
    assert TrialState.RUNNING not in {trial.state for trial in study.trials}
    study.optimize(bowl, n_trials=len(study.trials) + 1)  # and it can go on


def test_stop_without_a_run(tmp_path: Path) -> None:
    study = a_study(tmp_path)
    with pytest.raises(nonstop.StudyError, match="no run is under way"):
        study.stop()
    study.optimize(bowl, n_trials=50, progress=lambda study: study.stop())
    assert len(study.trials) < 50
    with pytest.raises(nonstop.StudyError, match="no run is under way"):
        study.stop()


@everywhere
def test_a_rule_ends_the_run_of_all_workers(tmp_path: Path, where: Callable[[], dict[str, Any]]) -> None:
    study = a_study(tmp_path)
    study.optimize(bowl, timeout=60, until=nonstop.Until(patience=3), **where())
    assert {trial.state for trial in study.trials} <= {TrialState.COMPLETED, TrialState.WAITING}
    results = sorted((t for t in study.trials if t.order), key=lambda trial: trial.order or 0)
    best = min(results, key=lambda trial: trial.value or 0.0)
    assert 3 <= len(results) - (best.order or 0) <= 5, "with what was running then"
    before = len(study.trials)
    study.optimize(bowl, n_trials=1000, until="no improvement in 3")
    assert len(study.trials) == before, "another run has nothing to do"


def test_other_rules(tmp_path: Path) -> None:
    study = a_study(tmp_path)
    study.optimize(bowl, n_trials=1000, until="value 0.02")
    assert study.best_value <= 0.02
    assert sum(trial.value is not None and trial.value <= 0.02 for trial in study.trials) == 1, "one worker stops there"
    spent = sum(trial.seconds or 0.0 for trial in study.trials)
    study.optimize(bowl, until=nonstop.Until(evaluating=spent + 0.1))
    total = sum(trial.seconds or 0.0 for trial in study.trials)
    assert spent + 0.1 <= total <= spent + 0.1 + max(trial.seconds or 0.0 for trial in study.trials)


def test_a_target_alone_may_never_be_reached(tmp_path: Path) -> None:
    with pytest.raises(nonstop.StudyError, match="may never be reached"):
        a_study(tmp_path).optimize(bowl, until="value -1")


def test_the_budget_stays_with_the_study(tmp_path: Path) -> None:
    study = a_study(tmp_path)
    assert study.storage.load_study("demo").budget is None
    study.optimize(bowl, n_trials=3)
    assert study.storage.load_study("demo").budget == 3
    study.optimize(bowl, n_trials=4)
    study.optimize(bowl, timeout=0.01)
    assert study.storage.load_study("demo").budget == 4, "of the latest run that had one"
    with pytest.raises(nonstop.StudyError):
        study.optimize(bowl, n_trials=9, workers=0)
    assert study.storage.load_study("demo").budget == 4, "no run began"


def test_nothing_to_do_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    study = a_study(tmp_path)
    study.optimize(bowl, n_trials=3)
    assert not caplog.records
    study.optimize(bowl, n_trials=2)
    assert [record.getMessage() for record in caplog.records] == [
        "study 'demo' has 3 of 2 results: nothing to do; n_trials is the total over all runs; n_trials=5 adds 2"
    ]
    assert caplog.records[0].levelno == logging.WARNING


@briefly
def test_the_log_has_one_record_of_each_thing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, where: Callable[[], dict[str, Any]]
) -> None:
    study = a_study(tmp_path)
    with caplog.at_level(logging.DEBUG, logger="nonstop"):
        study.optimize(flaky, n_trials=5, **where())
    said = [(record.name, record.levelname, record.getMessage()) for record in caplog.records]
    runs = [text for name, level, text in said if (name, level) == ("nonstop.study", "INFO")]
    assert runs[0] == "study 'demo': a run begins with 0 trials, budget 5 results"
    assert "the run ended, as the budget of 5 results is complete: 5 completed" in runs[-1]
    bests = [text for text in runs if "best" in text][:-1]
    assert 1 <= len(bests) <= 5
    trials = [text for name, level, text in said if (name, level) == ("nonstop.workers", "DEBUG")]
    for trial in study.trials:
        mine = [text.split(":")[0] for text in trials if text.startswith(f"trial {trial.number} of")]
        assert mine[0] == f"trial {trial.number} of 'demo' begins on {trial.worker}"
        assert mine[1].startswith(f"trial {trial.number} of 'demo' {trial.state} on {trial.worker} after ")
        assert len(mine) == 2
    assert any("ValueError: too large" in text for text in trials)
