"""Expected LogEI against a loop over draws and against an integral."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import norm

from nonstop.acquisition.expected import Expected, ExpectedLogEI, average_log_ei, square_root
from nonstop.acquisition.standard import UCB, LogEI
from nonstop.errors import RuleError
from nonstop.numerics.normal import log_ei
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.names import KERNELS
from tests.helpers.oracles import random_gp
from tests.helpers.rules import acquisition_of


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("b", [1, 3, 7])
def test_against_a_loop_that_conditions_on_every_draw(kernel: str, b: int) -> None:
    gp = random_gp(b, 20, 3, kernel, noise=1e-2)
    rng = np.random.default_rng(1)
    busy, P, draws = rng.random((b, 3)), rng.random((30, 3)), rng.standard_normal((40, b))
    best = float(np.median(gp.y))
    mu, covariance = gp.joint(busy)
    logs = []
    for e in draws:
        y_b = mu + square_root(covariance) @ e
        mean, variance = gp.condition(busy, y_b).moments(P)
        logs.append(log_ei(mean, np.sqrt(variance), max(best, float(y_b.max())))[0])
    expected = logsumexp(logs, axis=0) - np.log(len(draws))
    found = ExpectedLogEI.of(gp, best, busy, draws)
    np.testing.assert_allclose(found.value(P), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found.value_and_gradient(P)[0], expected, rtol=1e-6, atol=1e-7)


def test_against_an_integral_over_one_busy_value() -> None:
    gp = GP.of(np.array([[0.1], [0.6]]), np.array([-0.5, 0.5]), Hyperparameters((0.2,), 1e-2))
    busy, P, best = np.array([[0.35]]), np.array([[0.3], [0.5], [0.9]]), 0.5
    mean_b, variance_b = gp.moments(busy)
    sd_b = float(np.sqrt(variance_b[0]))

    def integrand(t: float, i: int) -> float:
        value = float(mean_b[0]) + sd_b * t
        mean, variance = gp.condition(busy, np.array([value])).moments(P[[i]])
        return float(np.exp(log_ei(mean, np.sqrt(variance), max(best, value))[0][0]) * norm.pdf(t))

    exact = [quad(integrand, -8.0, 8.0, args=(i,), points=[0.0, (best - float(mean_b[0])) / sd_b])[0] for i in range(3)]
    # Quantiles in place of random draws: the average is then a quadrature, and the comparison has no luck in it.
    draws = norm.ppf((np.arange(4000) + 0.5) / 4000)[:, None]
    np.testing.assert_allclose(np.exp(ExpectedLogEI.of(gp, best, busy, draws).value(P)), exact, rtol=2e-3)


def test_it_is_the_greedy_step_of_the_joint_improvement() -> None:
    """Without noise, qEI(B, x) - qEI(B) = expected EI(x), draw by draw in the mean: what makes it a batch rule."""
    gp = GP.of(np.array([[0.5, 0.5]]), np.zeros(1), Hyperparameters((0.4, 0.4), 1e-6))
    rng = np.random.default_rng(4)
    points = rng.random((3, 2))  # two busy, one candidate
    best = 0.3
    mu, covariance = gp.joint(points)
    f = mu + rng.standard_normal((200_000, 3)) @ square_root(covariance).T
    joint = np.maximum(f.max(axis=1) - best, 0.0) - np.maximum(f[:, :2].max(axis=1) - best, 0.0)
    draws = rng.standard_normal((20_000, 2))
    found = float(np.exp(ExpectedLogEI.of(gp, best, points[:2], draws).value(points[[2]])[0]))
    error = float(joint.std()) / np.sqrt(len(joint))
    assert found > 1e-3
    assert abs(found - float(joint.mean())) < 6.0 * error + 0.02 * found


def test_hopeless_points_keep_their_order() -> None:
    """Far below the incumbent EI underflows; its logarithm does not."""
    means, sd, bests = np.array([[-60.0], [-50.0], [-40.0]]) * np.ones((3, 4)), np.full(3, 0.5), np.zeros(4)
    value, by_means, by_sd = average_log_ei(means, sd, bests)
    assert np.isfinite(value).all()
    assert (np.diff(value) > 0.0).all()
    assert (by_means >= 0.0).all()
    assert (by_sd >= 0.0).all()


def test_common_random_numbers() -> None:
    gp = random_gp(5, 15, 2)
    busy, P = np.random.default_rng(6).random((2, 2)), np.random.default_rng(7).random((9, 2))
    one, same = (acquisition_of(Expected(LogEI()), gp, busy, seed=8) for _ in range(2))
    other = acquisition_of(Expected(LogEI()), gp, busy, seed=9)
    assert one.value(P).tobytes() == same.value(P).tobytes()
    assert one.value(P).tobytes() != other.value(P).tobytes()


def test_what_it_cannot_wrap() -> None:
    with pytest.raises(RuleError, match=r"KrigingBeliever\(UCB\(\)\)"):
        Expected(UCB())  # type: ignore[arg-type]
    with pytest.raises(RuleError, match="samples"):
        Expected(LogEI(), samples=0)


def test_a_singular_covariance_has_a_root() -> None:
    covariance = np.ones((3, 3)) * 0.3
    root = square_root(covariance)
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-14)
