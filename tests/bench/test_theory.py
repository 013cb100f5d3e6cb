"""The theory's numbers: information, prices, constants, bounds; and a small experiment under its bounds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from nonstop.acquisition.schedule import theoretical_beta
from nonstop.types import Array
from nonstop_bench.bounds import (
    C_THOMPSON,
    C_UCB,
    C_UCB_PRINTED,
    GREEDY,
    greedy,
    information_gain,
    price,
    regret_bound,
    steepness_constants,
)
from nonstop_bench.theory import Setting, draws, regrets, steepness_of, study, thompson, ucb

NOISE = 0.1


def prior(N: int = 12, lengthscale: float = 0.2) -> Array:
    return Setting(d=1, side=N, lengthscale=lengthscale, initial=1).covariance


def information(K: Array, chosen: tuple[int, ...]) -> float:
    """1/2 log det(I + K_AA / noise)."""
    A = K[np.ix_(chosen, chosen)]
    return 0.5 * float(np.linalg.slogdet(np.eye(len(chosen)) + A / NOISE)[1])


def test_greedy_information_is_that_of_its_points() -> None:
    K = prior()
    found = greedy(K, NOISE, 8)
    for n in range(1, 9):
        assert found.information[n - 1] == pytest.approx(information(K, tuple(found.chosen[:n])))


def test_the_covariance_after_greedy_is_the_posterior() -> None:
    K = prior()
    found = greedy(K, NOISE, 5)
    A = found.chosen
    cross = K[:, A]
    expected = K - cross @ np.linalg.solve(K[np.ix_(A, A)] + NOISE * np.eye(5), cross.T)
    np.testing.assert_allclose(found.covariance, expected, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_information_gain_lies_between_greedy_and_its_bound(n: int) -> None:
    """Against all multisets of n points."""
    K = prior(9, 0.3)
    exact = max(information(K, A) for A in itertools.combinations_with_replacement(range(9), n))
    assert greedy(K, NOISE, n).information[-1] <= exact + 1e-12
    assert greedy(K, NOISE, n).information[-1] >= GREEDY * exact
    assert information_gain(K, NOISE, n)[-1] >= exact - 1e-12


def test_information_gain_grows_ever_slower() -> None:
    psi = information_gain(prior(60), NOISE, 200)
    assert psi[0] == 0.0
    assert (np.diff(psi) > 0.0).all()
    assert psi[200] - psi[100] < 0.5 * psi[100]


def test_the_price_of_asynchrony() -> None:
    K = prior(9, 0.3)
    assert price(K, NOISE, 1) == 1.0
    after = greedy(K, NOISE, 20).covariance
    assert 1.0 < price(after, NOISE, 4) < price(K, NOISE, 4)
    pairs = itertools.combinations_with_replacement(range(9), 2)
    exact = max(0.5 * float(np.linalg.slogdet(np.eye(2) + after[np.ix_(A, A)] / NOISE)[1]) for A in pairs)
    assert 0.5 * math.log(price(after, NOISE, 3)) >= exact


def test_the_constant_of_the_ucb_bound() -> None:
    """A_1 sums 1 / (2 j^2), A_2 sums 1 / (j^2 sqrt(2 pi)): the printed constant is too small for the second."""
    j = np.arange(1, 1_000_000, dtype=np.float64)
    assert float((1.0 / (2.0 * j**2) + 1.0 / (j**2 * math.sqrt(2.0 * math.pi))).sum()) == pytest.approx(C_UCB, abs=1e-5)
    assert C_UCB_PRINTED < C_UCB < C_THOMPSON


def test_the_summand_of_a_2() -> None:
    """E max(f - U, 0) <= 1 / (j^2 sqrt(2 pi) |nu_j|) for the schedule's beta and |nu_j| = (j^2 d a b sqrt(pi))^d."""
    for j, d, a, b in itertools.product([1, 3, 50], [1, 2, 3], [1.0, 3.0], [1.0, 10.0]):
        root = math.sqrt(theoretical_beta(j, d, a, b))
        excess = float(norm.pdf(root) - root * norm.sf(root))
        size = (j**2 * d * a * b * math.sqrt(math.pi)) ** d
        assert excess <= 1.0 / (j**2 * math.sqrt(2.0 * math.pi) * size)


def test_the_bound_on_numbers() -> None:
    n = np.array([4.0])
    found = regret_bound(n, 2.0, 3.0, np.array([5.0]), np.array([7.0]), 0.1)
    assert found[0] == pytest.approx(2.0 / 4.0 + math.sqrt(2.0 * 3.0 * 5.0 * 7.0 / (4.0 * math.log(11.0))))


def test_steepness_constants_hold_for_drawn_functions() -> None:
    """The tail bound, against the empirical tail of sup |df/dx| on a grid."""
    setting = Setting(d=1, side=100, lengthscale=0.2, initial=1)
    a, b = steepness_of(setting, np.random.default_rng(0))
    along = np.subtract.outer(setting.grid[:, 0], setting.grid[:, 0]) / 0.2
    K = (1.0 - along**2) * setting.covariance / 0.04
    suprema = np.abs(draws(K, 2000, np.random.default_rng(1))).max(axis=1)
    for L in np.linspace(1.0, 30.0, 30):
        assert float((suprema > L).mean()) <= a * math.exp(-((L / b) ** 2)) + 1e-12


def test_steepness_constants_make_their_product_least() -> None:
    a, b = steepness_constants(2.0, 5.0)
    for delta in np.geomspace(0.01, 100.0, 50):
        other = 2.0 * math.exp(0.5 * 6.25 / delta) * 2.0 * math.sqrt(2.0 * (1.0 + delta))
        assert a * b <= other + 1e-9


def test_draws_have_the_covariance() -> None:
    K = prior(6)
    found = draws(K, 50_000, np.random.default_rng(2))
    np.testing.assert_allclose(np.cov(found.T), K, atol=0.05)


def test_an_experiment_lies_below_its_bounds() -> None:
    setting = Setting(d=1, side=50, lengthscale=0.3, initial=10, evaluations=20, functions=6)
    result = study(setting)
    assert study(setting) == result
    bounds, measured = result["bounds"], result["measured"]
    assert isinstance(bounds, dict)
    assert isinstance(measured, dict)
    pairs = {
        "asynchronous UCB, beta of the theory": "asynchronous UCB",
        "asynchronous Thompson": "asynchronous Thompson",
        "sequential Thompson": "sequential Thompson",
    }
    for name, bound in pairs.items():
        curve = np.interp(np.arange(1, 21), bounds["n"], bounds["curves"][bound])
        assert (np.array(measured[name]["mean"]) < curve).all()


def test_runs_find_the_maximum() -> None:
    """Regret never rises, and both policies find the maximum, with one worker or five."""
    setting = Setting(d=1, side=60, lengthscale=0.2, initial=3, evaluations=25)
    f = draws(setting.covariance, 1, np.random.default_rng(3))[0]
    for policy in (ucb(lambda j: 2.0), thompson):  # noqa: ARG005
        for workers in (1, 5):
            found = regrets(setting, policy, workers, f, np.random.default_rng(4))
            assert (np.diff(found) <= 0.0).all()
            assert found[-1] < 0.2
