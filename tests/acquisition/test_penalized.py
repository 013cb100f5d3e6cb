"""The penalizer's cone, the Lipschitz constants, and the logarithm of a positive UCB."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nonstop.acquisition.penalized import Penalized, Penalty, lipschitz, log_penalizer, log_softplus
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB, LogEI
from nonstop.errors import RuleError
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.names import KERNELS
from nonstop.surrogate.steepness import log_squared_slope, steepest
from tests.helpers.oracles import random_gp, slopes
from tests.helpers.rules import acquisition_of, view_of


def test_the_cone() -> None:
    """phi = w near the busy point, 1 far from it, 2^(-1/5) where the cone would meet 1; and min{w, 1} bounds it."""
    w = np.geomspace(1e-8, 1e4, 400)
    phi = np.exp(log_penalizer(np.log(w))[0])
    np.testing.assert_allclose(phi, (w**-5.0 + 1.0) ** -0.2, rtol=1e-9)
    assert (phi <= np.minimum(w, 1.0) + 1e-12).all()
    assert (phi >= 2.0**-0.2 * np.minimum(w, 1.0) - 1e-12).all()
    assert (np.diff(phi) >= 0.0).all()
    np.testing.assert_allclose(phi[w < 0.01], w[w < 0.01], rtol=1e-6)
    np.testing.assert_allclose(phi[w > 100.0], 1.0, rtol=1e-6)


def test_the_slope_of_the_cone() -> None:
    for u in np.linspace(-8.0, 8.0, 33):
        numeric = slopes(lambda v: float(log_penalizer(v)[0][0]), np.array([u]), 1e-3)
        np.testing.assert_allclose(log_penalizer(np.array([u]))[1], numeric, atol=1e-8)


def test_softplus_at_every_scale() -> None:
    u = np.array([-800.0, -40.0, -30.5, -29.5, -5.0, 0.0, 3.0, 50.0, 800.0])
    value, slope = log_softplus(u)
    np.testing.assert_allclose(value[:3], u[:3])
    np.testing.assert_allclose(value[3:7], np.log(np.log1p(np.exp(u[3:7]))), rtol=1e-12)
    np.testing.assert_allclose(value[7:], np.log(u[7:]), rtol=1e-12)
    assert (np.diff(value) > 0.0).all()
    assert (slope > 0.0).all()


def test_the_definition() -> None:
    """log softplus UCB + sum log phi, from the paper's formula on numbers."""
    gp = random_gp(0, 15, 2)
    rng = np.random.default_rng(1)
    busy, P, best = rng.random((3, 2)), rng.random((40, 2)), float(gp.y.max())
    L = steepest(gp, np.zeros(2), np.ones(2))
    mean, variance = gp.moments(busy)
    expected = np.log(np.log1p(np.exp(Scored(UCB(), gp, best, len(gp.X)).value(P))))
    for x_j, mu, sd in zip(busy, mean, np.sqrt(variance), strict=True):
        w = L * np.linalg.norm(P - x_j, axis=1) / (abs(mu - best) + sd)
        expected += np.log((w**-5 + 1.0) ** -0.2)
    np.testing.assert_allclose(acquisition_of(Penalized(UCB()), gp, busy).value(P), expected, rtol=1e-9)


def test_a_larger_gamma_excludes_more() -> None:
    gp, busy, P = random_gp(2, 15, 2), np.array([[0.5, 0.5]]), np.random.default_rng(3).random((40, 2))
    narrow, wide = (acquisition_of(Penalized(LogEI(), gamma=g), gp, busy).value(P) for g in (0.0, 5.0))
    assert (wide <= narrow + 1e-12).all()
    with pytest.raises(RuleError, match="gamma"):
        Penalized(UCB(), gamma=-1.0)


def test_on_the_busy_point_it_is_hopeless_but_finite() -> None:
    gp = random_gp(4, 15, 2)
    busy = np.array([[0.3, 0.6]])
    acquisition = acquisition_of(Penalized(UCB()), gp, busy)
    value, gradient = acquisition.value_and_gradient(np.concatenate([busy, [[0.9, 0.1]]]))
    assert np.isfinite(value).all()
    assert np.isfinite(gradient).all()
    assert value[0] < value[1] - 10.0


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("d", [1, 2, 6])
def test_gradient_of_the_steepness(kernel: str, d: int) -> None:
    gp = random_gp(d, 20, d, kernel)
    P = np.random.default_rng(5).random((6, d))
    value, gradient = log_squared_slope(gp, P)
    mean_slope = gp.slope(P, gp.alpha)
    np.testing.assert_allclose(value, np.log(np.square(mean_slope).sum(axis=1)), rtol=1e-9)
    for i, p in enumerate(P):
        numeric = slopes(lambda x: float(log_squared_slope(gp, x[None])[0][0]), p, 1e-3)
        np.testing.assert_allclose(gradient[i], numeric, rtol=1e-4, atol=1e-4 * max(1.0, float(np.abs(numeric).max())))


@pytest.mark.parametrize("kernel", KERNELS)
def test_lipschitz_constants_against_a_grid(kernel: str) -> None:
    for seed in range(5):
        gp = random_gp(seed, 12, 2, kernel)
        axis = np.linspace(0.0, 1.0, 101)
        grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        steep = np.linalg.norm(gp.slope(grid, gp.alpha), axis=1)
        busy = np.random.default_rng(seed).random((3, 2))
        found = lipschitz(gp, busy, local=False)
        assert (found >= 0.999 * steep.max()).all()
        assert (found <= 1.02 * steep.max()).all()
        for L, x in zip(lipschitz(gp, busy, local=True), busy, strict=True):
            inside = (np.abs(grid - x) <= 0.5 * gp.lengthscales).all(axis=1)
            assert 0.999 * steep[inside].max() <= L <= 1.001 * found[0]


def test_a_flat_mean_still_penalizes() -> None:
    gp = GP.of(np.array([[0.2], [0.7]]), np.zeros(2), Hyperparameters((0.3,), 1e-3))
    assert lipschitz(gp, np.array([[0.5]]), local=False).tolist() == [10.0]


def test_busy_points_are_avoided() -> None:
    gp = random_gp(6, 20, 2)
    free = Penalized(UCB()).choose(view_of(gp, np.empty((0, 2)))).x
    chosen = Penalized(UCB()).choose(view_of(gp, free[None])).x
    assert math.dist(chosen, free) > 1e-2
    acquisition = acquisition_of(Penalized(UCB(), local=True), gp, np.array([[0.5, 0.5]]))
    assert isinstance(acquisition, Penalty)
