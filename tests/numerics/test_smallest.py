"""The smallest of several normal numbers, against sampling, closed forms and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from nonstop.numerics.smallest import smallest
from nonstop.types import Array


def numbers(k: int) -> st.SearchStrategy[tuple[Array, Array]]:
    means = st.lists(st.floats(-5.0, 5.0), min_size=k, max_size=k)
    variances = st.lists(st.floats(0.01, 9.0), min_size=k, max_size=k)
    return st.tuples(means, variances).map(lambda pair: (np.array([pair[0]]), np.array([pair[1]])))


@given(st.integers(1, 5).flatmap(numbers))
def test_the_quantiles_are_those_of_the_smallest(pair: tuple[Array, Array]) -> None:
    """The probability that all exceed the median is one half, and that all exceed the upper quantile 16 %."""
    found = smallest(*pair)
    sd = np.sqrt(pair[1][0])
    assert np.prod(norm.sf(found.mean[0], pair[0][0], sd)) == pytest.approx(0.5, rel=1e-9)
    upper = found.mean[0] + np.sqrt(found.variance[0])
    assert np.prod(norm.sf(upper, pair[0][0], sd)) == pytest.approx(norm.sf(1.0), rel=1e-6)


def test_draws_agree() -> None:
    rng = np.random.default_rng(1)
    mean, variance = np.array([[0.3, 0.0, 0.5, 0.2]]), np.array([[1.0, 0.5, 0.2, 2.0]])
    found = smallest(mean, variance)
    drawn = (mean + np.sqrt(variance) * rng.standard_normal((200_000, 4))).min(axis=1)
    assert found.mean[0] == pytest.approx(np.median(drawn), abs=0.01)
    assert np.sqrt(found.variance[0]) == pytest.approx(np.quantile(drawn, norm.cdf(1.0)) - np.median(drawn), abs=0.01)


def test_of_one_number_it_is_that_number() -> None:
    found = smallest(np.array([[3.0]]), np.array([[2.0]]))
    assert (found.mean[0], found.variance[0]) == pytest.approx((3.0, 2.0))
    assert (found.mean_by_mean[0, 0], found.variance_by_variance[0, 0]) == pytest.approx((1.0, 1.0))


def test_of_two_equal_numbers() -> None:
    """All exceed t with probability P(u > t)^2."""
    found = smallest(np.zeros((1, 2)), np.ones((1, 2)))
    assert found.mean[0] == pytest.approx(norm.isf(np.sqrt(0.5)))
    assert np.sqrt(found.variance[0]) == pytest.approx(norm.isf(np.sqrt(norm.sf(1.0))) - norm.isf(np.sqrt(0.5)))


def test_what_is_known_caps_what_is_not() -> None:
    """However uncertain the other number is, the smallest is not above the known one."""
    found = smallest(np.array([[1.0, 3.0], [1.0, -3.0]]), np.array([[1e-6, 25.0], [1e-6, 25.0]]))
    assert (found.mean + 2.0 * np.sqrt(found.variance) < 1.0 + np.array([0.1, 12.0])).all()
    assert found.mean[0] + np.sqrt(found.variance[0]) < 1.001


@given(st.integers(2, 4).flatmap(numbers))
def test_derivatives(pair: tuple[Array, Array]) -> None:
    mean, variance = pair
    found, step = smallest(mean, variance), 1e-5
    for j in range(mean.shape[1]):
        shift = np.eye(mean.shape[1])[j] * step
        high, low = smallest(mean + shift, variance), smallest(mean - shift, variance)
        assert found.mean_by_mean[0, j] == pytest.approx((high.mean - low.mean)[0] / (2 * step), abs=1e-5)
        assert found.variance_by_mean[0, j] == pytest.approx((high.variance - low.variance)[0] / (2 * step), abs=1e-4)
        high, low = smallest(mean, variance + shift), smallest(mean, variance - shift)
        assert found.mean_by_variance[0, j] == pytest.approx((high.mean - low.mean)[0] / (2 * step), abs=1e-4)
        assert found.variance_by_variance[0, j] == pytest.approx(
            (high.variance - low.variance)[0] / (2 * step), abs=1e-3
        )


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_a_number_far_above_does_not_matter(far: float) -> None:
    found = smallest(np.array([[0.5, far], [far, 0.5]]), np.array([[1e-6, 4.0], [4.0, 1e-6]]))
    assert found.mean == pytest.approx([0.5, 0.5])
    assert found.variance == pytest.approx([1e-6, 1e-6])


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_extreme_scales(scale: float) -> None:
    mean, variance = np.array([[0.3, -0.2]]), np.array([[1e-20, 2.0]])
    one, other = smallest(mean, variance), smallest(mean * scale, variance * scale**2)
    np.testing.assert_allclose(other.mean, one.mean * scale, rtol=1e-6)
    np.testing.assert_allclose(other.variance, one.variance * scale**2, rtol=1e-6)
    assert all(np.isfinite(getattr(other, name)).all() for name in Smallest_fields())


def Smallest_fields() -> list[str]:  # noqa: N802
    return ["mean", "variance", "mean_by_mean", "mean_by_variance", "variance_by_mean", "variance_by_variance"]
