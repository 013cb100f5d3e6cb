"""`NonstopGenerator` keeps the standard of gest-api."""

from __future__ import annotations

import copy
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from tests.integrations.hosts import host

host("gest_api")

from gest_api.generator import Generator  # noqa: E402
from gest_api.vocs import VOCS, ContinuousVariable  # noqa: E402

from nonstop.integrations.gest import NonstopGenerator  # noqa: E402
from nonstop.integrations.gest_vocs import problem_of, space_of  # noqa: E402

XY: dict[str, Any] = {"x": [0.0, 1.0], "y": [-2.0, 2.0]}


def bowl(point: dict[str, Any]) -> dict[str, Any]:
    return {**point, "f": (point["x"] - 0.3) ** 2 + point["y"] ** 2}


def a_generator(**settings: Any) -> NonstopGenerator:
    return NonstopGenerator(VOCS(variables=XY, objectives={"f": "MINIMIZE"}), **settings)


def states(generator: NonstopGenerator) -> list[str]:
    return [trial.state.value for trial in generator.study.trials]


def test_it_is_a_generator_with_ids() -> None:
    generator = a_generator()
    assert isinstance(generator, Generator)
    points = generator.suggest(3)
    assert [point["_id"] for point in points] == [0, 1, 2]
    assert all(type(point["_id"]) is int and type(point["x"]) is float for point in points)
    assert all(set(point) == {"x", "y", "_id"} for point in points)
    assert len(generator.suggest()) == len(generator.suggest(None)) == 1
    assert generator.suggest(0) == []


def test_it_finds_the_minimum_and_the_maximum() -> None:
    for goal, sign in (("MINIMIZE", 1.0), ("MAXIMIZE", -1.0)):
        generator = NonstopGenerator(VOCS(variables=XY, objectives={"f": goal}))
        for _ in range(25):
            generator.ingest([{**point, "f": sign * bowl(point)["f"]} for point in generator.suggest(1)])
        assert abs(generator.study.best_value) < 0.01


def test_points_that_were_suggested_are_busy_until_their_result_comes() -> None:
    generator = a_generator()
    generator.ingest([bowl(point) for point in generator.suggest(8)])
    first = generator.suggest(4)
    assert states(generator) == ["completed"] * 8 + ["running"] * 4
    second = generator.suggest(4)  # no result in between
    points = np.array([[point["x"], point["y"] / 4.0] for point in [*first, *second]])
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)[np.triu_indices(8, 1)]
    assert apart.min() > 1e-3
    believed = generator.study.trials[-1].diagnostics
    assert believed is not None
    assert {*believed.busy, *believed.believed} >= {point["_id"] for point in first}


def test_results_come_in_any_order_and_one_by_one() -> None:
    generator = a_generator()
    points = generator.suggest(6)
    for point in reversed(points[1:]):
        generator.ingest([bowl(point)])
        generator.ingest([bowl(generator.suggest(1)[0])])
    assert states(generator) == ["running"] + ["completed"] * 10
    assert [trial.params for trial in generator.study.trials[:6]] == [{"x": p["x"], "y": p["y"]} for p in points]


def test_variables() -> None:
    vocs = VOCS(
        variables={
            "a": ContinuousVariable(domain=[1, 3]),
            "b": {3, 1, 2},
            "c": {10.0, 0.1, 1.0},
            "d": {"y", "x", "z"},
            "e": {True, False},
            "f": {7},
            "g": {4, 2, 8},
        },
        objectives={"o": "MINIMIZE"},
    )
    assert space_of(vocs) == nonstop.Space(
        {
            "a": nonstop.Float(1.0, 3.0),
            "b": nonstop.Int(1, 3),
            "c": nonstop.Ordinal([0.1, 1.0, 10.0]),
            "d": nonstop.Categorical(["x", "y", "z"]),
            "e": nonstop.Categorical([False, True]),
            "f": nonstop.Categorical([7]),
            "g": nonstop.Ordinal([2, 4, 8]),
        }
    )
    generator = NonstopGenerator(vocs)
    points = generator.suggest(12)
    for name, values in vocs.variables.items():
        if name != "a":
            assert {point[name] for point in points} <= values.values
            assert all(type(point[name]) in {type(value) for value in values.values} for point in points)
    as_numpy = [{key: np.array([value])[0] for key, value in point.items()} for point in points]
    generator.ingest([{**point, "o": np.float32(1.5)} for point in as_numpy])
    assert states(generator) == ["completed"] * 12


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"variables": {}, "objectives": {"f": "MINIMIZE"}}, "at least one variable"),
        ({"variables": XY}, "at least one objective"),
        ({"variables": XY, "objectives": {"f": "EXPLORE"}}, "'f' must be MINIMIZE or MAXIMIZE"),
        ({"variables": {**XY, "z": "CONTEXTUAL"}, "objectives": {"f": "MINIMIZE"}}, "'z' is contextual"),
        ({"variables": {"z": {(1, 2), (3, 4)}}, "objectives": {"f": "MINIMIZE"}}, "neither numbers nor texts"),
        (
            {
                "variables": {"z": ContinuousVariable(domain=[0, 1], dtype=(float, (2,)))},
                "objectives": {"f": "MINIMIZE"},
            },
            "no array",
        ),
    ],
)
def test_problems_that_it_cannot_have(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        NonstopGenerator(VOCS(**given))


def test_a_setting_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="sead"):
        a_generator(sead=1)
    with pytest.raises(ValueError, match="study_name"):
        a_generator(storage="sqlite:///x.db")


