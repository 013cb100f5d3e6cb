"""Kernels against the textbook, their steepness against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop.errors import RuleError
from nonstop.surrogate.kernels.distances import left, right, squared_distances
from nonstop.surrogate.kernels.kernel import Kernel, covariance
from nonstop.surrogate.kernels.matern52 import Matern52
from nonstop.surrogate.kernels.names import KERNELS, kernel_of
from nonstop.surrogate.kernels.rbf import RBF
from nonstop.types import Array
from tests.helpers.oracles import textbook_kernel

both = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
SQUARED = np.concatenate([[0.0], np.logspace(-12, 3, 60)])


class Derived(Kernel):
    """A known kernel of which only the values are told: everything else is what the base class derives from them."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def value(self, D: Array) -> Array:
        return self.kernel.value(D)


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
    T = kernel.scale * SQUARED[None]
    k, _ = kernel.value_and_steepness_of(T.copy())
    np.testing.assert_allclose(k, kernel.value(SQUARED[None]), rtol=1e-15)
    np.testing.assert_allclose(k, kernel.value_and_steepness(SQUARED[None])[0], rtol=1e-15)
    np.testing.assert_allclose(k, kernel.value_of(T), rtol=1e-15)


@both
def test_steepness_is_minus_twice_the_slope(kernel: Kernel) -> None:
    D = SQUARED[1:][None]
    _, h = kernel.value_and_steepness(D)
    step = 1e-4 * D
    k = [kernel.value(D + c * step) for c in (-2.0, -1.0, 1.0, 2.0)]
    slope = (k[0] - 8.0 * k[1] + 8.0 * k[2] - k[3]) / (12.0 * step)
    large = D > 1e-6  # below, differences of numbers near one have no digits left
    np.testing.assert_allclose(h[large], -2.0 * slope[large], rtol=1e-5, atol=1e-280)


@both
def test_at_no_distance(kernel: Kernel) -> None:
    k, h = kernel.value_and_steepness(np.zeros((1, 1)))
    assert k[0, 0] == 1.0
    assert h[0, 0] == pytest.approx({RBF(): 1.0, Matern52(): 5.0 / 3.0}[kernel], rel=1e-15)


@both
def test_far_away_there_is_nothing(kernel: Kernel) -> None:
    k, h = kernel.value_and_steepness(np.array([[1e6, 1e12, 1e300]]))
    assert k.tolist() == [[0.0, 0.0, 0.0]]
    assert h.tolist() == [[0.0, 0.0, 0.0]]


@both
def test_single_precision_stays_single(kernel: Kernel) -> None:
    rng = np.random.default_rng(1)
    A, B = rng.random((30, 4)), rng.random((20, 4))
    assert squared_distances(A.astype(np.float32), B.astype(np.float32)).dtype == np.float32
    T = left(A.astype(np.float32)) @ right(B.astype(np.float32), kernel.scale).T
    assert T.dtype == np.float32
    k = kernel.value_of(T)
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
    T = np.full((1, 3), -1e-13 * kernel.scale)
    assert (kernel.value_of(T.copy()) == 1.0).all()
    assert (kernel.value_and_steepness_of(T)[0] == 1.0).all()


@both
def test_kernels_are_positive_definite(kernel: Kernel) -> None:
    X = np.random.default_rng(3).random((60, 3))
    assert np.linalg.eigvalsh(covariance(kernel, X, X, np.full(3, 0.4))).min() > -1e-12


@both
def test_far_away_is_nothing_but_no_subnormal_number(kernel: Kernel) -> None:
    T = kernel.scale * np.array([[0.0, 2.0, 100.0, 2e3, 2e6]])
    k = kernel.value_of(T.astype(np.float32), np.empty(T.shape, dtype=np.float32))
    assert k.dtype == np.float32
    np.testing.assert_allclose(k, kernel.value_of(T), rtol=1e-5, atol=1e-15)
    assert k.min() > np.finfo(np.float32).tiny


@both
def test_slope_of_the_steepness(kernel: Kernel) -> None:
    D = np.logspace(-6, 2, 40)[None]
    step = 1e-3 * D
    h, slope = kernel.steepness_and_slope(D)
    np.testing.assert_allclose(h, kernel.value_and_steepness(D)[1], rtol=1e-14)
    h1, h2 = (kernel.value_and_steepness(D + side * step)[1] for side in (-1.0, 1.0))
    np.testing.assert_allclose(slope, (h2 - h1) / (2.0 * step), rtol=1e-2, atol=1e-12)


@both
def test_what_is_derived_from_the_values_alone(kernel: Kernel) -> None:
    derived = Derived(kernel)
    D = np.concatenate([[0.0], np.logspace(-6, 2, 40)])[None]
    D_before = D.copy()
    (k, h), (expected_k, expected_h) = derived.value_and_steepness(D), kernel.value_and_steepness(D)
    np.testing.assert_allclose(k, expected_k, rtol=1e-15)
    np.testing.assert_allclose(h, expected_h, rtol=1e-5, atol=2e-4 * (kernel.scale > 0.0) + 1e-8)
    (h, slope), (_, expected) = derived.steepness_and_slope(D), kernel.steepness_and_slope(D)
    clear = D > 0.1  # closer, the third derivative of Matern-5/2 in D is unbounded
    np.testing.assert_allclose(slope[clear], expected[clear], rtol=1e-2, atol=1e-4)
    assert np.array_equal(D, D_before)
    A, lengthscales = np.random.default_rng(0).random((9, 3)), np.array([0.3, 1.0, 2.0])
    expected = covariance(kernel, A, A, lengthscales)
    np.testing.assert_allclose(covariance(derived, A, A, lengthscales), expected, atol=1e-12)


def test_names() -> None:
    for name, kernel in KERNELS.items():
        assert kernel_of(name) is kernel
        assert kernel_of(kernel) is kernel
    for wrong in ("tree", 3, Kernel, None):
        with pytest.raises(RuleError, match="kernel must be one of rbf, matern52 or"):
            kernel_of(wrong)  # type: ignore[arg-type]
