"""Failures inform every rule; without failures nothing changes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import nonstop
from nonstop.acquisition.feasible import Feasible, LogProbability, log_probability, success_terms
from nonstop.acquisition.rule import Choice, Chooser, View
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.acquisition.scored import scored
from nonstop.acquisition.standard import UCB, LogEI, Mean
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.types import Array
from tests.acquisition.test_every_rule import SMOOTH
from tests.helpers.oracles import random_gp, slopes
from tests.helpers.rules import RULES, acquisition_of

MODELLED = [name for name in RULES if name != "random"]


@dataclass(frozen=True)
class Own:
    """A rule as a user writes it."""

    def choose(self, view: View) -> Choice:
        return view.maximize(scored(UCB(9.0), view))


def crashing(n: int = 40, seed: int = 0) -> tuple[Array, Array, Array]:
    """Values grow towards the right, where beyond 0.6 all evaluations fail: completed points, values, failed points."""
    X = np.random.default_rng(seed).random((n, 2))
    ok = X[:, 0] <= 0.6
    return X[ok], X[ok, 0] + 0.1 * np.sin(5.0 * X[ok, 1]), X[~ok]


@pytest.mark.parametrize("rule", SMOOTH, ids=repr)
@pytest.mark.parametrize(("n", "d", "b"), [(5, 1, 1), (40, 3, 4)])
def test_gradients(rule: Chooser, n: int, d: int, b: int) -> None:
    rng = np.random.default_rng(6)
    gp, busy = random_gp(n, n, d, noise=1e-2), rng.random((b, d))
    terms = success_terms(0.5 * gp.X, 0.5 + 0.5 * rng.random((n, d)), busy)
    assert terms
    acquisition = Feasible(acquisition_of(rule, gp, busy, seed=7), terms)
    P = rng.random((5, d))
    value, gradient = acquisition.value_and_gradient(P)
    np.testing.assert_allclose(value, acquisition.value(P), rtol=1e-7, atol=1e-7)
    for i, p in enumerate(P):
        numeric = slopes(lambda x: float(acquisition.value(x[None])[0]), p, 1e-3)
        np.testing.assert_allclose(gradient[i], numeric, rtol=1e-4, atol=2e-5 * max(1.0, float(np.abs(numeric).max())))


def test_the_slopes_of_the_log_probability() -> None:
    rule = LogProbability(0.3, 4.0)
    mean, sd = (grid.ravel() for grid in np.meshgrid(np.linspace(-30.0, 30.0, 31), np.linspace(0.05, 1.0, 5)))
    value, by_mean, by_sd = rule.score(mean, sd, 0.0)
    h = 1e-5
    np.testing.assert_allclose(
        by_mean, (rule.score(mean + h, sd, 0.0)[0] - rule.score(mean - h, sd, 0.0)[0]) / (2 * h), rtol=1e-5, atol=1e-9
    )
    np.testing.assert_allclose(
        by_sd, (rule.score(mean, sd + h, 0.0)[0] - rule.score(mean, sd - h, 0.0)[0]) / (2 * h), rtol=1e-5, atol=1e-8
    )
    # No region is given up, and none is certain.
    assert value.min() >= math.log(0.0099)
    assert value.max() <= math.log(0.9901)


def test_terms_are_added_whatever_they_are() -> None:
    """So that constraints can stand beside failures: a term is any acquisition."""
    gp = random_gp(1, 20, 2, noise=1e-2)
    rng = np.random.default_rng(2)
    one, other = (success_terms(gp.X[gp.X[:, j] < 0.5], gp.X[gp.X[:, j] >= 0.5], gp.X[:0]) for j in range(2))
    assert len(one + other) == 2
    P = rng.random((6, 2))
    plain = acquisition_of(SMOOTH[2], gp, gp.X[:0])
    both = Feasible(plain, one + other).value(P)
    singles = Feasible(plain, one).value(P) + Feasible(plain, other).value(P) - plain.value(P)
    np.testing.assert_allclose(both, singles)
    np.testing.assert_allclose(log_probability(one + other, P), one[0].value(P) + other[0].value(P))


@pytest.mark.parametrize("rule", [*RULES, DEFAULT_RULE])
def test_without_failures_nothing_changes(rule: str) -> None:
    X, y, _ = crashing()
    busy = np.random.default_rng(1).random((3, 2))
    plain = nonstop.propose(X, y, busy, rule, 5)
    empty = nonstop.propose(X, y, busy, rule, 5, failed=np.empty((0, 2)))
    assert plain.x.tobytes() == empty.x.tobytes()
    assert math.isnan(plain.value) or plain.value == empty.value
    assert plain.success == 1.0


@pytest.mark.parametrize("rule", [*MODELLED, DEFAULT_RULE, Own()], ids=str)
def test_every_rule_keeps_away_from_failures(rule: str) -> None:
    """It may try the border, but not what lies far behind it. AEGIS chooses by chance: several seeds."""
    X, y, failed = crashing()
    busy = np.random.default_rng(1).random((4, 2)) * [0.6, 1.0]
    blind = [nonstop.propose(X, y, busy, rule, seed, avoid=failed) for seed in range(6)]
    informed = [nonstop.propose(X, y, busy, rule, seed, failed=failed) for seed in range(6)]
    behind = [sum(proposal.x[0] > 0.65 for proposal in proposals) for proposals in (blind, informed)]
    assert behind[1] <= 1
    assert behind[0] >= 2 or rule in ("cl-min", "cl-mean", "cl-max", "aegis")
    assert min(proposal.success for proposal in informed[2:]) > 0.2
    again = nonstop.propose(X, y, busy, rule, 5, failed=failed)
    assert again.x.tobytes() == informed[5].x.tobytes()


def test_a_value_that_is_not_finite_is_a_failure() -> None:
    X, y, failed = crashing()
    told = nonstop.propose(np.concatenate([X, failed]), [*y, *[math.nan] * len(failed)], rule="ucb", seed=3)
    assert told.x.tobytes() == nonstop.propose(X, y, rule="ucb", seed=3, failed=failed).x.tobytes()


def test_standard_rules_do_not_look_at_busy_points_here_either() -> None:
    X, y, failed = crashing()
    busy = np.array([[0.1, 0.9], [0.95, 0.95]])
    for rule in (UCB(), LogEI(), Mean()):
        alone, among = (nonstop.propose(X, y, points, rule, 2, failed=failed) for points in (None, busy))
        assert alone.x.tobytes() == among.x.tobytes()


def test_a_category_that_fails_is_left_alone() -> None:
    cube = Cube((Continuous(), Levels(5), OneHot(3)))
    M = cube.spread(np.random.default_rng(0).random((40, 3)))
    bad = M[:, 2] == 1.0
    y = -np.square(M[:, 0] - 0.4) - M[:, 1]
    chosen = [nonstop.propose(M[~bad], y[~bad], cube=cube, failed=M[bad], seed=seed).x for seed in range(8)]
    assert np.mean([x[2] == 1.0 for x in chosen]) <= 1 / 8


def test_if_all_failed_the_next_point_is_far_from_them() -> None:
    rng = np.random.default_rng(3)
    failed = rng.random((12, 2)) * [0.5, 1.0]
    x = nonstop.propose(np.empty((0, 2)), [], failed=failed).x
    assert x[0] > 0.5
    assert nonstop.propose(np.full((3, 2), 0.1) + rng.random((3, 2)) * 0.1, [math.nan] * 3).x.max() > 0.5


def test_failed_points_are_checked_and_not_proposed_again() -> None:
    with pytest.raises(nonstop.DataError, match="failed must lie in"):
        nonstop.propose([[0.5]], [1.0], failed=[[2.0]])
    cube = Cube((Levels(3), Levels(3)))
    everything = cube.enumerate(100)
    assert everything is not None
    left = nonstop.propose(everything[:1], [1.0], cube=cube, failed=everything[1:-1]).x
    np.testing.assert_allclose(left, everything[-1])
