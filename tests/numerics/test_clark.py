"""Moments of the smallest of several normal numbers, against integration, sampling and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid
from scipy.stats import norm

from nonstop.numerics.clark import smallest
from nonstop.types import Array


def numbers(k: int) -> st.SearchStrategy[tuple[Array, Array]]:
    means = st.lists(st.floats(-5.0, 5.0), min_size=k, max_size=k)
    variances = st.lists(st.floats(0.01, 9.0), min_size=k, max_size=k)
    return st.tuples(means, variances).map(lambda pair: (np.array([pair[0]]), np.array([pair[1]])))


@given(numbers(2))
def test_of_two_numbers_it_is_exact(pair: tuple[Array, Array]) -> None:
    (mean,), (sd,) = pair[0], np.sqrt(pair[1])
    found = smallest(*pair)
    x = np.unique(np.concatenate([m + s * np.linspace(-12.0, 12.0, 20_001) for m, s in zip(mean, sd, strict=True)]))
    first, second = norm(mean[0], sd[0]), norm(mean[1], sd[1])
    density = first.pdf(x) * second.sf(x) + second.pdf(x) * first.sf(x)
    expected = float(trapezoid(x * density, x))
    assert found.mean[0] == pytest.approx(expected, abs=1e-4)
    assert found.variance[0] == pytest.approx(float(trapezoid((x - expected) ** 2 * density, x)), rel=1e-4)


def test_of_more_numbers_it_is_close() -> None:
    rng = np.random.default_rng(1)
    mean, variance = np.array([[0.3, 0.0, 0.5, 0.2]]), np.array([[1.0, 0.5, 0.2, 2.0]])
    found = smallest(mean, variance)
    drawn = (mean + np.sqrt(variance) * rng.standard_normal((200_000, 4))).min(axis=1)
    assert found.mean[0] == pytest.approx(drawn.mean(), abs=0.03)
    assert found.variance[0] == pytest.approx(drawn.var(), rel=0.1)


def test_of_one_number_it_is_that_number() -> None:
    found = smallest(np.array([[3.0]]), np.array([[2.0]]))
    assert (found.mean[0], found.variance[0]) == (3.0, 2.0)
    assert (found.mean_by_mean[0, 0], found.variance_by_variance[0, 0]) == (1.0, 1.0)


@given(st.integers(2, 4).flatmap(numbers))
def test_derivatives(pair: tuple[Array, Array]) -> None:
    mean, variance = pair
    found, step = smallest(mean, variance), 1e-6
    for j in range(mean.shape[1]):
        shift = np.eye(mean.shape[1])[j] * step
        high, low = smallest(mean + shift, variance), smallest(mean - shift, variance)
        assert found.mean_by_mean[0, j] == pytest.approx((high.mean - low.mean)[0] / (2 * step), abs=1e-5)
        assert found.variance_by_mean[0, j] == pytest.approx((high.variance - low.variance)[0] / (2 * step), abs=1e-4)
        high, low = smallest(mean, variance + shift), smallest(mean, variance - shift)
        assert found.mean_by_variance[0, j] == pytest.approx((high.mean - low.mean)[0] / (2 * step), abs=1e-5)
        assert found.variance_by_variance[0, j] == pytest.approx(
            (high.variance - low.variance)[0] / (2 * step), abs=1e-4
        )


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_a_number_far_above_does_not_matter(far: float) -> None:
    found = smallest(np.array([[0.5, far]]), np.array([[1e-6, 4.0]]))
    assert found.mean[0] == pytest.approx(0.5)
    assert found.variance[0] == pytest.approx(1e-6)
    found = smallest(np.array([[far, 0.5]]), np.array([[4.0, 1e-6]]))
    assert found.variance[0] == pytest.approx(1e-6)
