"""Searching random spaces of every kind, nested, constrained and stepped, through a study: with every rule every trial
is valid, the run is replayed to the last bit, and fixed params are kept."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nonstop
from nonstop.errors import SpaceError
from nonstop.space.encoding import cube_of
from nonstop.space.partial import partial_params
from nonstop.trials.replay import replay
from nonstop.types import Params
from tests.helpers.rules import RULES
from tests.helpers.spaces import spaces

EVERY = [*RULES, "kb-ucb+kb-ucb+kb-logei"]


def search(space: nonstop.Space, rule: str, seed: int, trials: int = 7) -> None:
    """A study with workers that finish in another order than they began, failures, and fixed params."""
    rng = random.Random(seed)
    try:
        study = nonstop.create_study(space=space, rule=rule, seed=seed, initial=2)
    except SpaceError as error:
        assert "points were tried" in str(error)  # noqa: PT017
        return
    running = []
    fixed: Params | None = None
    for number in range(trials):
        trial = study.ask(fixed=fixed)
        assert trial.params is not None
        assert space.validate(trial.params) == trial.params
        assert {**trial.params, **(fixed or {})} == trial.params
        running.append(trial)
        if number > 1:
            done = running.pop(rng.randrange(len(running)))
            if rng.random() < 0.2:
                study.tell(done, state="failed")
            else:
                study.tell(done, rng.random())
        fixed = some_of(space, trial.params, rng) if rng.random() < 0.4 else None
    found = replay(study.spec, study.trials)
    assert found.identical, found.differences


def some_of(space: nonstop.Space, params: Params, rng: random.Random) -> Params | None:
    """Some of the params, those that choices bring along only if the choices are among them."""
    kept: Params = {}
    for name, value in params.items():
        try:
            if rng.random() < 0.4:
                kept = partial_params(space, {**kept, name: value})
        except nonstop.ParamsError:
            continue
    return kept or None


@pytest.mark.parametrize("rule", EVERY)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(space=spaces(), seed=st.integers(0, 2**32))
def test_a_study_in_a_random_space(rule: str, space: nonstop.Space, seed: int) -> None:
    search(space, rule, seed)


def test_the_border_is_reached_through_a_study() -> None:
    """The best point is on the border of the constraint, and in a branch that has it."""
    space = nonstop.Space(
        {
            "kind": nonstop.Categorical(
                {
                    "tank": nonstop.Space(
                        {"width": nonstop.Float(0.0, 10.0), "height": nonstop.Float(0.0, 10.0)},
                        where="width * height <= 20",
                    ),
                    "pipe": nonstop.Space({"width": nonstop.Float(0.0, 1.0)}),
                }
            )
        }
    )
    study = nonstop.create_study(space=space, direction="maximize", seed=1)

    def volume(params: Params) -> float:
        return float(params["width"]) + 2.0 * float(params.get("height", 0.0)) - 0.1 * float(params["width"]) ** 2

    study.optimize(volume, n_trials=30)
    best = study.best_params
    assert best["kind"] == "tank"
    assert best["width"] * best["height"] <= 20.0
    # height = 20 / width, so 40 / width + width - width^2 / 10 is to be as large as possible with height <= 10.
    assert study.best_value == pytest.approx(20.0 + 2.0 - 0.4, rel=1e-3)
    assert replay(study.spec, study.trials).identical


def test_a_function_that_allows_a_ten_thousandth() -> None:
    space = nonstop.Space(
        {"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)},
        where=lambda params: 0.9 < params["x"] < 0.91 and 0.2 < params["y"] < 0.21,
    )
    study = nonstop.create_study(space=space, seed=0)
    study.optimize(lambda params: (params["x"] - 0.5) ** 2 + (params["y"] - 0.5) ** 2, n_trials=12)
    assert all(0.9 < trial.params["x"] < 0.91 for trial in study.trials if trial.params)
    assert study.best_value == pytest.approx(0.4**2 + 0.29**2, abs=1e-3)


def test_a_space_that_is_empty_is_refused_at_once() -> None:
    numbers = {"x": nonstop.Int(0, 9), "y": nonstop.Int(0, 9)}
    with pytest.raises(SpaceError, match=r"seem to leave no point: 100 points were tried"):
        nonstop.create_study(space=nonstop.Space(numbers, where="x + y > 30"))
    study = nonstop.create_study(space=nonstop.Space(numbers, where="x + y == 7"))
    assert cube_of(study.spec.space).size == 8
    with pytest.raises(SpaceError, match="and the fixed values seem to leave no point: 10 points were tried"):
        study.ask(fixed={"x": 9})
    assert not study.trials
    assert (study.ask(fixed={"x": 3}).params or {})["y"] == 4
