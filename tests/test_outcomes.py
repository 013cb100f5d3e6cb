"""Studies with several outcomes, from the first proposal to the replay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop import Categorical, Float, Space
from nonstop.trials.replay import replay

SPACE = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0), "kind": Categorical(["a", "b"])})


def measured(params: Mapping[str, Any]) -> dict[str, object]:
    if params["x"] + params["y"] > 1.8:
        raise RuntimeError("out of memory")
    slow = 0.5 if params["kind"] == "b" else 0.0
    latency = (1.0 - params["x"]) ** 2 + params["y"] + slow
    return {"error": params["x"], "latency": latency, "memory": params["x"] + params["y"], "host": "here"}


def made(storage: str | None, **given: object) -> nonstop.Study:
    goals = {"objectives": {"error": "minimize", "latency": "minimize"}, "constraints": {"memory": ">= 0.2"}}
    return nonstop.create_study(storage, "demo", space=SPACE, initial=6, seed=5, **{**goals, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_with_two_objectives_and_a_constraint_replays_to_the_last_bit(workers: int, tmp_path: Path) -> None:
    study = made(f"sqlite:///{tmp_path}/runs.db")
    study.optimize(measured, n_trials=16, workers=workers, max_failures=None)
    report = replay(study.spec, study.trials)
    assert report.model_based >= 8
    assert report.identical
    modelled = [trial for trial in study.trials if trial.diagnostics is not None and trial.diagnostics.predictions]
    assert modelled
    for trial in modelled:
        assert trial.diagnostics is not None
        assert len(trial.diagnostics.predictions) == 3, "two objectives and a constraint"
        assert 0.0 <= (trial.diagnostics.feasible or 0.0) <= 1.0
        assert (trial.value, trial.diagnostics.mean) == (None, None), "there is no single one"
    warmed = [trial for trial in modelled if trial.diagnostics is not None and trial.diagnostics.warm is not None]
    assert warmed, "fits start from those of earlier trials"


def test_the_model_knows_its_way_to_the_border_of_the_constraint() -> None:
    study = nonstop.create_study(
        space=Space({"x": Float(0.0, 1.0)}), direction="maximize", constraints={"load": "<= 0.7"}, initial=4
    )
    study.optimize(lambda params: {"value": params["x"], "load": params["x"]}, n_trials=16)
    assert 0.69 < study.best_value <= 0.7
    assert study.best_trial.outcomes == {"value": study.best_value, "load": study.best_value}


def test_one_named_objective_is_proposed_for_as_if_it_had_no_name() -> None:
    plain = nonstop.create_study(space=SPACE, direction="maximize", seed=3, initial=5)
    named = nonstop.create_study(space=SPACE, objectives={"gain": "maximize"}, seed=3, initial=5)
    plain.optimize(lambda params: -((params["x"] - 0.3) ** 2), n_trials=12)
    named.optimize(lambda params: {"gain": -((params["x"] - 0.3) ** 2)}, n_trials=12)
    assert [trial.params for trial in plain.trials] == [trial.params for trial in named.trials]
    assert (named.best_value, named.best_params) == (plain.best_value, plain.best_params)


def test_a_rule_for_one_objective_is_refused_when_the_study_is_made() -> None:
    with pytest.raises(nonstop.RuleError, match="objectives"):
        nonstop.create_study(space=SPACE, rule="ehvi")
    made(None, rule="ehvi").optimize(measured, n_trials=9)


def test_an_infeasible_result_is_completed_and_a_missing_outcome_is_a_failure() -> None:
    def objective(_params: Mapping[str, float], trial: nonstop.RunningTrial) -> object:
        if trial.number == 1:
            return {"error": 1.0, "memory": 1.0}
        if trial.number == 2:
            return {"error": 1.0, "latency": float("nan"), "memory": 1.0}
        return 0.5 if trial.number == 3 else {"error": 1.0, "latency": 1.0, "memory": 0.0}

    study = made(None)
    study.optimize(objective, n_trials=2)
    done, *failed, last = study.trials
    assert (done.state, last.state) == ("completed", "completed")
    assert [trial.state for trial in failed] == ["failed"] * 3
    assert ["latency" in (trial.reason or "") for trial in failed] == [True] * 3
    assert study.best_trials == (done,), "nothing is feasible: the one that violates least, and came first"


def test_best_trial_is_for_one_objective() -> None:
    study = made(None)
    study.add_trial({"x": 0.5, "y": 0.5, "kind": "a"}, {"error": 0.5, "latency": 1.0, "memory": 1.0, "note": "by hand"})
    assert study.trials[0].notes == {"note": "by hand"}
    with pytest.raises(nonstop.StudyError, match=r"several objectives \(error, latency\): ask for best_trials"):
        _ = study.best_trial
    assert len(study.best_trials) == 1
