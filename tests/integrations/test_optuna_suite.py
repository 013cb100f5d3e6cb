"""Optuna's own tests of samplers, on ours: those it ships, as they are, and the generic ones of its repository."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import pytest

from tests.integrations.hosts import host

optuna = host("optuna")

from optuna.testing import pytest_samplers as suite  # noqa: E402

from nonstop.integrations.optuna import NonstopSampler  # noqa: E402

Make = Callable[[], NonstopSampler]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


class Ours:
    @pytest.fixture(params=[0, 10])
    def sampler(self, request: pytest.FixtureRequest) -> Make:
        """With the model from the first result on, and with the default start."""
        return lambda: NonstopSampler(n_startup_trials=request.param)


class TestBasic(Ours, suite.BasicSamplerTestCase):
    pass


class TestRelative(Ours, suite.RelativeSamplerTestCase):
    pass


class TestMultiObjective(Ours, suite.MultiObjectiveSamplerTestCase):
    pass


def of_all_kinds(trial: Any) -> float:
    """The objective of Optuna's tests of seeds."""
    a = trial.suggest_float("a", 1, 9)
    b = trial.suggest_float("b", 1, 9, log=True)
    c = trial.suggest_float("c", 1, 9, step=1)
    d = trial.suggest_int("d", 1, 9)
    e = trial.suggest_int("e", 1, 9, log=True)
    f = trial.suggest_int("f", 1, 9, step=2)
    g = trial.suggest_categorical("g", range(1, 10))
    return float(a + b + c + d + e + f + g)


def constant(trial: Any) -> float:
    of_all_kinds(trial)
    return 0.0


def params_of(sampler: NonstopSampler, objective: Callable[[Any], float] = of_all_kinds) -> list[dict[str, Any]]:
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=15)
    return [trial.params for trial in study.trials]


@pytest.mark.parametrize("startup", [0, 10])
@pytest.mark.parametrize("objective", [of_all_kinds, constant])
def test_reproducible(startup: int, objective: Callable[[Any], float]) -> None:
    first = params_of(NonstopSampler(seed=1, n_startup_trials=startup), objective)
    assert params_of(NonstopSampler(seed=1, n_startup_trials=startup), objective) == first
    assert params_of(NonstopSampler(seed=2, n_startup_trials=startup), objective) != first


@pytest.mark.parametrize("startup", [0, 10])
def test_reseed_rng_change_sampling(startup: int) -> None:
    reseeded = NonstopSampler(seed=1, n_startup_trials=startup)
    reseeded.reseed_rng()
    assert params_of(reseeded) != params_of(NonstopSampler(seed=1, n_startup_trials=startup))


def test_reproducible_in_other_process() -> None:
    """Processes whose hashes of strings differ."""
    code = (
        "import json, optuna; from tests.integrations import test_optuna_suite as suite;"
        "optuna.logging.set_verbosity(optuna.logging.ERROR);"
        "sampler = suite.NonstopSampler(seed=1, n_startup_trials=0);"
        "print(json.dumps([hash('nondeterministic'), suite.params_of(sampler)]))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    command = [sys.executable, "-c", code]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, env=environment).stdout) for _ in "ab"]
    assert runs[0][0] != runs[1][0]
    assert runs[0][1] == runs[1][1] == params_of(NonstopSampler(seed=1, n_startup_trials=0))


def test_sampler_reseed_rng() -> None:
    """Its own seed changes, and the sampler that it holds is reseeded once."""
    held = optuna.samplers.RandomSampler(seed=1)
    sampler = NonstopSampler(seed=1, independent_sampler=held)
    seed, state = sampler._seed, str(held._rng.rng.get_state())
    with patch.object(held, "reseed_rng", wraps=held.reseed_rng) as reseed:
        sampler.reseed_rng()
    assert reseed.call_count == 1
    assert sampler._seed != seed
    assert str(held._rng.rng.get_state()) != state


@pytest.mark.parametrize("seed", [0, 169208])
def test_pickle(seed: int) -> None:
    restored = pickle.loads(pickle.dumps(NonstopSampler(seed=seed)))
    assert params_of(restored) == params_of(NonstopSampler(seed=seed))
