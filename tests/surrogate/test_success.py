"""The model of where evaluations succeed: derivatives, textbook formulas, what it learns, extremes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from nonstop.surrogate.kernels.names import KERNELS, kernel_of
from nonstop.surrogate.probit import Evidence, log_likelihood, mode_of
from nonstop.surrogate.success import Success
from nonstop.types import Array
from tests.helpers.oracles import slopes, textbook_kernel


def probability(model: Success, P: Array) -> Array:
    mean, variance = model.gp.moments(P)
    return np.asarray(ndtr((model.offset + mean) / np.sqrt(1.0 + model.amplitude * variance)))


def halves(n: int, d: int, seed: int = 0) -> tuple[Array, Array]:
    """Points of which those with a large first coordinate fail."""
    X = np.random.default_rng(seed).random((n, d))
    return X[X[:, 0] <= 0.6], X[X[:, 0] > 0.6]


def test_the_derivatives_of_the_likelihood() -> None:
    for label in (1.0, -1.0):
        t, g, h = np.full(9, label), np.linspace(-6.0, 6.0, 9), 1e-5
        for order in (0, 1, 2):
            numeric = (log_likelihood(t, g + h)[order] - log_likelihood(t, g - h)[order]) / (2.0 * h)
            np.testing.assert_allclose(log_likelihood(t, g)[order + 1], numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (25, 3)])
def test_the_gradient_of_the_evidence(kernel: str, n: int, d: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.random((n, d))
    t = np.where(X[:, 0] + 0.3 * rng.random(n) > 0.7, -1.0, 1.0)
    evidence = Evidence(X, t, 0.3, kernel_of(kernel))
    theta = np.log(rng.uniform(0.3, 2.0, size=d + 1))
    numeric = slopes(lambda theta: evidence.value_and_slope(theta)[0], theta, 1e-3)
    np.testing.assert_allclose(evidence.value_and_slope(theta)[1], numeric, rtol=1e-4, atol=1e-5)


def test_the_evidence_of_one_label_is_near_its_closed_form() -> None:
    for spread in (0.1, 1.0):
        evidence = Evidence(np.array([[0.5]]), np.array([1.0]), 0.4, kernel_of("rbf"))
        exact = np.log(ndtr(0.4 / np.sqrt(1.0 + spread**2)))
        assert evidence.value_and_slope(np.log([1.0, spread]))[0] == pytest.approx(exact, abs=0.03)


def test_the_mode_is_where_the_posterior_has_no_slope() -> None:
    X, F = halves(30, 2)
    points, t = np.concatenate([X, F]), np.array([1.0] * len(X) + [-1.0] * len(F))
    K = 900.0 * textbook_kernel("rbf", points, points, np.array([0.5, 0.5]))
    mode = mode_of(K, t, 0.2)
    np.testing.assert_allclose(K @ mode.slope, mode.f, rtol=1e-4, atol=1e-3)


def test_the_posterior_is_the_textbooks() -> None:
    """Rasmussen and Williams, equations 3.21 and 3.24, with K and W written out."""
    X, F = halves(20, 2)
    model = Success.of(X, F)
    gp, s2 = model.gp, model.amplitude
    t = np.array([1.0] * len(X) + [-1.0] * len(F))
    K = s2 * textbook_kernel("rbf", gp.X, gp.X, gp.lengthscales)
    mode = mode_of(K, t, model.offset)
    P = np.random.default_rng(2).random((7, 2))
    k = s2 * textbook_kernel("rbf", P, gp.X, gp.lengthscales)
    mean, variance = gp.moments(P)
    np.testing.assert_allclose(mean, k @ mode.slope, rtol=1e-6, atol=1e-6)
    inverse = np.linalg.inv(K + np.diag(1.0 / mode.W))
    np.testing.assert_allclose(s2 * variance, s2 - np.einsum("ij,jk,ik->i", k, inverse, k), rtol=1e-5, atol=1e-4 * s2)


@pytest.mark.parametrize("d", [1, 2, 6])
def test_it_finds_the_parameter_that_failures_depend_on(d: int) -> None:
    model = Success.of(*halves(20 * d, d))
    P = np.random.default_rng(3).random((2000, d))
    right = (probability(model, P) > 0.5) == (P[:, 0] <= 0.6)
    assert right.mean() > 0.93
    assert (model.gp.lengthscales[1:] > 2.0 * model.gp.lengthscales[0]).all()


def test_failures_at_random_say_nothing_about_points() -> None:
    rng = np.random.default_rng(4)
    X, failed = rng.random((200, 3)), rng.random(200) < 0.2
    p = probability(Success.of(X[~failed], X[failed]), rng.random((500, 3)))
    assert p.min() > 0.65
    assert p.max() < 0.92


def test_a_single_failure_counts_at_once_and_only_around_it() -> None:
    X = np.random.default_rng(5).random((20, 2))
    p = probability(Success.of(X, np.array([[0.9, 0.9]])), np.array([[0.9, 0.9], [0.1, 0.1]]))
    assert p[0] < 0.75 < 0.9 < p[1]


def test_a_believed_failure_makes_its_surroundings_less_likely() -> None:
    X, F = halves(12, 2)
    model = Success.of(X, F)
    pending, near = np.array([[0.95, 0.5]]), np.array([[0.97, 0.55]])
    believed = replace(model, gp=model.gp.condition(pending))
    assert probability(model, pending)[0] < 0.5
    assert probability(believed, near)[0] < probability(model, near)[0]
    np.testing.assert_allclose(believed.gp.moments(near)[0], model.gp.moments(near)[0], atol=1e-6)


@pytest.mark.parametrize(
    ("X", "F"),
    [
        (np.full((1, 2), 0.5), np.full((1, 2), 0.5)),
        (np.full((3, 2), 0.5), np.random.default_rng(0).random((40, 2))),
        (np.random.default_rng(1).random((3, 30)), np.random.default_rng(2).random((3, 30))),
        (np.random.default_rng(3).random((400, 3)), np.random.default_rng(4).random((1500, 3))),
        (np.random.default_rng(5).random((60, 1)) * 0.5, np.full((60, 1), 0.5) + 1e-12),
    ],
    ids=["the same point", "one point succeeds", "wide", "many", "a wall"],
)
def test_extremes(X: Array, F: Array) -> None:
    model = Success.of(X, F)
    p = probability(model, np.random.default_rng(6).random((50, X.shape[1])))
    assert np.isfinite(p).all()
    assert ((p > 0.0) & (p < 1.0)).all()
    assert Success.of(X, F).gp.alpha.tobytes() == model.gp.alpha.tobytes()
