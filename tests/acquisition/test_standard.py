"""Standard acquisition: formulas, gradients in x, and a signature that cannot see busy points."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from scipy.stats import norm, spearmanr

from nonstop.acquisition.rule import Chooser, Drawer, Score
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB, LogEI, Mean, Random
from nonstop.errors import RuleError
from nonstop.surrogate.kernels.names import KERNELS
from nonstop.types import Array
from tests.helpers.oracles import random_gp, slopes

RULES: list[Score] = [UCB(), UCB(0.0), UCB(9.0), LogEI(), Mean()]
every = pytest.mark.parametrize("rule", RULES, ids=repr)


def test_the_formulas() -> None:
    mean, sd = np.array([0.5, -1.0]), np.array([0.2, 2.0])
    np.testing.assert_allclose(UCB(2.0).score(mean, sd, 9.0)[0], mean + math.sqrt(2.0) * sd)
    np.testing.assert_allclose(Mean().score(mean, sd, 9.0)[0], mean)
    z = (mean - 0.3) / sd
    expected = np.log(sd * (norm.pdf(z) + z * norm.cdf(z)))
    np.testing.assert_allclose(LogEI().score(mean, sd, 0.3)[0], expected, rtol=1e-12)


@every
def test_derivatives_of_the_score(rule: Score) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        mean, best = rng.normal(size=2).tolist()
        sd = math.exp(rng.uniform(-3.0, 1.0))
        _, by_mean, by_sd = rule.score(np.array([mean]), np.array([sd]), best)

        def value(v: Array, best: float = best) -> float:
            return float(rule.score(v[[0]], v[[1]], best)[0][0])

        numeric = slopes(value, np.array([mean, sd]), 1e-3 * sd)
        np.testing.assert_allclose([by_mean[0], by_sd[0]], numeric, rtol=1e-5, atol=1e-7)


@every
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (15, 2), (80, 6), (30, 25)])
def test_gradient_in_x(rule: Score, kernel: str, n: int, d: int) -> None:
    gp = random_gp(n, n, d, kernel)
    acquisition = Scored(rule, gp, float(gp.y.max()), len(gp.X))
    P = np.random.default_rng(1).random((5, d))
    value, gradient = acquisition.value_and_gradient(P)
    np.testing.assert_allclose(value, acquisition.value(P), rtol=1e-8, atol=1e-9)
    for i, p in enumerate(P):
        numeric = slopes(lambda x: float(acquisition.value(x[None])[0]), p, 1e-3)
        np.testing.assert_allclose(gradient[i], numeric, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(numeric).max())))


@every
def test_gradient_next_to_the_data(rule: Score) -> None:
    """Where sd is smallest and bends most."""
    gp = random_gp(3, 20, 2, noise=1e-4)
    acquisition = Scored(rule, gp, float(gp.y.max()), len(gp.X))
    P = gp.X[:4] + 0.003
    _, gradient = acquisition.value_and_gradient(P)
    for i, p in enumerate(P):
        numeric = slopes(lambda x: float(acquisition.value(x[None])[0]), p, 2e-4)
        np.testing.assert_allclose(gradient[i], numeric, rtol=1e-3, atol=1e-4 * max(1.0, float(np.abs(numeric).max())))


@every
def test_more_spread_is_never_worse(rule: Score) -> None:
    sd = np.geomspace(1e-6, 10.0, 200)
    for mean in (-3.0, 0.0, 1.0, 4.0):
        value, by_mean, by_sd = rule.score(np.full(200, mean), sd, 1.0)
        assert (np.diff(value) >= -1e-12).all()
        assert (by_mean >= 0.0).all()
        assert (by_sd >= 0.0).all()


@every
def test_more_mean_is_never_worse(rule: Score) -> None:
    value, *_ = rule.score(np.linspace(-5.0, 5.0, 200), np.full(200, 0.3), 1.0)
    assert (np.diff(value) >= 0.0).all()


@every
def test_standard_rules_cannot_see_busy_points(rule: Score) -> None:
    assert list(inspect.signature(rule.score).parameters) == ["mean", "sd", "best"]
    assert not isinstance(rule, Chooser)


@pytest.mark.parametrize("n", [1, 5, 64])
def test_the_screen_is_the_value_while_data_are_few(n: int) -> None:
    gp = random_gp(n, n, 3, noise=1e-2)
    acquisition = Scored(UCB(), gp, 0.0, len(gp.X))
    P = np.random.default_rng(2).random((500, 3))
    np.testing.assert_allclose(acquisition.screen(P), acquisition.value(P), atol=2e-3)


@pytest.mark.parametrize(("n", "d"), [(80, 2), (200, 4), (500, 6)])
def test_the_screen_of_ucb_is_an_upper_bound_that_ranks_alike(n: int, d: int) -> None:
    gp = random_gp(n, n, d, noise=1e-3)
    acquisition = Scored(UCB(), gp, 0.0, len(gp.X))
    P = np.random.default_rng(3).random((2000, d))
    screen, value = acquisition.screen(P), acquisition.value(P)
    assert (screen >= value - 5e-3).all()
    assert spearmanr(screen, value).statistic > 0.9
    assert set(np.argsort(-value)[:10].tolist()) <= set(np.argsort(-screen)[:512].tolist())


@pytest.mark.parametrize("beta", [-1.0, math.nan, math.inf])
def test_bad_beta(beta: float) -> None:
    with pytest.raises(RuleError, match="beta"):
        UCB(beta)


def test_kinds_of_rules() -> None:
    assert isinstance(Random(), Drawer)
    assert not isinstance(Random(), Score | Chooser)
    assert UCB() == UCB(2.0)
