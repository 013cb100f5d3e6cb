"""Rules that were tried and given up: they are what their names say, so that what was measured of them counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import nonstop
from nonstop.acquisition.rule import Rule, Score
from nonstop.surrogate.gp import GP
from nonstop_bench.given_up import NoisyEI, SignalEI, SignalUCB, _LogEIOfLess, improvement

HYPER = nonstop.Hyperparameters((0.4, 0.6), 0.3)


def data(n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.random((n, 2))
    return X, -np.square(X - 0.4).sum(axis=1) + 0.1 * rng.standard_normal(n)


def test_improvement_on_exact_values() -> None:
    """Each draw, told to a process without noise: the plain expected improvement on its best, averaged."""
    X, y = data()
    gp, rng = GP.of(X, (y - y.mean()) / y.std(), HYPER), np.random.default_rng(0)
    points, at, draws = X[:4], rng.random((5, 2)), rng.standard_normal((6, 4))
    mean, covariance = gp.joint(points)
    values, vectors = np.linalg.eigh(covariance)
    total = np.zeros(len(at))
    for draw in draws:
        f = mean + vectors * np.sqrt(values) @ draw
        joint_mean, joint = gp.joint(np.concatenate([points, at]))
        gain = joint[4:, :4] @ np.linalg.inv(joint[:4, :4] + 1e-4 * np.eye(4))
        m = joint_mean[4:] + gain @ (f - joint_mean[:4])
        sd = np.sqrt((joint[4:, 4:] - gain @ joint[:4, 4:]).diagonal())
        z = (m - f.max()) / sd
        total += sd * (norm.pdf(z) + z * norm.cdf(z))
    found = improvement(gp, points, draws).value(at)
    np.testing.assert_allclose(found, np.log(total / len(draws)), rtol=1e-6)


@pytest.mark.parametrize(
    ("rule", "inner"), [(SignalUCB(), nonstop.UCB(2.0 / 1.5)), (SignalEI(), _LogEIOfLess(1.5**-0.5))]
)
def test_signal_and_noise_share_the_variance(rule: Rule, inner: Score) -> None:
    """With noise of half the signal, the signal has two thirds; nothing but the weight of the deviation changes."""
    X, y = data(60)
    surrogate = nonstop.Surrogate(noise_bounds=(0.5, 0.500001))
    found, expected = (
        nonstop.propose(X, y, [[0.4, 0.4]], rule=each, surrogate=surrogate)
        for each in (rule, nonstop.KrigingBeliever(inner))
    )
    np.testing.assert_allclose((*found.x, found.value), (*expected.x, expected.value), atol=1e-4)


def test_logei_of_less_is_logei_of_smaller_deviations() -> None:
    mean, sd = np.array([-2.0, 0.1, 0.7]), np.array([0.3, 0.5, 2.0])
    value, by_mean, by_sd = _LogEIOfLess(0.6).score(mean, sd, 0.4)
    expected = nonstop.LogEI().score(mean, 0.6 * sd, 0.4)
    np.testing.assert_allclose((value, by_mean, by_sd / 0.6), expected)


@pytest.mark.parametrize("rule", [NoisyEI(), SignalUCB(), SignalEI()])
def test_they_propose_in_the_default_with_close_ups(rule: Rule) -> None:
    X, y = data(40)
    made = [nonstop.propose(X, y, [[0.5, 0.5]], rule=rule, seed=seed) for seed in range(4)]
    assert all(each.rung == "model" and ((each.x >= 0.0) & (each.x <= 1.0)).all() for each in made)
    assert len({each.x.tobytes() for each in made}) == 4
