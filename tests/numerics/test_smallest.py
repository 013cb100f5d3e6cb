"""How far the smallest of several normal numbers exceeds a threshold, against closed forms and sampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonstop.numerics.normal import log_ei
from nonstop.numerics.smallest import log_exceedance


@pytest.mark.parametrize("z", [-300.0, -40.0, -5.0, -1.0, 0.0, 1.0, 5.0, 30.0])
def test_of_one_number_it_is_the_expected_improvement(z: float) -> None:
    mean, sd = np.array([[0.5 + 2.0 * z]]), np.array([[2.0]])
    value, by_mean, by_sd = log_exceedance(mean, sd, 0.5)
    expected = log_ei(mean[:, 0], sd[:, 0], 0.5)
    assert value == pytest.approx(expected[0], rel=1e-6, abs=1e-6)
    assert by_mean[:, 0] == pytest.approx(expected[1], rel=1e-4)
    if z < 4.0:  # above, it is too small to matter
        assert by_sd[:, 0] == pytest.approx(expected[2], rel=1e-3, abs=1e-6)


def test_it_agrees_with_sampling() -> None:
    rng = np.random.default_rng(0)
    mean, sd = np.array([0.3, 0.1, 0.6]), np.array([0.5, 1.0, 0.2])
    excess = np.maximum((mean + sd * rng.standard_normal((400_000, 3))).min(axis=1) - 0.2, 0.0)
    value, _, _ = log_exceedance(mean[None], sd[None], 0.2)
    assert np.exp(value[0]) == pytest.approx(excess.mean(), abs=4.0 * excess.std() / np.sqrt(len(excess)))


numbers = st.floats(-4.0, 4.0)


@given(st.lists(st.tuples(numbers, st.floats(0.3, 3.0)), min_size=1, max_size=4), numbers)
def test_derivatives(numbers: list[tuple[float, float]], b: float) -> None:
    mean, sd = np.array(numbers).T[:, None]
    value, by_mean, by_sd = log_exceedance(mean, sd, b)
    assert np.isfinite(value).all()
    step = 1e-5
    for j in range(len(numbers)):
        shift = np.eye(len(numbers))[j] * step
        high, low = log_exceedance(mean + shift, sd, b)[0], log_exceedance(mean - shift, sd, b)[0]
        assert by_mean[0, j] == pytest.approx((high - low)[0] / (2 * step), rel=1e-2, abs=1e-3)
        high, low = log_exceedance(mean, sd + shift, b)[0], log_exceedance(mean, sd - shift, b)[0]
        assert by_sd[0, j] == pytest.approx((high - low)[0] / (2 * step), rel=1e-2, abs=1e-3)
