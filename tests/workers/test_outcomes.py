"""Workers of a study with several outcomes: what objectives return, time limits, results in files, failures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop.outcomes.goals import Goals
from nonstop.trials.messages import Report
from nonstop.trials.trial import TrialState
from nonstop.workers.objective import evaluate, limited
from nonstop.workers.unsent import Unsent, described

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
TWO = Goals.of("minimize", {"error": "minimize", "speed": "maximize"}, {"memory": "<= 8"})
ONE = Goals.of("minimize", {"error": "minimize"})
LIMITED = Goals.of("maximize", None, {"memory": "<= 8"})
TOLD: dict[str, Any] = {"error": 0.1, "speed": 2, "memory": np.float32(9.0), "epochs": 3}


def returning(told: object) -> Callable[[Mapping[str, float]], object]:
    return lambda _params: told


def timed(objective: Any, goals: Goals) -> Any:
    return limited(objective, 60.0, goals)


@pytest.mark.parametrize("made", [lambda objective, _goals: objective, timed])
def test_a_mapping_with_all_of_them(made: Callable[[Any, Goals], Any]) -> None:
    result = evaluate(made(returning(TOLD), TWO), {"x": 0.5}, None, TWO)
    assert (result.value, result.reason) == (None, None)
    assert result.outcomes == {"error": 0.1, "speed": 2.0, "memory": 9.0}
    assert list(result.outcomes) == list(TWO.names)
    assert result.notes == {"epochs": 3}
    one = evaluate(made(returning({"error": 0.5, "value": 7}), ONE), {"x": 0.5}, None, ONE)
    assert (one.value, one.outcomes, one.notes) == (0.5, {"error": 0.5}, {"value": 7})
    number = evaluate(made(returning(0.5), ONE), {"x": 0.5}, None, ONE)
    assert (number.value, number.outcomes) == (0.5, {"error": 0.5})
    value = evaluate(made(returning({"value": 1.5, "memory": 9}), LIMITED), {"x": 0.5}, None, LIMITED)
    assert (value.value, value.outcomes) == (1.5, {"value": 1.5, "memory": 9.0})


@pytest.mark.parametrize("made", [lambda objective, _goals: objective, timed])
@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"error": 0.1, "speed": 2.0}, "which has no 'memory'"),
        ({"error": 0.1, "sped": 2.0, "memory": 1.0}, "which has no 'speed'"),
        ({**TOLD, "speed": math.nan}, "for the outcome 'speed', the objective returned nan"),
        ({**TOLD, "memory": -math.inf}, "for the outcome 'memory', the objective returned -inf"),
        ({**TOLD, "error": "0.1"}, "for the outcome 'error', the objective returned '0.1', which is not a number"),
        ({**TOLD, "error": None}, "for the outcome 'error', the objective returned None"),
        (0.5, "the objective returned 0.5, not a mapping with 'error', 'speed', 'memory'"),
        (None, "the objective returned None, not a mapping with 'error', 'speed', 'memory'"),
    ],
)
def test_reasons_name_what_is_wrong(made: Callable[[Any, Goals], Any], told: object, said: str) -> None:
    result = evaluate(made(returning(told), TWO), {"x": 0.5}, None, TWO)
    assert said in (result.reason or "")
    assert (result.value, result.outcomes) == (None, {})


@pytest.mark.parametrize("trial_timeout", [None, 60.0])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run(tmp_path: Path, trial_timeout: float | None, workers: int) -> None:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    goals: dict[str, Any] = {"objectives": {"error": "minimize", "speed": "maximize"}, "constraints": {"m": "<= 0.5"}}
    study = nonstop.create_study(url, space=SPACE, initial=100, **goals)
    study.optimize(measured, n_trials=6, workers=workers, trial_timeout=trial_timeout)
    done = [trial for trial in study.trials if trial.state == "completed"]
    assert len(done) == 6
    for trial in done:
        expected = measured(trial.params)
        assert trial.outcomes == {name: expected[name] for name in ("error", "speed", "m")}
        assert (trial.value, trial.notes) == (None, {"twice": expected["twice"]})
    assert any(trial.outcomes["m"] > 0.5 for trial in done), "beyond a bound is a result"
    assert all(trial.outcomes["m"] <= 0.5 for trial in study.best_trials)


def measured(params: Mapping[str, float]) -> dict[str, float]:
    x = params["x"]
    return {"error": x**2, "speed": x, "m": 1.0 - x, "twice": 2.0 * x}


def test_outcomes_that_are_always_missing_stop_a_run() -> None:
    study = nonstop.create_study(space=SPACE, objectives={"error": "minimize", "speed": "maximize"})
    with pytest.raises(nonstop.StudyError, match=r"stopped after 3 failed trials .* has no 'speed'"):
        study.optimize(returning({"error": 0.1}), n_trials=5, max_failures=3)


def test_a_kept_result_has_every_bit(tmp_path: Path) -> None:
    outcomes = {"error": 0.1 + 0.2, "größe": -0.0, "tiny": 5e-324}
    unsent = Unsent("study", "storage", tmp_path)
    report = Report("one", 3, 1, TrialState.COMPLETED, None, seconds=1.5, notes={"epochs": 3}, outcomes=outcomes)
    assert unsent.keep(report, {"x": 0.5}) is not None
    (kept,) = unsent.left()
    assert kept.report == report
    assert [value.hex() for value in kept.report.outcomes.values()] == [value.hex() for value in outcomes.values()]
    assert "'error': 0.30000000000000004" in described(kept.report)


def test_a_worker_hands_in_what_another_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    study = nonstop.create_study(url, space=SPACE, initial=100, objectives={"error": "minimize", "speed": "maximize"})
    trial = study.ask("lost")
    told = {"error": 0.25, "speed": 4.0}
    report = Report("left", trial.number, trial.attempt, TrialState.COMPLETED, None, outcomes=told)
    assert Unsent(study._creation, repr(study.storage)).keep(report, trial.params) is not None
    study.optimize(measured, n_trials=2)
    assert study.trials[0].outcomes == told
    assert [trial.state for trial in study.trials] == ["completed"] * 2
    assert not list(Path(".nonstop-unsent").glob("*.json"))
