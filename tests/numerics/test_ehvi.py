"""The expected growth of a dominated area or volume, against sampling, quadrature and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import dblquad
from scipy.stats import norm

from nonstop.numerics.cells import Cells
from nonstop.numerics.ehvi import estimated_log_ehvi, log_ehvi
from nonstop.numerics.hypervolume import hypervolume
from nonstop.numerics.normal import log_ei
from nonstop.types import Array

FRONT = np.array([[0.0, 1.0], [0.5, 0.6], [0.5, 0.2], [0.8, 0.5], [1.2, -0.4], [-2.0, 3.0]])
THREE = np.column_stack([FRONT, [0.3, -0.2, 0.9, 0.3, 0.3, 0.0]])
FRONTS = {2: FRONT, 3: THREE}
SD = np.array([0.3, 0.8, 0.5])


def reference(k: int) -> Array:
    return np.full(k, -0.5)


def cells(k: int) -> Cells:
    return Cells.of(FRONTS[k], reference(k))


def growth(y: Array, front: Array, reference: Array) -> float:
    return hypervolume(np.vstack([front, y]), reference) - hypervolume(front, reference)


@pytest.mark.parametrize("mean", [(0.6, 0.7, 0.1), (-1.0, 0.0, 0.5), (2.0, 2.0, 2.0), (0.0, -1.5, 0.2)])
@pytest.mark.parametrize("k", [2, 3])
def test_it_is_the_mean_of_the_growth(mean: tuple[float, ...], k: int) -> None:
    rng, at, sd = np.random.default_rng(0), np.array(mean[:k]), SD[:k]
    grown = [growth(y, FRONTS[k], reference(k)) for y in at + sd * rng.standard_normal((10_000, k))]
    value, _, _ = log_ehvi(at[None], sd[None], cells(k))
    assert np.exp(value[0]) == pytest.approx(np.mean(grown), abs=4.0 * np.std(grown) / np.sqrt(len(grown)) + 1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_a_point_that_is_known_grows_the_volume_by_what_it_adds(k: int) -> None:
    """With a large front on a sphere, and one with many ties."""
    rng = np.random.default_rng(k)
    sphere = np.abs(rng.standard_normal((120, k)))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    for front in (sphere, np.round(3.0 * rng.standard_normal((60, k)))):
        known, P = Cells.of(front, reference(k)), rng.uniform(-0.4, 1.6, (30, k))
        value, _, _ = log_ehvi(P, np.full_like(P, 1e-9), known)
        expected = [growth(p, front, reference(k)) for p in P]
        np.testing.assert_allclose(np.exp(value), expected, atol=1e-7)


def test_it_is_the_integral_of_the_probabilities() -> None:
    """The growth is the area above the front at whose points the new one lies beyond: an integral over the plane."""
    mean, sd = np.array([0.4, 0.3]), np.array([0.5, 0.4])
    front = np.array([[0.5, 0.5]])

    def beyond(v: float, u: float) -> float:
        dominated = u < 0.5 and v < 0.5
        return 0.0 if dominated else float(norm.sf(u, mean[0], sd[0]) * norm.sf(v, mean[1], sd[1]))

    parts = [(0.0, 0.5, 0.5, 5.0), (0.5, 5.0, 0.0, 0.5), (0.5, 5.0, 0.5, 5.0)]
    area = sum(dblquad(beyond, a, b, c, d)[0] for a, b, c, d in parts)
    value, _, _ = log_ehvi(mean[None], sd[None], Cells.of(front, np.zeros(2)))
    assert np.exp(value[0]) == pytest.approx(area, rel=1e-6)


@pytest.mark.parametrize("k", [2, 3])
def test_without_a_front_it_is_the_product_of_improvements(k: int) -> None:
    mean, sd = np.array([[0.3, -0.2, 0.1], [-40.0, 3.0, 0.5]]), np.array([[1.0, 0.5, 0.2], [1.0, 0.1, 2.0]])
    mean, sd = mean[:, :k], sd[:, :k]
    value, _, _ = log_ehvi(mean, sd, Cells.of(np.empty((0, k)), np.zeros(k)))
    product = np.sum([log_ei(mean[:, i], sd[:, i], 0.0)[0] for i in range(k)], axis=0)
    assert value == pytest.approx(product)


numbers = st.floats(-3.0, 3.0)


@pytest.mark.parametrize("k", [2, 3])
@given(
    front=st.lists(st.tuples(numbers, numbers, numbers), max_size=6),
    spread=st.floats(0.05, 2.0),
    seed=st.integers(0, 99),
)
def test_derivatives(k: int, front: list[tuple[float, ...]], spread: float, seed: int) -> None:
    known = Cells.of(np.array(front).reshape(-1, 3)[:, :k], reference(k))
    at, sd, step = np.random.default_rng(seed).uniform(-3.0, 3.0, (1, k)), spread * SD[None, :k], 1e-6
    value, by_mean, by_sd = log_ehvi(at, sd, known)
    assert np.isfinite(value).all()
    for j in range(k):
        shift = np.eye(k)[j] * step
        high, low = log_ehvi(at + shift, sd, known)[0], log_ehvi(at - shift, sd, known)[0]
        assert by_mean[0, j] == pytest.approx((high - low)[0] / (2 * step), rel=1e-3, abs=1e-4)
        high, low = log_ehvi(at, sd + shift, known)[0], log_ehvi(at, sd - shift, known)[0]
        assert by_sd[0, j] == pytest.approx((high - low)[0] / (2 * step), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("mean", [-1e3, -1e6, 1e6])
def test_it_stays_finite_far_away(mean: float, k: int) -> None:
    value, by_mean, by_sd = log_ehvi(np.full((1, k), mean), np.ones((1, k)), cells(k))
    assert np.isfinite(value).all()
    assert np.isfinite(by_mean).all()
    assert np.isfinite(by_sd).all()
    assert (by_mean > 0.0).all()


@pytest.mark.parametrize("k", [2, 3])
def test_the_estimate_is_the_value_unless_that_is_tiny(k: int) -> None:
    rng = np.random.default_rng(0)
    mean, sd = rng.uniform(-3.0, 3.0, (300, k)), rng.uniform(0.05, 1.0, (300, k))
    value, estimate = log_ehvi(mean, sd, cells(k))[0], estimated_log_ehvi(mean, sd, cells(k))
    plain = value > -30.0
    assert plain.sum() > 150
    np.testing.assert_allclose(estimate[plain], value[plain], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("k", [2, 3])
def test_far_away_the_estimate_still_ranks(k: int) -> None:
    mean, sd = np.linspace(-30.0, -3.0, 20)[:, None] * np.ones(k), np.full((20, k), 0.02)
    estimate = estimated_log_ehvi(mean, sd, cells(k))
    assert (log_ehvi(mean, sd, cells(k))[0] < -700.0).all()
    assert np.isfinite(estimate).all()
    assert (np.diff(estimate) > 0.0).all()
    assert estimate.max() < estimated_log_ehvi(np.full((1, k), -1.0), sd[:1], cells(k))[0] + 700.0
