"""The posterior against the textbook's formulas, its gradients against finite differences."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from nonstop.surrogate.gp import GP, VARIANCE_FLOOR
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.names import KERNELS
from nonstop.types import Array
from tests.helpers.oracles import random_gp, slopes, smooth, textbook_kernel

both = pytest.mark.parametrize("kernel", KERNELS)
shapes = pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 3), (12, 2), (70, 5), (40, 30)])


def brute_force(gp: GP, P: Array) -> tuple[Array, Array]:
    """Rasmussen and Williams, equations 2.25 and 2.26, with a general solve."""
    lengthscales = np.array(gp.hyperparameters.lengthscales)
    K = textbook_kernel(gp.kernel, gp.X, gp.X, lengthscales) + gp.hyperparameters.noise * np.eye(len(gp.X))
    k = textbook_kernel(gp.kernel, P, gp.X, lengthscales)
    prior = textbook_kernel(gp.kernel, P, P, lengthscales)
    return k @ np.linalg.solve(K, gp.y), prior - k @ np.linalg.solve(K, k.T)


def with_gradients(gp: GP, P: Array) -> tuple[Array, Array, Array, Array]:
    mean, variance, chain = gp.moments_and_chain(P)
    one, zero = np.ones(len(P)), np.zeros(len(P))
    return mean, variance, chain(one, zero), chain(zero, one)


@both
@shapes
def test_moments_and_joint(kernel: str, n: int, d: int) -> None:
    gp = random_gp(n, n, d, kernel)
    P = np.random.default_rng(1).random((15, d))
    P[0] = gp.X[0]
    mean, covariance = brute_force(gp, P)
    ours, variance = gp.moments(P)
    np.testing.assert_allclose(ours, mean, atol=1e-9)
    np.testing.assert_allclose(variance, covariance.diagonal(), atol=1e-10)
    joint_mean, joint = gp.joint(P)
    np.testing.assert_allclose(joint_mean, mean, atol=1e-9)
    np.testing.assert_allclose(joint, covariance, atol=1e-10)


@both
@shapes
def test_gradients(kernel: str, n: int, d: int) -> None:
    gp = random_gp(n + 1, n, d, kernel)
    P = np.random.default_rng(2).random((4, d))
    mean, variance, mean_slope, variance_slope = with_gradients(gp, P)
    np.testing.assert_allclose(mean, gp.moments(P)[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(variance, gp.moments(P)[1], rtol=1e-9, atol=1e-12)
    for i, p in enumerate(P):
        by_mean = slopes(lambda x: float(gp.moments(x[None])[0][0]), p, 1e-3)
        by_variance = slopes(lambda x: float(gp.moments(x[None])[1][0]), p, 1e-3)
        np.testing.assert_allclose(mean_slope[i], by_mean, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(variance_slope[i], by_variance, rtol=1e-5, atol=1e-7)


@both
def test_gradients_at_extreme_lengthscales(kernel: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.random((20, 4))
    gp = GP.of(X, smooth(X, rng), Hyperparameters((0.025, 0.3, 30.0, 1000.0), 1e-4), kernel)
    P = X[:3] + np.array([0.01, 0.02, 0.0, 0.0])
    *_, mean_slope, variance_slope = with_gradients(gp, P)
    for i, p in enumerate(P):
        by_mean = slopes(lambda x: float(gp.moments(x[None])[0][0]), p, 1e-4)
        by_variance = slopes(lambda x: float(gp.moments(x[None])[1][0]), p, 1e-4)
        np.testing.assert_allclose(mean_slope[i], by_mean, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(variance_slope[i], by_variance, rtol=1e-4, atol=1e-6)


@both
@pytest.mark.parametrize("m", [1, 2, 30])
@shapes
def test_condition_equals_a_fresh_process(kernel: str, m: int, n: int, d: int) -> None:
    gp = random_gp(4, n, d, kernel)
    rng = np.random.default_rng(5)
    X, y, P = rng.random((m, d)), rng.normal(size=m), rng.random((10, d))
    grown = gp.condition(X, y)
    fresh = GP.of(np.concatenate([gp.X, X]), np.concatenate([gp.y, y]), gp.hyperparameters, kernel)
    for ours, theirs in zip(with_gradients(grown, P), with_gradients(fresh, P), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)
    for ours, theirs in zip(grown.moments(P), fresh.moments(P), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    assert len(gp.X) == n  # the old one is as it was


def test_condition_step_by_step_equals_all_at_once() -> None:
    gp = random_gp(6, 20, 3)
    rng = np.random.default_rng(7)
    X, y, P = rng.random((5, 3)), rng.normal(size=5), rng.random((10, 3))
    steps = gp
    for i in range(5):
        steps = steps.condition(X[[i]], y[[i]])
    for ours, theirs in zip(steps.moments(P), gp.condition(X, y).moments(P), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_condition_on_nothing_is_the_same_process() -> None:
    gp = random_gp(8, 10, 2)
    assert gp.condition(np.empty((0, 2)), np.empty(0)) is gp


@pytest.mark.parametrize("noise", [1e-2, 1e-4, 1e-7, 1e-10, 1e-13])
def test_condition_on_duplicates(noise: float) -> None:
    """A point that is already there, many times over, at any noise."""
    gp = random_gp(9, 30, 3, noise=noise)
    X = np.repeat(gp.X[:2], 8, axis=0)
    mean, before = gp.moments(X)
    mean_after, after = gp.condition(X, mean).moments(X)
    np.testing.assert_allclose(mean_after, mean, atol=1e-3)
    assert (after <= before + 1e-8).all()


@pytest.mark.parametrize("noise", [1e-4, 1e-7, 1e-10])
def test_belief_keeps_the_mean(noise: float) -> None:
    """Kriging believer: conditioning on the mean itself moves the mean nowhere, and lowers the variance everywhere."""
    gp = random_gp(10, 25, 4, noise=noise)
    rng = np.random.default_rng(11)
    X, P = rng.random((6, 4)), rng.random((50, 4))
    mean, variance = gp.moments(P)
    believed_mean, believed_variance = gp.condition(X, gp.moments(X)[0]).moments(P)
    np.testing.assert_allclose(believed_mean, mean, atol=1e-5)
    assert (believed_variance <= variance + 1e-9).all()


@both
def test_interpolates_without_noise(kernel: str) -> None:
    gp = random_gp(12, 15, 3, kernel, noise=1e-9)
    mean, variance = gp.moments(gp.X)
    np.testing.assert_allclose(mean, gp.y, atol=1e-5)
    assert variance.max() < 1e-6


@both
@pytest.mark.parametrize("noise", [1e-12, 1e-7, 1e-4, 1e-1])
def test_variance_lies_between_zero_and_the_prior(kernel: str, noise: float) -> None:
    gp = random_gp(13, 60, 2, kernel, noise)
    P = np.concatenate([gp.X, np.random.default_rng(14).random((200, 2)), gp.X + 1e-9])
    for variance in (gp.moments(P)[1], gp.moments_and_chain(P)[1]):
        assert (variance >= VARIANCE_FLOOR).all()
        assert (variance <= 1.0).all()


def test_far_from_the_data_there_is_the_prior() -> None:
    gp = GP.of(np.zeros((1, 2)), np.array([3.0]), Hyperparameters((0.01, 0.01), 1e-4))
    mean, variance, mean_slope, variance_slope = with_gradients(gp, np.ones((1, 2)))
    assert (mean[0], variance[0]) == (0.0, 1.0)
    assert not mean_slope.any()
    assert not variance_slope.any()


def test_no_data_is_the_prior() -> None:
    gp = GP.of(np.empty((0, 2)), np.empty(0), Hyperparameters((0.5, 0.5), 1e-3))
    mean, variance = gp.moments(np.full((3, 2), 0.5))
    assert mean.tolist() == [0.0, 0.0, 0.0]
    assert variance.tolist() == [1.0, 1.0, 1.0]
    grown = gp.condition(np.full((1, 2), 0.5), np.array([2.0]))
    assert grown.moments(np.full((1, 2), 0.5))[0][0] == pytest.approx(2.0 / 1.001)


def test_a_singular_process_reports_its_jitter() -> None:
    X = np.full((6, 2), 0.5)
    gp = GP.of(X, np.zeros(6), Hyperparameters((1.0, 1.0), 1e-17))
    assert gp.jitter > 0.0
    assert np.isfinite(gp.moments(np.random.default_rng(0).random((5, 2)))).all()
    assert random_gp(15, 10, 2).jitter == 0.0


def test_a_process_is_a_value() -> None:
    gp = random_gp(16, 10, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        gp.jitter = 1.0  # type: ignore[misc]
