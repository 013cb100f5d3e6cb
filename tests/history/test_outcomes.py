"""Records of studies with several outcomes: the view of one, the front, the dominated volume, the constraints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from nonstop import history
from nonstop.acquisition.aim import Aim
from nonstop.acquisition.sought import modelled
from nonstop.errors import StudyError
from nonstop.history import volume as volumes
from nonstop.history.posterior import believed_best, posterior
from nonstop.history.view import view
from nonstop.numerics.hypervolume import hypervolume
from nonstop.space.embedding import PLAIN
from nonstop.space.encoding import encode_many
from nonstop.surrogate.model import surrogate_of
from nonstop.trials.best import front_of
from nonstop.trials.diagnostics import Diagnostics
from nonstop.types import Direction
from tests.helpers.outcomes import measured, told
from tests.helpers.studies import study

TWO: Mapping[str, Direction] = {"error": "minimize", "speed": "maximize"}
RESULTS = [
    {"error": 3.0, "speed": 1.0, "memory": 9.0},  # infeasible
    {"error": 2.0, "speed": 1.0, "memory": 5.0},
    {"error": 3.0, "speed": 4.0, "memory": 8.0},
    {"error": 1.0, "speed": 0.5, "memory": 8.5},  # infeasible
    {"error": 3.5, "speed": 3.0, "memory": 1.0},  # dominated
    {"error": 1.5, "speed": 2.0, "memory": 2.0},  # dominates the second
]
SPEC, TRIALS = told(RESULTS, TWO, {"memory": "<= 8"}, {"energy": 2.5, "comment": "none"})


def test_a_view_of_one_outcome_has_it_as_its_value() -> None:
    seen = view(SPEC, TRIALS, "speed")
    assert [trial.value for trial in seen.trials] == [1.0, 1.0, 4.0, 0.5, 3.0, 2.0]
    assert seen.spec.sign == 1.0
    assert seen.infeasible == {0, 3}
    assert seen.best == 2  # the fastest on the front
    assert view(SPEC, TRIALS).name == "error"
    assert view(SPEC, TRIALS).best == 5
    bounded = view(SPEC, TRIALS, "memory")
    assert bounded.bound is not None
    assert bounded.spec.sign == -1.0
    assert bounded.best == 5  # that of the first objective


def test_a_study_with_a_value_is_seen_as_it_is() -> None:
    spec, trials = study(n=5)
    seen = view(spec, trials)
    assert seen.spec is spec
    assert seen.trials is trials
    assert view(spec, trials, "value").trials is trials


def test_an_unknown_outcome_is_named_with_the_known_ones() -> None:
    with pytest.raises(StudyError, match=r"no outcome 'sped' for this figure: use one of error, speed, memory$"):
        view(SPEC, TRIALS, "sped")
    with pytest.raises(StudyError, match=r"no outcome 'energy' .*: use one of error, speed, memory; notes are not mod"):
        view(SPEC, TRIALS, "energy")
    with pytest.raises(StudyError, match=r"no outcome 'comment' .*: use one of error, speed, memory, energy"):
        view(SPEC, TRIALS, "comment", noted=True)
    assert view(SPEC, TRIALS, "energy", noted=True).note


def test_the_trace_shows_the_best_feasible_value() -> None:
    spec, trials = told(RESULTS, {"error": "minimize"}, {"memory": "<= 8"})
    record = history.trace(spec, trials)
    assert record.best.tolist()[1:] == [2.0, 2.0, 2.0, 2.0, 1.5]
    assert np.isnan(record.best[0])
    assert record.feasible.tolist() == [False, True, True, False, True, True]
    assert record.steps == [1, 5]


def test_a_trace_without_a_feasible_result_has_no_best() -> None:
    record = history.trace(*told(RESULTS, {"error": "minimize"}, {"memory": "<= 0.5"}))
    assert np.isnan(record.best).all()
    assert record.steps == []
    assert record.window is not None


def test_the_trace_of_a_constraint_shows_its_bound() -> None:
    record = history.trace(SPEC, TRIALS, "memory")
    assert record.steps == []
    assert str(record.bound) == "<= 8.0"
    assert record.window is not None
    assert record.window.low <= 8.0 <= record.window.high
    assert history.trace(SPEC, TRIALS, "energy").values.tolist() == [2.5] * 6


def test_the_front_is_that_of_the_study() -> None:
    record = history.front(SPEC, TRIALS)
    assert record.front.tolist() == [False, False, True, False, False, True]
    assert {t.number for t in front_of(TRIALS, SPEC.goals)} == {2, 5}
    assert record.values[:, 1].tolist() == [result["speed"] for result in RESULTS]
    with pytest.raises(StudyError, match="one objective has no front"):
        history.front(*study(n=3))


def test_nothing_is_on_the_front_while_nothing_is_feasible() -> None:
    record = history.front(*told(RESULTS, TWO, {"memory": "<= 0"}))
    assert not record.front.any()
    assert history.hypervolume(*told(RESULTS, TWO, {"memory": "<= 0"})).reference == {}


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_the_volume_is_that_of_all_feasible_results_so_far(objectives: int) -> None:
    rng = np.random.default_rng(objectives)
    names = "abcd"[:objectives]
    found = [dict(zip(names, row, strict=True)) for row in rng.random((40, objectives)).tolist()]
    goals = {name: "minimize" if i % 2 else "maximize" for i, name in enumerate(names)}
    spec, trials = told(found, goals)  # type: ignore[arg-type]
    record = history.hypervolume(spec, trials)
    Y = spec.goals.signed(found)
    reference = np.array(list(record.reference.values())) * spec.goals.signs
    brute = [hypervolume(Y[: i + 1], reference) for i in range(len(Y))]
    assert record.exact == (objectives < 4)
    np.testing.assert_allclose(record.volume, brute, rtol=1e-9 if record.exact else 0.05)
    assert (np.diff(record.volume) >= 0.0).all()
    assert record.size[-1] == len(front_of(trials, spec.goals))


def test_an_estimated_volume_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    spec, trials = measured(60, {"a": "minimize", "b": "minimize", "c": "minimize"})
    exact = history.hypervolume(spec, trials)
    monkeypatch.setattr(volumes, "BOXES", 0)
    estimate = history.hypervolume(spec, trials)
    assert exact.exact
    assert not estimate.exact
    assert estimate.volume[-1] == pytest.approx(exact.volume[-1], rel=0.02)


def test_later_results_do_not_move_the_reference_point() -> None:
    spec, trials = measured(80, TWO, {"memory": "<= 0.2"})
    early = history.hypervolume(spec, trials[:50])
    late = history.hypervolume(spec, trials)
    assert early.reference == late.reference
    assert sum(trial.outcomes.get("memory", 1.0) <= 0.2 for trial in trials[:50]) >= volumes.FIRST
    common = {t.number: v for t, v in zip(late.completed, late.volume, strict=True)}
    # The same results in the same order have the same volume, whatever comes later.
    assert [common[early.completed[0].number]] == [early.volume[0]]


def test_a_reference_point_of_your_own() -> None:
    record = history.hypervolume(SPEC, TRIALS, {"error": 4.0, "speed": 0.0})
    assert record.volume[-1] == pytest.approx(2.5 * 2.0 + 1.0 * 2.0)
    assert record.given
    with pytest.raises(StudyError, match="a finite number for 'speed'"):
        history.hypervolume(SPEC, TRIALS, {"error": 4.0})


def test_feasibility_over_time() -> None:
    record = history.feasibility(SPEC, TRIALS)
    assert record.share.tolist() == [0.0, 1 / 2, 2 / 3, 2 / 4, 3 / 5, 4 / 6]
    assert record.first is not None
    assert record.first.number == 1
    (kept,) = record.constraints
    assert kept.violated.tolist() == [True, False, False, True, False, False]
    assert kept.window.low <= 8.0 <= kept.window.high
    with pytest.raises(StudyError, match="no constraints"):
        history.feasibility(*study(n=3))


def test_parallel_coordinates_have_an_axis_for_each_outcome_and_number() -> None:
    record = history.parallel(SPEC, TRIALS, outcome="speed")
    assert record.name == "speed"
    assert [column.name for column in record.columns] == ["error", "memory", "energy"]
    assert record.infeasible == 2
    assert set(record.numbers[:2]) == {0, 3}
    assert record.numbers[-1] == 2  # the best is drawn last
    plain, trials = study(n=4)
    assert history.parallel(plain, trials).columns == ()


def test_a_model_of_each_outcome_in_its_own_units() -> None:
    spec, trials = measured(40, TWO, {"memory": "<= 0.2"})
    for name in ("error", "speed", "memory"):
        model = posterior(spec, trials, outcome=name)
        assert model is not None
        told_values = [trial.outcomes[name] for trial in model.trials]
        assert model.values.tolist() == told_values
        mean, _ = model.predict(model.gp.X)
        assert np.corrcoef(mean, told_values)[0, 1] > 0.9, name
        best = model.trials[model.incumbent]
        assert best.number in {trial.number for trial in front_of(trials, spec.goals)}


@pytest.mark.parametrize("objectives", [TWO, {"error": "minimize"}])
def test_values_are_transformed_as_for_a_proposal(objectives: Mapping[str, Direction]) -> None:
    results = [
        {"error": e, "speed": s, "memory": m} for e, s, m in np.random.default_rng(0).standard_exponential((30, 3))
    ]
    spec, trials = told(results, objectives, {"memory": "<= 2"})
    X = encode_many(spec.space, [trial.params or {} for trial in trials])
    aim, names = Aim.of([*objectives.values(), "<= 2"]), spec.goals.names
    Y = aim.oriented(np.array([[result[name] for name in names] for result in results]))
    models = modelled(surrogate_of(spec.surrogate), aim, X, Y, (None,) * len(names), PLAIN)
    for name, model in zip(names, models, strict=True):
        seen = posterior(spec, trials, outcome=name)
        assert seen is not None
        assert seen.output == model.output


def test_the_model_of_an_outcome_has_the_hyperparameters_that_were_recorded_for_it() -> None:
    import nonstop

    made = nonstop.create_study(
        space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}), objectives=TWO, constraints={"memory": "<= 0.7"}, initial=3
    )
    for _ in range(6):
        trial = made.ask()
        x = float((trial.params or {})["x"])
        made.tell(trial, {"error": x, "speed": np.sin(9.0 * x), "memory": x * x})
    said = made.trials[-1].diagnostics
    assert isinstance(said, Diagnostics)
    for place, name in enumerate(("error", "speed", "memory")):
        record = history.lengthscales(made.spec, made.trials, name)
        assert record.lengthscales[-1].tolist() == list(said.predictions[place].hyperparameters.lengthscales)
        model = posterior(made.spec, made.trials, outcome=name)
        assert model is not None
        assert model.gp.hyperparameters == said.predictions[place].hyperparameters


def test_what_is_believed_to_be_best_is_feasible() -> None:
    spec, trials = told(RESULTS, {"error": "minimize"}, {"memory": "<= 8"})
    found = believed_best(spec, trials)
    assert found is not None
    assert found.trial.number not in {0, 3}
    with pytest.raises(StudyError, match="several objectives"):
        believed_best(SPEC, TRIALS)


def test_a_long_table_has_the_front_and_the_latest() -> None:
    spec, trials = measured(200, TWO)
    record = history.listing(spec, trials, most=50)
    front = {trial.number for trial in front_of(trials, spec.goals)}
    assert front <= {trial.number for trial in record.trials}
    assert len(record.trials) <= 50
