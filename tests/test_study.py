"""A study in memory: ask, tell, and what it refuses."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nonstop
from nonstop import Categorical, Float, Int, ParamsError, Space, Study, StudyError, TrialError, TrialState, create_study
from nonstop.numerics.quasirandom import halton
from tests.helpers.trials import said

PLANE = Space({"x": Float(0, 1), "y": Float(0, 1)})


def bowl(params: nonstop.types.Params) -> float:
    x, y = params["x"], params["y"]
    assert isinstance(x, float)
    assert isinstance(y, float)
    return (x - 0.3) ** 2 + (y - 0.7) ** 2


def run(study: Study, n: int, objective: Callable[[nonstop.types.Params], float] = bowl) -> Study:
    for _ in range(n):
        trial = study.ask()
        assert trial.params is not None
        study.tell(trial, objective(trial.params))
    return study


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1.0), ("maximize", -1.0)])
def test_finds_the_optimum_in_either_direction(direction: nonstop.types.Direction, sign: float) -> None:
    study = create_study(space=PLANE, direction=direction, seed=1)
    run(study, 25, lambda params: sign * bowl(params))
    assert sign * study.best_value < 1e-4
    assert study.best_params == study.best_trial.params
    assert study.best_value == study.best_trial.value


def test_the_first_trials_are_the_scrambled_halton_sequence() -> None:
    study = run(create_study(space=PLANE, seed=5), 8)
    points = np.array([[trial.params["x"], trial.params["y"]] for trial in study.trials if trial.params])
    expected = halton(8, 2, seed=5)
    assert np.array_equal(points[:6], expected[:6])  # three for each parameter
    assert not np.array_equal(points[6:], expected[6:])
    assert [said(trial).rung for trial in study.trials] == ["quasi-random"] * 6 + ["model"] * 2


@pytest.mark.parametrize("initial", [None, 0])
def test_a_worker_that_joins_later_asks_the_model(initial: int | None) -> None:
    """The paper's first quasi-random trial of each worker belongs to the start of a study."""
    study = run(create_study(space=PLANE, seed=5, initial=initial), 10)
    assert {said(study.ask(worker=worker)).rung for worker in ("a", "a", "b", "c")} == {"model"}


def test_without_a_result_every_worker_starts_quasi_random() -> None:
    study = create_study(space=PLANE, seed=5, initial=0)
    assert {said(study.ask(worker=worker)).rung for worker in ("a", "b", "c")} == {"quasi-random"}


def test_asks_in_a_row_believe_each_other_and_never_repeat_a_point() -> None:
    study = run(create_study(space=PLANE, seed=2), 12)
    trials = [study.ask() for _ in range(10)]
    points = np.array([[trial.params["x"], trial.params["y"]] for trial in trials if trial.params])
    apart = np.abs(points[:, None] - points[None]).max(axis=2) + np.eye(10)
    assert apart.min() > 1e-4
    assert [said(trial).believed for trial in trials] == [tuple(range(12, 12 + i)) for i in range(10)]
    assert {trial.version for trial in trials} == {12}


def test_with_new_data_busy_points_are_not_believed() -> None:
    study = run(create_study(space=PLANE, seed=2), 12)
    slow, quick = study.ask(), study.ask()
    study.tell(quick, 1.0)
    after = study.ask()
    assert after.version == 13
    assert said(after).busy == (slow.number,)
    assert said(after).believed == ()


def test_a_crashing_corner_is_not_asked_for_again() -> None:
    study = create_study(space=PLANE, seed=0)

    def slope(params: nonstop.types.Params) -> float:
        return -float(params["x"]) - float(params["y"])

    run(study, 10, slope)
    failed = []
    for _ in range(6):
        trial = study.ask()
        assert trial.params is not None
        if trial.params == {"x": 1.0, "y": 1.0}:
            study.tell(trial, state="failed", reason="crash")
            failed.append(trial)
        else:
            study.tell(trial, slope(trial.params))
    assert len(failed) == 1


