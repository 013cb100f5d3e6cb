"""AEGIS: which of its three ways, how often, and where each leads."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from nonstop.acquisition.aegis import Aegis, compromise, epsilon
from nonstop.acquisition.rule import Acquisition, Choice
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import Mean
from nonstop.space.cube import Cube
from nonstop.surrogate.paths import Path
from tests.helpers.oracles import random_gp
from tests.helpers.rules import view_of


@pytest.mark.parametrize(("d", "expected"), [(1, 1.0), (4, 1.0), (9, 2.0 / 3.0), (100, 0.2)])
def test_epsilon(d: int, expected: float) -> None:
    assert epsilon(d) == pytest.approx(expected)


def ways(d: int, seed: int, count: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each way is taken, without walking any."""
    gp = random_gp(0, 5, d)
    taken = {"thompson": 0, "pareto": 0, "mean": 0}
    nowhere = Choice(gp.X[0], 0.0, gp.X)

    def listen(acquisition: Acquisition) -> Choice:
        if isinstance(acquisition, Path):
            taken["thompson"] += 1
        else:
            assert isinstance(acquisition, Scored)
            assert acquisition.rule == Mean()
            taken["mean"] += 1
        return nowhere

    def front(view: object) -> Choice:  # noqa: ARG001
        taken["pareto"] += 1
        return nowhere

    monkeypatch.setattr("nonstop.acquisition.aegis.compromise", front)
    view = replace(view_of(gp, np.empty((0, d)), seed), maximize=listen)
    for _ in range(count):
        Aegis(features=2).choose(view)
    return taken


@pytest.mark.parametrize("d", [2, 4, 9, 25])
def test_probabilities(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each count lies where a binomial one is with probability 1 - 1e-6."""
    count, eps = 2000, epsilon(d)
    taken = ways(d, 0, count, monkeypatch)
    for way, p in {"thompson": eps / 2.0, "pareto": eps / 2.0, "mean": 1.0 - eps}.items():
        low, high = binom.interval(1.0 - 1e-6, count, p) if 0.0 < p < 1.0 else (count * p, count * p)
        assert low <= taken[way] <= high


def test_a_compromise_is_hardly_dominated() -> None:
    """No point of a dense cloud is better than the chosen one in both mean and variance by a tenth of their range."""
    gp = random_gp(1, 20, 2)
    cloud = np.column_stack(gp.moments(np.random.default_rng(2).random((5000, 2))))
    for seed in range(5):
        choice = compromise(view_of(gp, np.empty((0, 2)), seed))
        mine = np.column_stack(gp.moments(choice.x[None]))[0]
        assert not (cloud > mine + 0.1 * np.ptp(cloud, axis=0)).all(axis=1).any()
        assert math.isnan(choice.value)


def test_both_ends_of_the_front_are_there() -> None:
    gp = random_gp(3, 40, 5)
    view = view_of(gp, np.empty((0, 5)))
    choice = compromise(view)
    everything = np.column_stack(gp.moments(np.concatenate([choice.x[None], choice.others])))
    cloud = np.column_stack(gp.moments(np.random.default_rng(4).random((20_000, 5))))
    assert (everything.max(axis=0) >= cloud.max(axis=0)).all()


def test_d_counts_parameters_not_columns() -> None:
    assert Cube.continuous(9).axes == 9
