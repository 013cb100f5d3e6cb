"""Several posteriors as one."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop.surrogate.scalarized import Scalarized, ScalarizedSketch, direction
from nonstop.types import Array
from tests.helpers.oracles import random_gp, slopes


def several(n: int, d: int, k: int) -> Scalarized:
    gps = [random_gp(0, n, d, noise=1e-3)]
    rng = np.random.default_rng(k)
    for i in range(1, k):
        other = random_gp(i, n, d, noise=1e-2)
        gps.append(type(other).of(gps[0].X, rng.standard_normal(n), other.hyperparameters, other.kernel))
    return Scalarized(tuple(gps), direction(rng, k), rng.standard_normal(k))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_gradients(k: int) -> None:
    model, rng = several(15, 3, k), np.random.default_rng(9)
    P = rng.random((4, 3))
    mean, variance, chain = model.moments_and_chain(P)
    again = model.moments(P)
    np.testing.assert_allclose(mean, again[0], rtol=1e-9)
    np.testing.assert_allclose(variance, again[1], rtol=1e-9)
    by_mean, by_variance = rng.standard_normal((2, 4))
    gradient = chain(by_mean, by_variance)
    for i, p in enumerate(P):

        def combined(x: Array, i: int = i) -> float:
            (mean,), (variance,) = model.moments(x[None])
            return float(by_mean[i] * mean + by_variance[i] * variance)

        numeric = slopes(combined, p, 1e-3)
        np.testing.assert_allclose(gradient[i], numeric, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(numeric).max()))


def test_the_moments_are_those_of_the_smallest() -> None:
    model, rng = several(20, 2, 2), np.random.default_rng(3)
    p = rng.random((1, 2))
    drawn = []
    for i, gp in enumerate(model.gps):
        mean, variance = gp.moments(p)
        f = mean + np.sqrt(variance) * rng.standard_normal(200_000)
        drawn.append((f - model.reference[i]) / model.weights[i])
    u = np.minimum(*drawn)
    mean, variance = model.moments(p)
    assert mean[0] == pytest.approx(u.mean(), abs=5 * u.std() / np.sqrt(len(u)))
    assert variance[0] == pytest.approx(u.var(), rel=0.05)


def test_belief_lowers_the_variance_and_the_sketch_bounds_it() -> None:
    model, rng = several(100, 2, 2), np.random.default_rng(3)
    busy = rng.random((3, 2))
    believed = model.condition(busy)
    assert len(believed.X) == len(believed.y) == 103
    assert (believed.moments(busy)[1] < model.moments(busy)[1]).all()
    P = rng.random((500, 2))
    exact, cheap = believed.moments(P), ScalarizedSketch.of(believed, 3).moments(P)
    assert np.corrcoef(exact[0], cheap[0])[0, 1] > 0.95


def test_directions_are_positive_and_differ() -> None:
    rng = np.random.default_rng(0)
    many = np.array([direction(rng, 3) for _ in range(1000)])
    assert (many >= 1e-3).all()
    assert np.linalg.norm(many, axis=1) == pytest.approx(1.0, abs=1e-2)
    assert many.std(axis=0).min() > 0.2
