"""The theory's beta, and UCB with it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nonstop
from nonstop.acquisition.believer import KrigingBeliever
from nonstop.acquisition.initial import UncertaintyFirst
from nonstop.acquisition.schedule import Schedule, theoretical_beta
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB
from nonstop.acquisition.thompson import Thompson
from nonstop.acquisition.turns import Turns
from nonstop.errors import RuleError
from nonstop.types import Array
from tests.helpers.oracles import random_gp
from tests.helpers.rules import acquisition_of


def test_the_formula() -> None:
    expected = 4.0 * 4.0 * math.log(10) + 2.0 * 3.0 * math.log(3 * 2.0 * 0.5 * math.sqrt(math.pi))
    assert theoretical_beta(10, 3, 2.0, 0.5) == pytest.approx(expected)
    assert Schedule(2.0, 0.5).at(9, 3) == pytest.approx(expected)
    assert Schedule(2.0, 0.5, workers=4).at(6, 3) == pytest.approx(expected)


def test_it_grows_and_is_never_negative() -> None:
    betas = [Schedule(a=1e-3, b=1e-3).at(n, 2) for n in range(2000)]
    assert betas[0] == 0.0
    assert (np.diff(betas) >= 0.0).all()
    assert betas[-1] > 0.0


def test_ucb_takes_beta_from_the_data() -> None:
    gp = random_gp(0, 12, 2)
    P = np.random.default_rng(1).random((9, 2))
    mean, variance = gp.moments(P)
    expected = mean + math.sqrt(theoretical_beta(13, 2)) * np.sqrt(variance)
    np.testing.assert_allclose(Scored(UCB(Schedule()), gp, 0.0, len(gp.X)).value(P), expected)


def test_a_believer_counts_results_only() -> None:
    """The busy points in its GP are invented: how far acquisitions are ahead of results is what `workers` says."""
    gp = random_gp(2, 12, 2)
    acquisition = acquisition_of(KrigingBeliever(UCB(Schedule(workers=4))), gp, np.random.default_rng(3).random((3, 2)))
    assert isinstance(acquisition, Scored)
    assert acquisition.rule == UCB(theoretical_beta(16, 2))


def test_through_propose() -> None:
    X = np.random.default_rng(4).random((10, 2))
    y = -np.square(X - 0.5).sum(axis=1)
    eager = nonstop.propose(X, y, rule=UCB(Schedule()))
    fixed = nonstop.propose(X, y, rule=UCB(theoretical_beta(11, 2)))
    assert eager.x.tobytes() == fixed.x.tobytes()


def test_mistakes() -> None:
    for bad in ({"a": 0.0}, {"b": math.inf}, {"workers": 0}):
        with pytest.raises(RuleError, match="Schedule"):
            Schedule(**bad)
    with pytest.raises(RuleError, match="at\\(results, d\\)"):
        UCB(Schedule()).score(np.zeros(1), np.ones(1), 0.0)
    with pytest.raises(RuleError, match="points"):
        UncertaintyFirst(UCB(), points=-1)


def test_uncertainty_first() -> None:
    """It explores while there are few points, busy ones counted, and then is the inner rule."""
    X = np.random.default_rng(5).random((6, 2))
    y = -np.square(X - 0.5).sum(axis=1)
    busy = np.random.default_rng(6).random((2, 2))
    early = nonstop.propose(X, y, busy, rule=UncertaintyFirst(UCB(), points=9))
    assert early.value > 0.9 * nonstop.propose(X, y, rule="uncertainty").value
    late = nonstop.propose(X, y, busy, rule=UncertaintyFirst(UCB(), points=8))
    assert late.x.tobytes() == nonstop.propose(X, y, busy, rule="ucb").x.tobytes()
    other = nonstop.propose(X, y, busy, rule=UncertaintyFirst(Thompson(), points=0))
    assert np.isfinite(other.x).all()


THINNED = nonstop.Surrogate(max_points=20)


def test_beta_grows_with_the_results_even_if_the_model_cannot_take_more() -> None:
    X = np.random.default_rng(7).random((30, 2))
    y = -np.square(X - 0.5).sum(axis=1)
    for n in (21, 22, 23):
        growing = nonstop.propose(X[:n], y[:n], rule=UCB(Schedule()), surrogate=THINNED)
        fixed = nonstop.propose(X[:n], y[:n], rule=UCB(theoretical_beta(n + 1, 2)), surrogate=THINNED)
        assert growing.x.tobytes() == fixed.x.tobytes()
        assert growing.value == fixed.value


def test_believed_points_are_no_results() -> None:
    X = np.random.default_rng(4).random((10, 2))
    y = -np.square(X - 0.5).sum(axis=1)
    eager = nonstop.propose(X, y, rule=UCB(Schedule()), believed=[[0.2, 0.2], [0.7, 0.1]])
    fixed = nonstop.propose(X, y, rule=UCB(theoretical_beta(11, 2)), believed=[[0.2, 0.2], [0.7, 0.1]])
    assert (eager.x.tobytes(), eager.value) == (fixed.x.tobytes(), fixed.value)


def test_uncertainty_first_counts_results_that_the_model_left_out() -> None:
    X = np.random.default_rng(8).random((23, 2))
    y = -np.square(X - 0.5).sum(axis=1)
    plain = nonstop.propose(X, y, rule="ucb", surrogate=THINNED)
    late = nonstop.propose(X, y, rule=UncertaintyFirst(UCB(), points=23), surrogate=THINNED)
    assert late.x.tobytes() == plain.x.tobytes()


def test_a_users_rule_may_have_a_schedule_too() -> None:
    """A rule with a method at() is asked for the rule of the moment, wherever it is used."""
    seen: list[tuple[int, int]] = []

    class Cooling:
        def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
            raise AssertionError("at() was not asked")

        def at(self, results: int, d: int) -> UCB:
            seen.append((results, d))
            return UCB(100.0 / results)

    X = np.random.default_rng(9).random((10, 2))
    y = -np.square(X - 0.5).sum(axis=1)
    for rule in (Cooling(), KrigingBeliever(Cooling()), Turns((Cooling(),))):
        found = nonstop.propose(X, y, rule=rule)
        assert found.x.tobytes() == nonstop.propose(X, y, rule=UCB(10.0)).x.tobytes()
    assert set(seen) == {(10, 2)}
