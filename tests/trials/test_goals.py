"""Objectives and constraints in a specification, in the data that workers mirror, in rows, and in stopping rules."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop.errors import RowsError, RuleError, StorageError, StudyError, StudyMismatchError
from nonstop.outcomes.goals import Goals
from nonstop.storage.memory import MemoryStorage
from nonstop.trials.mirror import Mirror
from nonstop.trials.rows import inserts_of
from nonstop.trials.spec import Spec, goals_of, spec_for_viewing
from nonstop.trials.trial import Trial, TrialState
from nonstop.trials.until import Until, check_until, met

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
TWO: dict[str, Any] = {"objectives": {"error": "minimize", "speed": "maximize"}, "constraints": {"memory": "<=8"}}
GOALS = Goals.of("minimize", **TWO)
ONE = Goals.of("minimize", {"error": "minimize"}, {"memory": "<= 8"})


def made(storage: MemoryStorage, **settings: Any) -> nonstop.Study:
    return nonstop.create_study(storage, "demo", space=SPACE, load_if_exists=True, **settings)


# A specification


@pytest.mark.parametrize(
    "settings", [TWO, {"objectives": {"a": "maximize"}}, {"constraints": {"m": ">= 1"}, "direction": "maximize"}, {}]
)
def test_it_comes_back_from_json(settings: dict[str, Any]) -> None:
    spec = Spec(SPACE, **settings)
    stored = json.loads(json.dumps(spec.to_json()))
    assert Spec.from_json(stored) == spec_for_viewing(stored) == spec
    assert goals_of(stored) == spec.goals
    assert ("objectives" in stored, "constraints" in stored) == ("objectives" in settings, "constraints" in settings)


def test_the_direction_is_that_of_the_only_objective() -> None:
    assert Spec(SPACE, objectives={"speed": "maximize"}).sign == 1.0
    assert Spec(SPACE, objectives={"speed": "maximize"}).direction == "maximize"
    with pytest.raises(StudyError, match="several objectives"):
        _ = Spec(SPACE, **TWO).sign


def test_bounds_are_compared_as_numbers() -> None:
    storage = MemoryStorage()
    study = made(storage, **TWO)
    assert study.spec.constraints == {"memory": "<= 8.0"}
    for text in ("<= 8", "<=8.0", " <=  8e0 "):
        assert made(storage, **{**TWO, "constraints": {"memory": text}}).id == study.id
    other_order = {"speed": "maximize", "error": "minimize"}
    assert list(made(storage, objectives=other_order).spec.goals.objectives) == ["error", "speed"]
    assert made(storage).spec.goals == study.spec.goals


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"objectives": {"error": "minimize"}}, "objectives"),
        ({"objectives": {"error": "minimize", "speed": "minimize"}}, "objectives"),
        ({"constraints": {"memory": "<= 9"}}, "constraints"),
        ({"constraints": {"memory": ">= 8"}}, "constraints"),
        ({"constraints": {"memory": "<= 8", "heat": "<= 60"}}, "constraints"),
    ],
)
def test_others_are_a_mismatch_that_names_them(given: dict[str, Any], field: str) -> None:
    storage = MemoryStorage()
    made(storage, **TWO)
    with pytest.raises(StudyMismatchError, match=f"was made with {field} = "):
        made(storage, **given)


def test_a_plain_study_has_none() -> None:
    storage = MemoryStorage()
    made(storage)
    with pytest.raises(StudyMismatchError, match="was made with objectives = None, not"):
        made(storage, objectives={"error": "minimize"})
    with pytest.raises(StudyError, match="direction is for a study with one objective that has no name"):
        nonstop.create_study(space=SPACE, direction="minimize", objectives={"error": "minimize"})


def test_a_direction_says_nothing_about_several_objectives() -> None:
    storage = MemoryStorage()
    made(storage, **TWO)
    for direction in ("minimize", "maximize"):
        with pytest.raises(StudyError, match="direction"):
            made(storage, direction=direction)


@pytest.mark.parametrize(
    ("rule", "objectives"),
    [("ehvi", ["a"]), ("ehvi", ["a", "b", "c", "d"]), ("e-logei", ["a", "b"]), ("ucb+ehvi", ["a"])],
)
def test_a_rule_that_is_not_for_so_many_is_refused_at_once(rule: str, objectives: list[str]) -> None:
    wanted: Any = dict.fromkeys(objectives, "minimize")
    with pytest.raises(RuleError, match="only, not with"):
        nonstop.create_study(space=SPACE, rule=rule, objectives=wanted)


# What workers mirror


def test_a_mirror_has_the_outcomes_of_every_version() -> None:
    study = nonstop.create_study(space=SPACE, initial=100, **TWO)
    trials = [study.ask() for _ in range(5)]
    for number in (3, 0, 4, 1):
        told = {"error": number, "speed": 2 * number, "memory": -number}
        study.tell(trials[number], *((None, "failed") if number == 4 else (told,)))
    mirror = Mirror(SPACE)
    mirror.apply(study.storage.exchange(study.id, 0).changes)
    assert mirror.outcomes(3, ("memory", "error")).tolist() == [[-3.0, 3.0], [0.0, 0.0], [-1.0, 1.0]]
    assert mirror.outcomes(1, GOALS.names).tolist() == [[3.0, 6.0, -3.0]]
    assert mirror.outcomes(0, GOALS.names).shape == (0, 3)
    assert np.isnan(mirror.data(3)[1]).all()
    with pytest.raises(StorageError, match="a result has no outcome 'heat'"):
        mirror.outcomes(3, ("heat",))


# Rows from elsewhere


def told(row: Any, goals: Goals = GOALS, **options: Any) -> Any:
    (insert,) = inserts_of(SPACE, goals, [row], **options)
    return insert.value, dict(insert.outcomes), dict(insert.notes)


FULL = {"error": 0.1, "speed": 2.0, "memory": 9.0}


@pytest.mark.parametrize(
    "row",
    [
        ({"x": 0.5}, FULL),
        {"x": 0.5, "outcomes": FULL},
        {"x": 0.5, **FULL},
        {"params_x": 0.5, **{f"outcomes_{name}": value for name, value in FULL.items()}},
        {"x": 0.5, "outcomes": {"error": 0.1}, "outcomes_speed": 2, "memory": np.float64(9), "value": math.nan},
        {"x": 0.5, **FULL, "feasible": False},
        Trial(0, TrialState.COMPLETED, {"x": 0.5}, outcomes=FULL),
    ],
)
def test_rows_with_several(row: Any) -> None:
    if isinstance(row, tuple):
        row = {"params": row[0], "outcomes": row[1]}
    assert told(row) == (None, FULL, {})


def test_a_value_stands_for_the_only_objective() -> None:
    expected: Any = (0.1, {"error": 0.1, "memory": 9.0}, {})
    assert told({"x": 0.5, "value": 0.1, "outcomes_memory": 9}, ONE) == expected
    assert told({"x": 0.5, "value": 0.1, "error": 0.1, "memory": 9}, ONE) == expected
    value = Goals.of("minimize", None, {"memory": "<= 8"})
    assert told({"x": 0.5, "value": 0.1, "memory": 9}, value) == (0.1, {"value": 0.1, "memory": 9.0}, {})
    alone = Goals.of("minimize", {"error": "minimize"})
    assert told(({"x": 0.5}, 0.1), alone) == (0.1, {"error": 0.1}, {})
    plain = Goals.of("minimize")
    assert told({"x": 0.5, "value": 0.1, "outcomes_memory": 9.0}, plain) == (0.1, {}, {"memory": 9.0})


@pytest.mark.parametrize(
    ("row", "goals", "said"),
    [
        ({"x": 0.5, "error": 0.1, "speed": 2.0}, GOALS, "the outcome 'memory' is missing among"),
        ({"x": 0.5, **FULL, "speed": math.inf}, GOALS, "the outcome 'speed' is inf"),
        ({"x": 0.5, **FULL, "speed": "fast"}, GOALS, "the outcome 'speed' is 'fast'"),
        ({"x": 0.5, **FULL, "value": 0.1}, GOALS, "value: got 0.1, expected none, because there are several"),
        ({"x": 0.5, "value": 0.1}, GOALS, "value: got 0.1, expected none, because there are several"),
        ({"x": 0.5, "state": "completed"}, GOALS, "the outcome 'error' is missing"),
        ({"x": 0.5, "value": 0.2, "error": 0.1, "memory": 1}, ONE, "value: got 0.2, but the outcome 'error' is 0.1"),
        ({"x": 0.5, "state": "failed", **FULL}, GOALS, "outcomes: got .* expected none, because it failed"),
        ({"x": 0.5, "outcomes": [1, 2]}, GOALS, "outcomes: got .*, expected a mapping"),
        ({"x": 0.5, **FULL, "sped": 1}, GOALS, "'sped' is no field and no parameter: expected 'speed', perhaps"),
    ],
)
def test_rows_that_are_wrong(row: dict[str, Any], goals: Goals, said: str) -> None:
    with pytest.raises(RowsError, match=said):
        inserts_of(SPACE, goals, [row])


def test_a_parameter_that_is_called_like_an_outcome() -> None:
    space = nonstop.Space({"error": nonstop.Float(0.0, 1.0), "outcomes_speed": nonstop.Float(0.0, 1.0)})
    row = {"params_error": 0.5, "params_outcomes_speed": 0.25, "outcomes_error": 0.1, "outcomes_speed": 2, "memory": 9}
    (insert,) = inserts_of(space, GOALS, [row])
    assert (insert.params, insert.outcomes) == ({"error": 0.5, "outcomes_speed": 0.25}, FULL)


def test_a_table_comes_back() -> None:
    pytest.importorskip("pandas")
    study = nonstop.create_study(space=SPACE, initial=100, **TWO)
    for memory in (7.0, 9.0):
        study.tell(study.ask(), {"error": 0.1, "speed": 2.0, "memory": memory, "epochs": 3})
    study.tell(study.ask(), state="failed", reason="boom")
    frame = study.to_dataframe()
    columns = ["value", "outcomes_error", "outcomes_speed", "outcomes_memory", "feasible", "params_x"]
    assert list(frame.columns)[2:8] == columns
    assert frame["feasible"].dtype == "boolean"
    assert frame["feasible"].tolist()[:2] == [True, False]
    assert frame["feasible"].isna().tolist() == [False, False, True]
    assert math.isnan(frame["outcomes_memory"][2])
    again = nonstop.create_study(space=SPACE, **TWO)
    again.add_trials(frame.to_dict("records"))
    assert [trial.outcomes for trial in again.trials] == [trial.outcomes for trial in study.trials]
    plain = nonstop.create_study(space=SPACE)
    assert not {"feasible", "outcomes_value"} & set(plain.to_dataframe().columns)


# Stopping rules


def results(goals: Goals, *rows: tuple[float, ...]) -> list[Trial]:
    many = [dict(zip(goals.names, row, strict=True)) for row in rows]
    return [
        Trial(i, TrialState.COMPLETED, value=goals.value_of(told), order=i + 1, sequence=i + 1, outcomes=told)
        for i, told in enumerate(many)
    ]


def test_a_target_is_reached_by_what_is_feasible() -> None:
    rule = Until(value=0.5)
    infeasible = [(0.1, 9.0), (0.2, 20.0)]
    assert met(rule, ONE, results(ONE, *infeasible)) is None
    assert met(rule, ONE, results(ONE, *infeasible, (0.6, 7.0))) is None
    assert met(rule, ONE, results(ONE, *infeasible, (0.4, 8.0))) == "the value 0.4 of trial 2 reached 0.5"


def test_an_improvement_is_a_smaller_violation_or_a_place_on_the_front() -> None:
    rule = Until(patience=2)
    assert met(rule, ONE, results(ONE, (0.1, 20.0), (0.5, 19.0), (0.9, 18.0))) is None
    assert met(rule, ONE, results(ONE, (0.1, 9.0), (0.0, 19.0), (0.0, 18.0))) == "no improvement in 2 results"
    front = [(0.5, 1.0, 1.0), (0.4, 0.5, 1.0), (0.6, 2.0, 1.0)]
    assert met(rule, GOALS, results(GOALS, *front)) is None
    assert met(rule, GOALS, results(GOALS, *front, (0.7, 1.0, 1.0), (0.4, 0.5, 1.0))) == "no improvement in 2 results"
    assert met(rule, GOALS, results(GOALS, *front, (0.7, 1.0, 1.0), (0.0, 9.0, 8.5))) == "no improvement in 2 results"


def test_a_value_is_for_one_objective() -> None:
    with pytest.raises(StudyError, match="until: value is for one objective, and there are 2"):
        check_until(Until(value=1.0), GOALS)
    assert check_until(Until(patience=1), GOALS) == Until(patience=1)
    assert check_until(Until(value=1.0), ONE) == Until(value=1.0)
    study = nonstop.create_study(space=SPACE, **TWO)
    with pytest.raises(StudyError, match="until: value is for one objective"):
        study.optimize(lambda _params: FULL, n_trials=1, until="value 0.1")


# What is best


def test_the_best_of_a_study() -> None:
    study = nonstop.create_study(space=SPACE, initial=100, **TWO)
    assert list(study.best_trials) == []
    with pytest.raises(StudyError, match=r"has several objectives \(error, speed\): ask for best_trials"):
        _ = study.best_trial
    study.add_trials([{"x": 0.1, **FULL}, {"x": 0.2, **FULL, "memory": 8.5}])
    assert [trial.number for trial in study.best_trials] == [1]
    study.add_trial({"x": 0.3}, {**FULL, "memory": 8.0, "host": "rig"})
    assert [trial.number for trial in study.best_trials] == [2]
    assert study.trials[2].notes == {"host": "rig"}
    html = study._repr_html_()
    assert "minimize error, maximize speed, subject to memory &lt;= 8.0" in html
    assert ">violates<" in html
    assert "outcomes" in study.trials[0]._repr_html_()


def test_the_card_of_a_constrained_study_ranks_what_is_feasible_first() -> None:
    study = nonstop.create_study(space=SPACE, objectives={"error": "minimize"}, constraints={"memory": "<= 8"})
    study.add_trials([{"x": 0.1, "error": 0.125, "memory": 9}, {"x": 0.2, "error": 0.375, "memory": 8}])
    html = study._repr_html_()
    assert html.index("0.375") < html.index("0.125")
    assert study.best_value == 0.375


@pytest.mark.parametrize("noisy", [False, True])
def test_what_is_believed_best_is_feasible(noisy: bool) -> None:
    study = nonstop.create_study(
        space=SPACE, noisy=noisy, objectives={"error": "minimize"}, constraints={"memory": "<= 8"}
    )
    rows = [{"x": x, "error": x, "memory": 16 * (1 - x)} for x in (0.0, 0.2, 0.4)]
    study.add_trials(rows)
    assert study.best_believed.trial.number == 0, "nothing is feasible yet"
    study.add_trials([{"x": x, "error": x, "memory": 16 * (1 - x)} for x in (0.6, 0.8, 1.0)])
    assert study.best_believed.trial.number == 3
