"""Values of any size become values of size one, and come back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nonstop.surrogate.output import Compress, Standardize, output_of
from nonstop.types import Array

EXPONENTS = [-323, -300, -200, -100, -10, 0, 10, 100, 200, 300, 307]


def values(n: int = 20, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize("exponent", [e for e in EXPONENTS if e > -320])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_zero_mean_and_unit_variance_at_any_scale(exponent: int, sign: float) -> None:
    y = sign * values() * 10.0**exponent
    z = Standardize.of(y).forward(y)
    assert z.mean() == pytest.approx(0.0, abs=1e-14)
    assert z.std(ddof=1) == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(z, sign * Standardize.of(values()).forward(values()), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_round_trip(exponent: int) -> None:
    y = values() * 10.0**exponent
    output = Standardize.of(y)
    np.testing.assert_allclose(output.backward(output.forward(y)), y, rtol=1e-12, atol=1e-13 * np.abs(y).max())


@pytest.mark.parametrize("offset", [1.0, -1e6, 1e9, -1e12])
def test_offsets_do_not_matter(offset: float) -> None:
    y = values()
    shifted = y + offset
    z = Standardize.of(shifted).forward(shifted)
    np.testing.assert_allclose(z, Standardize.of(y).forward(y), atol=1e-15 * abs(offset) * 4 + 1e-13)


@pytest.mark.parametrize("offset", [1e16, -1e16])
def test_differences_at_the_edge_of_rounding_keep_their_order(offset: float) -> None:
    """At 1e16 neighbouring doubles are 2 apart: values that differ by hundreds are real data, not rounding."""
    steps = np.array([0.0, 200.0, -400.0, 600.0, 800.0])
    y = offset + steps
    z = Standardize.of(y).forward(y)
    assert np.argsort(z).tolist() == np.argsort(steps).tolist()
    assert z.std(ddof=1) == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize("value", [0.0, 1.0, -3.7, 0.1, 1e300, -1e-300, 5e-324, 1e16, 1.7e308])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 100])
def test_constants_become_zero(value: float, n: int) -> None:
    y = np.full(n, value)
    output = Standardize.of(y)
    np.testing.assert_allclose(output.forward(y), np.zeros(n), atol=1e-14)
    np.testing.assert_allclose(output.backward(output.forward(y)), y, rtol=1e-13)


def test_nothing() -> None:
    output = Standardize.of(np.empty(0))
    assert output.forward(np.empty(0)).shape == (0,)
    assert output.backward(np.array([0.5])).tolist() == [0.5]


def test_two_values() -> None:
    y = np.array([3.0, 5.0])
    np.testing.assert_allclose(Standardize.of(y).forward(y), np.array([-1.0, 1.0]) / np.sqrt(2.0), rtol=1e-14)


@pytest.mark.parametrize("a", [2.0**-900, 0.5, 2.0, 2.0**900])
def test_powers_of_two_change_no_bit(a: float) -> None:
    y = values()
    assert np.array_equal(Standardize.of(a * y).forward(a * y), Standardize.of(y).forward(y))


def test_both_ends_of_the_range_together() -> None:
    y = np.array([1.7e308, -1.7e308, 1e-300, 0.0])
    z = Standardize.of(y).forward(y)
    assert np.isfinite(z).all()
    assert z.std(ddof=1) == pytest.approx(1.0)


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e6, 1e6, width=32)), st.floats(-200, 200))
def test_compression_keeps_the_order_and_is_inverted(y: Array, power: float) -> None:
    y = y * 10.0**power
    output = Compress.of(y)
    z = output.forward(y)
    assert np.isfinite(z).all()
    order = np.argsort(y, kind="stable")
    assert (np.diff(z[order]) >= 0.0).all()
    np.testing.assert_allclose(output.backward(z), y, rtol=1e-7, atol=1e-9 * np.ptp(y))
    if len(y) > 1 and np.ptp(z) > 0.0:
        assert z.mean() == pytest.approx(0.0, abs=1e-6)
        assert z.std(ddof=1) == pytest.approx(1.0)


def test_compression_leaves_the_upper_half_and_takes_the_logarithm_of_the_lower() -> None:
    """Median 0, upper half 0, 1, 2: scale sqrt(5/3). Distances below become scale * log(1 + t / scale)."""
    y = np.array([2.0, 1.0, 0.0, -3.0, -1000.0])
    z = Compress.of(y).forward(y)
    scale = math.sqrt(5.0 / 3.0)
    expected = np.array([2.0, 1.0, 0.0, -scale * math.log1p(3.0 / scale), -scale * math.log1p(1000.0 / scale)])
    np.testing.assert_allclose(np.diff(z) / np.diff(z)[0], np.diff(expected) / np.diff(expected)[0], rtol=1e-12)


def test_compression_below_a_knee_leaves_what_may_matter() -> None:
    """Median 0 and scale sqrt(5/3) again: two scales below the median are left as they are, and more if it is asked."""
    y = np.array([2.0, 1.0, 0.0, -3.0, -1000.0])
    scale = math.sqrt(5.0 / 3.0)
    for least, knee in ((1.0, -2.0 * scale), (-2.0, -2.0 * scale), (-900.0, -900.0)):
        z = Compress.of(y, least).forward(y)
        expected = np.where(y < knee, knee - scale * np.log1p(np.maximum(knee - y, 0.0) / scale), y)
        np.testing.assert_allclose(np.diff(z) / np.diff(z)[0], np.diff(expected) / np.diff(expected)[0], rtol=1e-9)
        np.testing.assert_allclose(Compress.of(y, least).backward(z), y, rtol=1e-9, atol=1e-9)


def test_the_worst_values_hardly_matter_after_compression() -> None:
    """Among the good ones, a difference stays a difference, however bad the bad ones are."""
    good = np.linspace(0.0, 1.0, 11)
    y = np.concatenate([good, np.full(10, -1e9)])
    assert np.ptp(output_of("standardize", y).forward(y)[:11]) < 1e-8
    assert np.ptp(output_of("compress", y).forward(y)[:11]) > 0.1


@pytest.mark.parametrize("y", [[], [3.0], [3.0, 3.0], [1.0, 1.0, 1.0, 0.0], [1e300, -1e300, 0.0, 1e299]])
def test_compression_of_few_and_equal_and_huge_values(y: list[float]) -> None:
    values = np.array(y)
    z = Compress.of(values).forward(values)
    assert np.isfinite(z).all()
    assert [bool(a < b) for a in z for b in z] == [bool(a < b) for a in values for b in values]
