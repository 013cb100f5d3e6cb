"""Values of any size become values of size one, and come back."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop.surrogate.linalg import Array
from nonstop.surrogate.output import Standardize

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
