"""Kernels against the textbook, their steepness against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop.surrogate.kernels import (
    ARGUMENT,
    KERNELS,
    Kernel,
    covariance,
    left,
    right,
    squared_distances,
    value,
    value_and_steepness,
)
from tests.helpers.oracles import textbook_kernel

both = pytest.mark.parametrize("kernel", KERNELS)
SQUARED = np.concatenate([[0.0], np.logspace(-12, 3, 60)])


@both
@pytest.mark.parametrize(("n", "m", "d"), [(0, 3, 2), (1, 1, 1), (5, 7, 3), (40, 20, 10)])
def test_covariance_is_the_textbook(kernel: Kernel, n: int, m: int, d: int) -> None:
    rng = np.random.default_rng(d)
    A, B, lengthscales = rng.random((n, d)), rng.random((m, d)), rng.uniform(0.05, 3.0, size=d)
    A[: min(n, 1)] = B[: min(n, 1)]  # one common point
    expected = textbook_kernel(kernel, A, B, lengthscales)
    np.testing.assert_allclose(covariance(kernel, A, B, lengthscales), expected, rtol=1e-9, atol=1e-12)


@both
def test_arguments_are_not_changed(kernel: Kernel) -> None:
    A, lengthscales = np.random.default_rng(0).random((5, 2)), np.array([0.5, 2.0])
    before = A.copy()
    covariance(kernel, A, A, lengthscales)
    assert np.array_equal(A, before)
    assert lengthscales.tolist() == [0.5, 2.0]


@both
def test_value_and_steepness_agree_with_value(kernel: Kernel) -> None:
    T = ARGUMENT[kernel] * SQUARED[None]
    k, _ = value_and_steepness(kernel, T.copy())
    np.testing.assert_allclose(k, value(kernel, T), rtol=1e-15)


@both
def test_steepness_is_minus_twice_the_slope(kernel: Kernel) -> None:
    D, by_D = SQUARED[1:][None], ARGUMENT[kernel]
    _, h = value_and_steepness(kernel, by_D * D)
    step = 1e-4 * D
    k = [value(kernel, by_D * (D + c * step)) for c in (-2.0, -1.0, 1.0, 2.0)]
    slope = (k[0] - 8.0 * k[1] + 8.0 * k[2] - k[3]) / (12.0 * step)
    large = D > 1e-6  # below, differences of numbers near one have no digits left
    np.testing.assert_allclose(h[large], -2.0 * slope[large], rtol=1e-5, atol=1e-280)


@both
def test_at_no_distance(kernel: Kernel) -> None:
    k, h = value_and_steepness(kernel, np.zeros((1, 1)))
    assert k[0, 0] == 1.0
    assert h[0, 0] == pytest.approx({"rbf": 1.0, "matern52": 5.0 / 3.0}[kernel], rel=1e-15)


@both
def test_far_away_there_is_nothing(kernel: Kernel) -> None:
    k, h = value_and_steepness(kernel, ARGUMENT[kernel] * np.array([[1e6, 1e12, 1e300]]))
    assert k.tolist() == [[0.0, 0.0, 0.0]]
    assert h.tolist() == [[0.0, 0.0, 0.0]]


@both
def test_single_precision_stays_single(kernel: Kernel) -> None:
    rng = np.random.default_rng(1)
    A, B = rng.random((30, 4)), rng.random((20, 4))
    assert squared_distances(A.astype(np.float32), B.astype(np.float32)).dtype == np.float32
    T = left(A.astype(np.float32)) @ right(kernel, B.astype(np.float32)).T
    assert T.dtype == np.float32
    k = value(kernel, T)
    assert k.dtype == np.float32
    np.testing.assert_allclose(k, covariance(kernel, A, B, np.ones(4)), atol=2e-6)


def test_squared_distances_are_never_negative() -> None:
    A = np.random.default_rng(2).random((200, 3)) * 40.0
    D = squared_distances(A, A + 1e-9)
    assert D.min() >= 0.0
    expected = np.square(A[:, None] - A[None] - 1e-9).sum(axis=2)
    np.testing.assert_allclose(D, expected, rtol=1e-10, atol=1e-11)


@both
def test_rounding_below_no_distance_is_no_distance(kernel: Kernel) -> None:
    """A product may come out a little on the other side of zero."""
    T = np.full((1, 3), -1e-13 * ARGUMENT[kernel])
    assert (value(kernel, T.copy()) == 1.0).all()
    assert (value_and_steepness(kernel, T)[0] == 1.0).all()


@both
def test_kernels_are_positive_definite(kernel: Kernel) -> None:
    X = np.random.default_rng(3).random((60, 3))
    assert np.linalg.eigvalsh(covariance(kernel, X, X, np.full(3, 0.4))).min() > -1e-12


@both
def test_far_away_is_nothing_but_no_subnormal_number(kernel: Kernel) -> None:
    T = ARGUMENT[kernel] * np.array([[0.0, 2.0, 100.0, 2e3, 2e6]])
    k = value(kernel, T.astype(np.float32), np.empty(T.shape, dtype=np.float32))
    assert k.dtype == np.float32
    np.testing.assert_allclose(k, value(kernel, T), rtol=1e-5, atol=1e-15)
    assert k.min() > np.finfo(np.float32).tiny