def test_constants_are_passed_along_and_observables_kept() -> None:
    vocs = VOCS(variables=XY, objectives={"f": "MINIMIZE"}, constants={"alpha": 0.5}, observables=["temp", "image"])
    generator = NonstopGenerator(vocs)
    (point,) = generator.suggest(1)
    assert point["alpha"] == 0.5
    generator.ingest([{**bowl(point), "temp": np.float64(3.5), "image": np.eye(2), "else": 1}])
    (trial,) = generator.study.trials
    assert trial.notes == {"temp": 3.5, "image": [[1.0, 0.0], [0.0, 1.0]]}


def test_exactly_as_many_points_as_wanted_or_none() -> None:
    generator = NonstopGenerator(VOCS(variables={"k": {"a", "b", "c"}}, objectives={"f": "MINIMIZE"}))
    generator.ingest([{**point, "f": 1.0} for point in generator.suggest(2)])
    for wanted in (-1, 1.5, True, "3"):
        with pytest.raises(ValueError, match="whole number"):
            generator.suggest(wanted)  # type: ignore[arg-type]
    assert len(generator.suggest(1)) == 1


def test_where_the_engine_gives_up_there_are_no_points_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = a_generator()
    ask = generator.study.ask

    def tired(*arguments: Any, **named: Any) -> nonstop.Trial:
        if len(generator.study.trials) == 2:
            raise nonstop.StorageError("the disk is full")
        return ask(*arguments, **named)

    monkeypatch.setattr(generator.study, "ask", tired)
    with pytest.raises(ValueError, match="only 2 of 5 points: the disk is full"):
        generator.suggest(5)
    assert states(generator) == ["waiting", "waiting"]


def test_results_of_other_points_have_no_id() -> None:
    generator = a_generator()
    generator.ingest([{"x": 0.5, "y": 0.0, "f": 3.0}, {"x": 0.6, "y": 0.0, "f": 4.0, "_id": None}])
    generator.ingest([{"x": 0.7, "y": 0.0, "f": 5.0, "_id": float("nan")}])
    assert [trial.value for trial in generator.study.trials] == [3.0, 4.0, 5.0]
    assert generator.suggest(1)[0]["_id"] == 3


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"_id": 17}, "no point that was suggested"),
        ({"_id": -1}, "no point that was suggested"),
        ({"_id": "one"}, "whole number"),
        ({"x": 0.123}, "results of other points have no _id"),
        ({"x": 17.0}, "x"),
        ({"x": "a"}, "x"),
    ],
)
def test_if_one_result_is_wrong_none_is_stored(change: dict[str, Any], complaint: str) -> None:
    generator = a_generator()
    good, bad = generator.suggest(2)
    with pytest.raises(ValueError, match=complaint):
        generator.ingest([bowl(good), {**bowl(bad), **change}])
    with pytest.raises(ValueError, match="has no y"):
        generator.ingest([bowl(good), {"x": 0.5, "f": 1.0}])
    with pytest.raises(ValueError, match="two results"):
        generator.ingest([bowl(good), bowl(good)])
    assert states(generator) == ["running", "running"]
    generator.ingest([bowl(good)])
    with pytest.raises(ValueError, match="ingested before"):
        generator.ingest([bowl(good)])


@pytest.mark.parametrize("result", [{}, {"f": None}, {"f": float("nan")}, {"f": float("inf")}, {"f": "no"}])
def test_what_has_no_finite_result_has_failed(result: dict[str, Any]) -> None:
    generator = a_generator()
    (point,) = generator.suggest(1)
    generator.ingest([{**point, **result}, {"x": 0.5, "y": 0.5, **result}])
    assert states(generator) == ["failed", "failed"]
    assert generator.study.trials[0].reason == "no finite result"