def test_failed_trials_do_not_enter_the_model_or_the_best() -> None:
    study = run(create_study(space=PLANE, seed=3), 6)
    failed = study.tell(study.ask(), state="failed", reason="out of memory")
    assert failed.state is TrialState.FAILED
    assert failed.reason == "out of memory"
    assert failed.value is None
    assert study.best_trial.number != failed.number
    assert study.ask().version == 6


def test_enqueued_points_come_first_and_added_results_are_learnt_from() -> None:
    study = create_study(space=PLANE)
    study.enqueue({"x": 0.25, "y": 0.75})
    known = study.add_trial({"x": 0.3, "y": 0.7}, 0.0)
    assert known.state is TrialState.COMPLETED
    assert study.best_trial == known
    assert study.ask().params == {"x": 0.25, "y": 0.75}
    assert study.ask().number == 2


def test_the_same_seed_gives_the_same_study() -> None:
    def trace(seed: int) -> list[object]:
        return [trial.params for trial in run(create_study(space=PLANE, seed=seed), 12).trials]

    assert trace(4) == trace(4)
    assert trace(4) != trace(5)


def test_the_same_study_in_another_process_has_the_same_bytes() -> None:
    script = (
        "import nonstop\n"
        "space = nonstop.Space({'x': nonstop.Float(0, 1), 'k': nonstop.Int(1, 9)})\n"
        "study = nonstop.create_study(space=space, seed=7)\n"
        "for _ in range(14):\n"
        "    trial = study.ask()\n"
        "    study.tell(trial, (trial.params['x'] - 0.4) ** 2 + trial.params['k'])\n"
        "print([(t.params['x'].hex(), t.params['k']) for t in study.trials])\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_a_discrete_space_is_tried_completely_without_repetition() -> None:
    space = Space({"a": Int(1, 3), "b": Categorical(["p", "q"]), "c": Int(0, 1)})
    study = create_study(space=space, seed=1)
    run(study, 12, lambda params: float(params["a"]))
    tried = [tuple((trial.params or {}).values()) for trial in study.trials]
    assert len(set(tried)) == 12
    assert study.ask().params is not None  # exhausted, and still an answer


def test_a_noisy_study_may_repeat_points_of_a_discrete_space() -> None:
    study = create_study(space=Space({"a": Int(1, 4)}), noisy=True, seed=1)
    run(study, 20, lambda params: float(params["a"]))
    assert study.best_params == {"a": 1}
    assert sum(trial.params == {"a": 1} for trial in study.trials) > 5


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "0.3", None, True, [1.0], 1 + 2j])
def test_values_that_are_no_finite_numbers_are_refused(value: object) -> None:
    study = create_study(space=PLANE)
    trial = study.ask()
    before = study.trials
    with pytest.raises(TrialError, match="value must be"):
        study.tell(trial, value)  # type: ignore[arg-type]
    assert study.trials == before


def test_bad_calls_of_tell_leave_the_study_unchanged() -> None:
    study = create_study(space=PLANE)
    trial = study.ask()
    study.tell(trial, np.float32(0.5))  # type: ignore[arg-type]
    before = study.trials
    with pytest.raises(TrialError, match="trial 0 was told before"):
        study.tell(trial, 0.1)
    with pytest.raises(TrialError, match="no trial 99"):
        study.tell(99, 0.1)
    with pytest.raises(TrialError, match="failed trial has no value"):
        study.tell(study.ask(), 0.1, state="failed")
    with pytest.raises(TrialError, match="state must be"):
        study.tell(1, 0.1, state="done")  # type: ignore[arg-type]
    assert study.trials[0] == before[0]
    assert study.trials[1].state is TrialState.RUNNING
    assert type(study.trials[0].value) is float


def test_tell_by_number() -> None:
    study = create_study(space=PLANE)
    assert study.tell(study.ask().number, 2).value == 2.0


