"""The expected growth of a dominated area, against sampling, quadrature and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import dblquad
from scipy.stats import norm

from nonstop.numerics.ehvi import log_ehvi
from nonstop.numerics.hypervolume import hypervolume
from nonstop.numerics.normal import log_ei
from nonstop.types import Array

FRONT = np.array([[0.0, 1.0], [0.5, 0.6], [0.5, 0.2], [0.8, 0.5], [1.2, -0.4], [-2.0, 3.0]])
REFERENCE = np.array([-0.5, -0.5])


def growth(y: Array, front: Array, reference: Array) -> float:
    return hypervolume(np.vstack([front, y]), reference) - hypervolume(front, reference)


@pytest.mark.parametrize("mean", [(0.6, 0.7), (-1.0, 0.0), (2.0, 2.0), (0.0, -1.5)])
def test_it_is_the_mean_of_the_growth(mean: tuple[float, float]) -> None:
    rng, sd = np.random.default_rng(0), np.array([0.3, 0.8])
    grown = [growth(y, FRONT, REFERENCE) for y in np.array(mean) + sd * rng.standard_normal((20_000, 2))]
    value, _, _ = log_ehvi(np.array([mean]), sd[None], FRONT, REFERENCE)
    assert np.exp(value[0]) == pytest.approx(np.mean(grown), abs=4.0 * np.std(grown) / np.sqrt(len(grown)) + 1e-12)


def test_it_is_the_integral_of_the_probabilities() -> None:
    """The growth is the area above the front at whose points the new one lies beyond: an integral over the plane."""
    mean, sd = np.array([0.4, 0.3]), np.array([0.5, 0.4])
    front = np.array([[0.5, 0.5]])

    def beyond(v: float, u: float) -> float:
        dominated = u < 0.5 and v < 0.5
        return 0.0 if dominated else float(norm.sf(u, mean[0], sd[0]) * norm.sf(v, mean[1], sd[1]))

    parts = [(0.0, 0.5, 0.5, 5.0), (0.5, 5.0, 0.0, 0.5), (0.5, 5.0, 0.5, 5.0)]
    area = sum(dblquad(beyond, a, b, c, d)[0] for a, b, c, d in parts)
    value, _, _ = log_ehvi(mean[None], sd[None], front, np.zeros(2))
    assert np.exp(value[0]) == pytest.approx(area, rel=1e-6)


def test_without_a_front_it_is_the_product_of_two_improvements() -> None:
    mean, sd = np.array([[0.3, -0.2], [-40.0, 3.0]]), np.array([[1.0, 0.5], [1.0, 0.1]])
    value, _, _ = log_ehvi(mean, sd, np.empty((0, 2)), np.zeros(2))
    product = log_ei(mean[:, 0], sd[:, 0], 0.0)[0] + log_ei(mean[:, 1], sd[:, 1], 0.0)[0]
    assert value == pytest.approx(product)


numbers = st.floats(-3.0, 3.0)


@given(st.lists(st.tuples(numbers, numbers), max_size=6), st.tuples(numbers, numbers), st.floats(0.05, 2.0))
def test_derivatives(front: list[tuple[float, float]], mean: tuple[float, float], spread: float) -> None:
    known = np.array(front).reshape(-1, 2)
    at, sd, step = np.array([mean]), np.array([[spread, 0.7 * spread]]), 1e-6
    value, by_mean, by_sd = log_ehvi(at, sd, known, REFERENCE)
    assert np.isfinite(value).all()
    for j in range(2):
        shift = np.eye(2)[j] * step
        high, low = log_ehvi(at + shift, sd, known, REFERENCE)[0], log_ehvi(at - shift, sd, known, REFERENCE)[0]
        assert by_mean[0, j] == pytest.approx((high - low)[0] / (2 * step), rel=1e-3, abs=1e-4)
        high, low = log_ehvi(at, sd + shift, known, REFERENCE)[0], log_ehvi(at, sd - shift, known, REFERENCE)[0]
        assert by_sd[0, j] == pytest.approx((high - low)[0] / (2 * step), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("mean", [-1e3, -1e6, 1e6])
def test_it_stays_finite_far_away(mean: float) -> None:
    value, by_mean, by_sd = log_ehvi(np.full((1, 2), mean), np.ones((1, 2)), FRONT, REFERENCE)
    assert np.isfinite(value).all()
    assert np.isfinite(by_mean).all()
    assert np.isfinite(by_sd).all()
    assert (by_mean > 0.0).all()
