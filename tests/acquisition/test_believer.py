"""The believer conditions on its own means; the liar on a constant."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nonstop.acquisition.believer import ConstantLiar, KrigingBeliever
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB, LogEI, Uncertainty
from nonstop.errors import RuleError
from nonstop.surrogate.gp import GP
from tests.helpers.oracles import random_gp
from tests.helpers.rules import acquisition_of, view_of


def test_belief_is_data() -> None:
    """The same numbers as from a GP that was given the busy points and their means as data."""
    gp = random_gp(0, 20, 3)
    rng = np.random.default_rng(1)
    busy, P = rng.random((4, 3)), rng.random((50, 3))
    mu = gp.moments(busy)[0]
    whole = GP.of(np.concatenate([gp.X, busy]), np.concatenate([gp.y, mu]), gp.hyperparameters, gp.kernel)
    best = max(float(gp.y.max()), float(mu.max()))
    for rule in (UCB(), LogEI()):
        found = acquisition_of(KrigingBeliever(rule), gp, busy).value(P)
        np.testing.assert_allclose(found, Scored(rule, whole, best, len(whole.X)).value(P), rtol=1e-6, atol=1e-8)


def test_the_believed_mean_may_be_the_incumbent() -> None:
    gp = GP.of(np.array([[0.2], [0.8]]), np.array([1.0, 1.0]), random_gp(0, 2, 1).hyperparameters)
    busy = np.array([[0.5]])
    mu = gp.moments(busy)[0]
    acquisition = acquisition_of(KrigingBeliever(LogEI()), gp, busy)
    assert isinstance(acquisition, Scored)
    assert acquisition.best == max(1.0, float(mu[0]))


@pytest.mark.parametrize(("lie", "statistic"), [("min", np.min), ("mean", np.mean), ("max", np.max)])
def test_lies(lie: str, statistic: object) -> None:
    gp = random_gp(2, 20, 2)
    busy = np.random.default_rng(3).random((3, 2))
    acquisition = acquisition_of(ConstantLiar(LogEI(), lie), gp, busy)  # type: ignore[arg-type]
    assert isinstance(acquisition, Scored)
    assert callable(statistic)
    np.testing.assert_allclose(acquisition.gp.y[-3:], statistic(gp.y))
    assert acquisition.best == gp.y.max()


def test_an_unknown_lie() -> None:
    with pytest.raises(RuleError, match="min, mean, max"):
        ConstantLiar(LogEI(), "median")  # type: ignore[arg-type]


def test_the_screen_knows_busy_points_that_the_sketch_left_out() -> None:
    gp = random_gp(4, 300, 4, noise=1e-3)
    busy = np.random.default_rng(5).random((7, 4))
    screened = acquisition_of(KrigingBeliever(Uncertainty()), gp, busy).screen(busy)
    assert (screened < 2.0 * math.sqrt(gp.hyperparameters.noise)).all()


def test_proposition_1_in_closed_form() -> None:
    """E UCB(x | y_b) = mean of the linear map at mu_b + sqrt(beta) sd: the believer's UCB, for random cases."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, d, b = (int(v) for v in rng.integers([3, 1, 1], [30, 6, 8]))
        gp = random_gp(seed, n, d, "rbf" if seed % 2 else "matern52", noise=float(10.0 ** rng.uniform(-4, -1)))
        busy, P, beta = rng.random((b, d)), rng.random((20, d)), float(rng.uniform(0, 9))
        mu, covariance = gp.joint(busy)
        # The conditioned mean is affine in y_b, c + A y_b with A from unit values, so its expectation is c + A mu.
        at = [gp.condition(busy, e).moments(P)[0] for e in (np.zeros(b), *np.eye(b))]
        A = np.array(at[1:]).T - at[0][:, None]
        sd = np.sqrt(gp.condition(busy, mu).moments(P)[1])
        np.testing.assert_allclose(np.sqrt(gp.condition(busy, mu + covariance[0]).moments(P)[1]), sd)
        expected = at[0] + A @ mu + math.sqrt(beta) * sd
        believer = acquisition_of(KrigingBeliever(UCB(beta)), gp, busy).value(P)
        np.testing.assert_allclose(believer, expected, rtol=1e-6, atol=1e-7)


def proposition_1_error(seed: int) -> float:
    """The largest deviation of the Monte-Carlo mean of UCB from the believer's, in standard errors, over 5 points."""
    rng = np.random.default_rng(seed)
    gp = random_gp(seed, 12, 2, noise=1e-2)
    busy, P = rng.random((3, 2)), rng.random((5, 2))
    mu, covariance = gp.joint(busy)
    values = np.array(
        [
            Scored(UCB(), gp.condition(busy, draw), 0.0, len(gp.X)).value(P)
            for draw in rng.multivariate_normal(mu, covariance, size=400)
        ]
    )
    believer = acquisition_of(KrigingBeliever(UCB()), gp, busy).value(P)
    error = np.abs(values.mean(axis=0) - believer) / (values.std(axis=0) / math.sqrt(len(values)) + 1e-12)
    return float(error.max())


def test_proposition_1_by_monte_carlo() -> None:
    assert proposition_1_error(0) < 5.0


def test_busy_points_move_the_believer_away() -> None:
    gp = random_gp(6, 10, 2)
    rule = KrigingBeliever(UCB(beta=25.0))
    first = rule.choose(view_of(gp, np.empty((0, 2)))).x
    second = rule.choose(view_of(gp, first[None])).x
    assert np.abs(first - second).max() > 0.1