def test_a_trial_that_waits_cannot_be_told() -> None:
    study = create_study(space=PLANE)
    waiting = study.enqueue({"x": 0.5, "y": 0.5})
    with pytest.raises(TrialError, match="never started"):
        study.tell(waiting, 1.0)
    assert study.trials[0].state is TrialState.WAITING


def test_bad_params_are_refused_and_leave_the_study_unchanged() -> None:
    study = create_study(space=PLANE)
    with pytest.raises(ParamsError, match="'x'"):
        study.enqueue({"x": 2.0, "y": 0.5})
    with pytest.raises(ParamsError, match="'z'"):
        study.add_trial({"x": 0.5, "z": 0.5}, 1.0)
    with pytest.raises(TrialError, match="finite"):
        study.add_trial({"x": 0.5, "y": 0.5}, math.nan)
    assert study.trials == ()


def test_an_empty_study_has_no_best() -> None:
    study = create_study(space=PLANE, name="empty")
    study.ask()
    with pytest.raises(StudyError, match="'empty' has no completed trial"):
        _ = study.best_trial


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"direction": "down"}, "direction"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"initial": -2}, "initial"),
        ({"rule": "magic"}, "unknown rule 'magic'"),
        ({"surrogate": "magic"}, "unknown surrogate 'magic'"),
    ],
)
def test_bad_studies_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(nonstop.NonstopError, match=message):
        create_study(space=PLANE, **arguments)  # type: ignore[arg-type]


def test_load_if_exists_wants_the_same_space_and_direction() -> None:
    storage = nonstop.storage.open_storage(None)
    run(create_study(storage, "demo", space=PLANE), 3)
    again = create_study(storage, "demo", space=PLANE, load_if_exists=True)
    assert len(again.trials) == 3
    assert nonstop.load_study(storage, "demo").spec.space == PLANE
    with pytest.raises(StudyError, match="already"):
        create_study(storage, "demo", space=PLANE)
    with pytest.raises(StudyError, match="made with direction"):
        create_study(storage, "demo", space=PLANE, direction="maximize", load_if_exists=True)
    with pytest.raises(StudyError, match="made with space"):
        create_study(storage, "demo", space=Space({"x": Float(0, 1)}), load_if_exists=True)
    with pytest.raises(StudyError, match="demo"):
        nonstop.load_study(storage, "other")


def test_two_views_of_one_study_see_each_other() -> None:
    storage = nonstop.storage.open_storage(None)
    one = create_study(storage, "shared", space=PLANE)
    other = nonstop.load_study(storage, "shared")
    trial = one.ask()
    other.tell(trial.number, 0.5)
    assert one.best_value == 0.5
    with pytest.raises(TrialError, match="told before"):
        one.tell(trial, 0.4)


def test_a_rule_of_ones_own() -> None:
    class Greedy:
        def score(
            self, mean: nonstop.types.Array, sd: nonstop.types.Array, best: float
        ) -> tuple[nonstop.types.Array, ...]:
            return mean - best, np.ones_like(mean), np.zeros_like(sd)

    study = run(create_study(space=PLANE, rule=Greedy(), seed=1), 20)  # type: ignore[arg-type]
    assert study.best_value < 1e-3


def test_without_pandas_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(nonstop.MissingExtraError, match=r"pip install .*\[dataframe\]'"):
        create_study(space=PLANE).to_dataframe()


def test_a_number_of_numpy_is_a_number(tmp_path: Path) -> None:
    study = create_study(f"sqlite:///{tmp_path / 'runs.db'}", space=PLANE)
    asked = [study.ask() for _ in range(3)]
    assert study.tell(np.int64(2), np.int64(3)).value == 3.0  # type: ignore[arg-type]
    with pytest.raises(TrialError, match="a trial must be"):
        study.tell(True, 1.0)
    assert study.trials[1] == asked[1]
    study.storage.close()
