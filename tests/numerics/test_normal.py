"""log h and log EI against mpmath with 60 digits and more."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from nonstop.numerics.normal import log_ei, log_h, log_h_and_ratios
from nonstop.types import Array

mp: Any = mpmath.mp.clone()
mp.dps = 80

SWITCHES = [s + e for s in (-50.0, -1.0, 0.0) for e in (-1e-3, -1e-9, -1e-14, 0.0, 1e-14, 1e-9, 1e-3)]
Z = sorted(
    {
        *(-np.logspace(-6, 6, 121)).tolist(),
        *np.logspace(-6, 3, 61).tolist(),
        *np.linspace(-60.0, 10.0, 141).tolist(),
        *SWITCHES,
        *(np.nextafter([-50.0, -50.0, -1.0, -1.0], [-60.0, -40.0, -2.0, 0.0])).tolist(),
    }
)


def exact(z: Any) -> tuple[Any, Any, Any]:
    """phi, Phi and h = phi + z Phi. The digits that cancel in the tail grow as log z^2, so 80 are plenty."""
    phi = mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)
    Phi = mp.erfc(-z / mp.sqrt(2)) / 2
    return phi, Phi, phi + z * Phi


def test_the_oracle_agrees_with_the_integral() -> None:
    """h(z) = E max(z + N, 0), by quadrature: so that the oracle is not the formula it judges."""
    for z in (-8.0, -1.0, 0.0, 2.5):
        integral = mp.quad(lambda t, z=z: (z + t) * mp.npdf(t), [-z, -z + 2, -z + 6, -z + 20, mp.inf])
        assert abs(integral / exact(mp.mpf(z))[2] - 1) < 1e-20


def test_log_h_to_nine_digits() -> None:
    values = log_h(np.array(Z))
    for z, value in zip(Z, values, strict=True):
        expected = mp.log(exact(mp.mpf(z))[2])
        assert abs(value - expected) <= 1e-9 * abs(expected) + 1e-15, z


def test_log_h_to_twelve_digits_away_from_its_root() -> None:
    """Better than asked for: a lost digit at a switch shows here first."""
    values = log_h(np.array(Z))
    worst = max(
        float(abs(value - e) / max(abs(e), mp.mpf(1)))
        for z, value in zip(Z, values, strict=True)
        for e in [mp.log(exact(mp.mpf(z))[2])]
    )
    assert worst < 1e-12


def test_ratios_to_nine_digits() -> None:
    _, upper, density = log_h_and_ratios(np.array(Z))
    for z, u, r in zip(Z, upper, density, strict=True):
        phi, Phi, h = exact(mp.mpf(z))
        assert abs(u - Phi / h) <= 1e-9 * Phi / h, z
        assert abs(r - phi / h) <= 1e-9 * phi / h + 1e-300, z


def test_the_derivative_is_the_derivative() -> None:
    """Phi / h really is d log h / dz: by mpmath's own differentiation."""
    points = np.array([-1e5, -300.0, -50.0, -49.9, -7.0, -1.0, -0.5, 0.0, 1.0, 30.0])
    _, upper, _ = log_h_and_ratios(points)
    for z, u in zip(points, upper, strict=True):
        numeric = mp.diff(lambda t: mp.log(exact(t)[2]), mp.mpf(float(z)), h=mp.mpf(10) ** -20)
        assert abs(u - numeric) <= 1e-9 * abs(numeric), z


def test_log_h_never_falls() -> None:
    z = np.array(Z)
    assert (np.diff(log_h(z)) >= 0.0).all()


SPREADS = [1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 30.0, 1e3]


def improvement(mean: Any, sd: Any, best: Any) -> Any:
    return mp.log(sd * exact((mean - best) / sd)[2])


@pytest.mark.parametrize("sd", SPREADS)
def test_log_ei_to_nine_digits(sd: float) -> None:
    z = np.array([-1e6, -1e4, -200.0, -51.0, -50.0, -49.0, -10.0, -1.1, -1.0, -0.9, 0.0, 0.5, 2.0, 40.0, 1e3])
    for best in (0.0, 2.5, -1.0):
        mean = best + z * sd
        value, by_mean, by_sd = log_ei(mean, np.full_like(mean, sd), best)
        for i, m in enumerate(mean):
            # Exactly what the function was given, including the rounding of mean - best.
            args = mp.mpf(float(m)), mp.mpf(sd), mp.mpf(best)
            phi, Phi, h = exact((args[0] - args[2]) / args[1])
            expected = improvement(*args)
            assert abs(value[i] - expected) <= 1e-9 * abs(expected) + 1e-13, (m, sd, best)
            assert abs(by_mean[i] - Phi / h / args[1]) <= 1e-9 * Phi / h / args[1], (m, sd, best)
            assert abs(by_sd[i] - phi / h / args[1]) <= 1e-9 * phi / h / args[1] + 1e-300, (m, sd, best)


@pytest.mark.parametrize("sd", SPREADS)
def test_log_ei_gradient_is_its_gradient(sd: float) -> None:
    for z in (-1e6, -60.0, -20.0, -1.0, 0.0, 3.0):
        mean = z * sd
        _, by_mean, by_sd = log_ei(np.array([mean]), np.array([sd]), 0.0)
        m, s, step = mp.mpf(mean), mp.mpf(sd), mp.mpf(10) ** -30
        in_mean = mp.diff(lambda t, s=s: improvement(t, s, 0), m, h=step)
        in_sd = mp.diff(lambda t, m=m: improvement(m, t, 0), s, h=step)
        assert abs(by_mean[0] - in_mean) <= 1e-8 * abs(in_mean), (z, sd)
        assert abs(by_sd[0] - in_sd) <= 1e-8 * abs(in_sd) + 1e-290, (z, sd)


def test_log_ei_underflows_nowhere() -> None:
    mean = np.array([-1e3, -1.0, 0.0, 1e3])
    results: tuple[Array, Array, Array] = log_ei(mean, np.full(4, 1e-10), 5.0)
    for result in results:
        assert np.isfinite(result).all()


def test_shapes_are_kept() -> None:
    value, upper, density = log_h_and_ratios(np.zeros((2, 3)))
    assert value.shape == upper.shape == density.shape == (2, 3)
    assert log_h(np.empty(0)).shape == (0,)