def test_constraints_and_several_objectives() -> None:
    vocs = VOCS(
        variables=XY,
        objectives={"f": "MINIMIZE", "g": "MAXIMIZE"},
        constraints={"c": ["LESS_THAN", 0.5], "d": ["BOUNDS", -1.0, 1.0], "g": ["GREATER_THAN", -3.0]},
    )
    problem = problem_of(vocs)
    assert problem.objectives == {"f": "minimize", "g": "maximize"}
    assert problem.constraints == {"c": "<= 0.5", "d >= -1.0": ">= -1.0", "d <= 1.0": "<= 1.0", "g >= -3.0": ">= -3.0"}
    generator = NonstopGenerator(vocs)
    for _ in range(24):
        (point,) = generator.suggest(1)
        x, y = point["x"], point["y"]
        generator.ingest([{**point, "f": x**2, "g": -((x - 1.0) ** 2) - y**2, "c": x, "d": y}])
    best = generator.study.best_trials
    assert len(best) > 1
    assert all((trial.params or {})["x"] <= 0.5 and abs((trial.params or {})["y"]) <= 1.0 for trial in best)
    generator.ingest([{**generator.suggest(1)[0], "f": 1.0, "g": 1.0, "c": float("nan"), "d": 0.0}])
    assert states(generator)[-1] == "failed"
    with pytest.raises(ValueError, match="has objectives but no c, which is a constraint"):
        generator.ingest([{**generator.suggest(1)[0], "f": 1.0, "g": 1.0, "d": 0.0}])  # the host forgot it


def test_a_fork_has_a_generator_of_its_own() -> None:
    """libEnsemble and optimas run the generator in a process that they fork."""
    generator = a_generator(seed=3)
    generator.ingest([bowl(point) for point in generator.suggest(9)])
    (held,) = generator.suggest(1)
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            generator.ingest([bowl(held)])
            os.write(writing, json.dumps([generator.suggest(1), states(generator)]).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        points, forked = json.loads(answer.read())
    os.wait()
    assert forked == ["completed"] * 10 + ["running"]
    assert states(generator) == ["completed"] * 9 + ["running"]
    generator.ingest([bowl(held)])
    assert generator.suggest(1) == points


def test_one_objective_with_a_constraint_finds_the_border() -> None:
    vocs = VOCS(variables=XY, objectives={"f": "MINIMIZE"}, constraints={"c": ["GREATER_THAN", 0.6]})
    generator = NonstopGenerator(vocs)
    for _ in range(30):
        (point,) = generator.suggest(1)
        generator.ingest([{**bowl(point), "c": point["x"]}])
    best = generator.study.best_trial
    assert (best.params or {})["x"] == pytest.approx(0.6, abs=0.02)
    assert (best.params or {})["x"] >= 0.6


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda generator: pickle.loads(pickle.dumps(generator))])
def test_a_copy_goes_on_in_the_same_way_and_by_itself(copied: Any) -> None:
    generator = a_generator(seed=3)
    generator.ingest([bowl(point) for point in generator.suggest(9)])
    held = generator.suggest(2)
    other = copied(generator)
    assert states(other) == states(generator)
    assert other.suggest(2) == generator.suggest(2)
    other.ingest([bowl(held[0])])
    assert states(other)[9] == "completed"
    assert states(generator)[9] == "running"


def test_a_study_in_a_storage_goes_on(tmp_path: Path) -> None:
    where = {"storage": f"sqlite:///{tmp_path / 'runs.db'}", "study_name": "lab"}
    generator = a_generator(**where)
    points = generator.suggest(3)
    generator.ingest([bowl(points[0])])
    clone = pickle.loads(pickle.dumps(generator))
    clone.ingest([bowl(points[1])])
    generator.finalize()
    assert states(generator) == ["completed", "completed", "waiting"]
    again = a_generator(**where)
    assert again.suggest(1) == [points[2]]  # first what nobody evaluated
    assert nonstop.load_study(where["storage"], "lab").best_value == again.study.best_value
    with pytest.raises(ValueError, match="stay there"):
        again.data = again.study.to_dataframe()


def test_finalize_leaves_nothing_busy_and_may_be_called_twice() -> None:
    generator = a_generator()
    generator.ingest([bowl(generator.suggest(2)[0])])
    generator.finalize()
    generator.finalize()
    assert states(generator) == ["completed", "waiting"]


def test_a_lost_point_is_suggested_again_after_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = a_generator(lease=10.0)
    (lost,) = generator.suggest(1)
    assert generator.suggest(1) != [lost]
    monkeypatch.setattr("nonstop.clock.WallClock.monotonic", lambda _clock: 1e9)
    assert generator.suggest(1) == [lost]


def test_what_xopt_calls_besides() -> None:
    pd = pytest.importorskip("pandas")
    generator = a_generator()
    points = generator.generate(4)
    generator.add_data(pd.DataFrame([bowl(point) for point in points]))
    assert list(generator.data["f"]) == [bowl(point)["f"] for point in points]
    generator.data = generator.data.iloc[:2]
    assert len(generator.study.trials) == 2
    generator.data = pd.DataFrame()
    assert len(generator.data) == 0
