"""NonstopSampler in studies of Optuna with several objectives, or with constraints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import nonstop
from tests.integrations.hosts import host

optuna = host("optuna")

from optuna.distributions import FloatDistribution  # noqa: E402
from optuna.trial import FrozenTrial, TrialState, create_trial  # noqa: E402

from nonstop.integrations.optuna import NonstopSampler  # noqa: E402
from nonstop.integrations.optuna_trials import Frame, Known  # noqa: E402

SPACE = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 1.0)}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def known(study: Any) -> Known:
    return Known.of(study, number=-1, frame=Frame.of(SPACE))


def both(trial: Any) -> tuple[float, float]:
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    return float((x - 0.2) ** 2 + y**2), -float((x - 0.8) ** 2 + y**2)


def test_two_objectives_in_different_directions() -> None:
    """The front is y = 0 and x from 0.2 to 0.8, from (0, -0.36) to (0.36, 0)."""
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=NonstopSampler(seed=1))
    study.optimize(both, n_trials=30)
    assert known(study).goals == ("minimize", "maximize")
    front = [trial.params["x"] for trial in study.best_trials if trial.params["y"] < 0.05]
    assert len(front) >= 8
    assert max(front) - min(front) > 0.25
    assert len(known(study).warm or ()) == 2


def test_two_objectives_with_the_rule_for_their_volume() -> None:
    sampler = NonstopSampler(seed=1, n_startup_trials=6, rule="ehvi")
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler)
    study.optimize(both, n_trials=12)
    assert sum(trial.params["y"] < 0.1 for trial in study.trials[6:]) >= 3


def constrained(trial: Any) -> float:
    """The smallest feasible value is 0.8: x * y >= 0.16 at x = y = 0.4."""
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    trial.set_constraint("product", 0.16 - x * y)
    return float(x + y)


def test_constraints_that_the_objective_sets() -> None:
    study = optuna.create_study(sampler=NonstopSampler(seed=1))
    study.optimize(constrained, n_trials=35)
    assert known(study).goals == ("minimize", "<= 0.0")
    assert known(study).Y[:, 1].tolist() == [trial.constraints["product"] for trial in study.trials]
    assert 0.8 <= study.best_value < 0.83
    assert study.best_trial.constraints["product"] <= 0.0


def test_constraints_of_a_function_that_looks_at_the_trial() -> None:
    def product(trial: FrozenTrial) -> Sequence[float]:
        return (0.16 - trial.params["x"] * trial.params["y"],)

    study = optuna.create_study(sampler=NonstopSampler(seed=1, constraints_func=product))
    study.optimize(lambda t: t.suggest_float("x", 0.0, 1.0) + t.suggest_float("y", 0.0, 1.0), n_trials=35)
    same = optuna.create_study(sampler=NonstopSampler(seed=1))
    same.optimize(constrained, n_trials=35)
    assert [trial.params for trial in study.trials] == [trial.params for trial in same.trials]


@pytest.mark.parametrize("constraint_value", [-1.0, 0.0, 1.0, -math.inf, math.inf])
@pytest.mark.parametrize("n_objectives", [1, 2])
def test_constraints_func(constraint_value: float, n_objectives: int) -> None:
    """A test of Optuna's own GPSampler."""
    calls = []

    def constraints(trial: FrozenTrial) -> Sequence[float]:
        calls.append(trial.number)
        return (constraint_value + trial.number,)

    def objective(trial: Any) -> float | tuple[float, float]:
        x = trial.suggest_float("x", 0, 1)
        return x if n_objectives == 1 else (x, (x - 2) ** 2)

    sampler = NonstopSampler(n_startup_trials=2, constraints_func=constraints)
    study = optuna.create_study(directions=["minimize"] * n_objectives, sampler=sampler)
    study.optimize(objective, n_trials=5)
    assert calls == [0, 1, 2, 3, 4]
    for trial in study.trials:
        assert list(trial.constraints.values()) == [constraint_value + trial.number]


@pytest.mark.parametrize("n_objectives", [1, 2])
def test_constraints_func_nan(n_objectives: int) -> None:
    """A test of Optuna's own GPSampler."""

    def objective(trial: Any) -> tuple[float, ...]:
        x = trial.suggest_float("x", 0, 1)
        return (x,) if n_objectives == 1 else (x, (x - 2) ** 2)

    sampler = NonstopSampler(n_startup_trials=2, constraints_func=lambda _: (math.nan,))
    study = optuna.create_study(directions=["minimize"] * n_objectives, sampler=sampler)
    with pytest.raises(ValueError, match="Trial#0"):
        study.optimize(objective, n_trials=5)
    (trial,) = study.trials
    assert trial.values == list(objective(trial))
    assert trial.constraints == {}


def test_infinite_constraints_are_the_largest_finite_ones() -> None:
    study = optuna.create_study()
    for value in (-math.inf, 3.0, -5.0, math.inf):
        about = {"params": {"x": 0.5, "y": 0.5}, "distributions": SPACE, "value": 1.0}
        study.add_trial(create_trial(**about, constraints={"c": value}))
    assert known(study).Y[:, 1].tolist() == [-5.0, 3.0, -5.0, 5.0]


def test_a_trial_without_a_constraint_is_believed() -> None:
    study = optuna.create_study(sampler=NonstopSampler(seed=1, n_startup_trials=4))
    study.optimize(constrained, n_trials=8)
    study.add_trial(create_trial(params={"x": 0.25, "y": 0.75}, distributions=SPACE, value=1.0))
    assert len(known(study).X) == 8
    assert known(study).believed.tolist() == [[0.25, 0.75]]
    study.optimize(constrained, n_trials=2)
    assert len(known(study).X) == 10


def test_an_objective_that_is_not_finite_makes_the_trial_a_failed_one() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=NonstopSampler(seed=1, n_startup_trials=4))
    study.optimize(both, n_trials=8)
    study.add_trial(create_trial(params={"x": 0.5, "y": 0.0}, distributions=SPACE, values=[math.inf, 0.0]))
    after = known(study)
    assert after.Y[-1].tolist() == [math.inf, 0.0]
    proposal = nonstop.propose(after.X, after.Y, goals=after.goals)
    same = nonstop.propose(after.X[:-1], after.Y[:-1], goals=after.goals, failed=after.X[-1:])
    assert proposal.x.tolist() == same.x.tolist()
    study.optimize(both, n_trials=2)
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)
