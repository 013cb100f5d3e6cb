"""Several posteriors as one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from nonstop.numerics.hypervolume import nondominated
from nonstop.surrogate.paths import LeastPath, path_of
from nonstop.surrogate.scalarized import Scalarized, ScalarizedSketch, direction
from nonstop.types import Array
from tests.helpers.oracles import random_gp, slopes


def several(n: int, d: int, k: int) -> Scalarized:
    gps = [random_gp(0, n, d, noise=1e-3)]
    rng = np.random.default_rng(k)
    for i in range(1, k):
        other = random_gp(i, n, d, noise=1e-2)
        gps.append(type(other).of(gps[0].X, rng.standard_normal(n), other.hyperparameters, other.kernel))
    return Scalarized(tuple(gps), direction(rng, k), rng.standard_normal(k), 0.1 * rng.random(k))


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


def test_the_moments_are_median_and_quantile_of_the_smallest() -> None:
    model, rng = several(20, 2, 2), np.random.default_rng(3)
    p = rng.random((1, 2))
    moments = [gp.moments(p) for gp in model.gps]
    drawn = [mean + np.sqrt(variance) * rng.standard_normal(200_000) for mean, variance in moments]
    u = ((np.stack(drawn, axis=1) - model.reference) / model.weights).min(axis=1)
    mean, variance = model.moments(p)
    added = sum(r * mean[0] for r, (mean, _) in zip(model.augmented, moments, strict=True))
    assert mean[0] == pytest.approx(np.median(u) + added, abs=0.02)
    assert np.sqrt(variance[0]) == pytest.approx(np.quantile(u, norm.cdf(1.0)) - np.median(u), rel=0.02)


def test_the_order_of_the_objectives_does_not_matter() -> None:
    model, P = several(20, 2, 3), np.random.default_rng(1).random((5, 2))
    order = [2, 0, 1]
    gps = tuple(model.gps[i] for i in order)
    other = Scalarized(gps, model.weights[order], model.reference[order], model.augmented[order])
    np.testing.assert_allclose(model.moments(P), other.moments(P), rtol=1e-9)


def test_it_is_standardised_and_its_best_points_are_on_the_front() -> None:
    gps, rng = several(40, 2, 2).gps, np.random.default_rng(2)
    values = np.stack([gp.y for gp in gps], axis=1)
    front = nondominated(values)
    chosen = set()
    for _ in range(200):
        model = Scalarized.of(gps, values, values, direction(rng, 2))
        assert (model.y.mean(), model.y.std(ddof=1)) == pytest.approx((0.0, 1.0))
        chosen.add(int(model.y.argmax()))
    assert front[list(chosen)].all()
    assert len(chosen) == front.sum()  # each of them has its direction


def test_invented_values() -> None:
    model, X = several(20, 2, 2), np.random.default_rng(1).random((3, 2))
    lies = np.array([-1.0, 0.0, 2.0])
    np.testing.assert_allclose(model.condition(X, lies).y[-3:], lies, atol=1e-9)


def test_a_path_has_the_values_of_its_paths_and_its_gradient() -> None:
    model, P = several(15, 2, 3), np.random.default_rng(1).random((4, 2))
    path = path_of(model, np.random.default_rng(0))
    assert isinstance(path, LeastPath)
    value, gradient = path.value_and_gradient(P)
    np.testing.assert_allclose(value, path.value(P))
    np.testing.assert_allclose(path.screen(P), value, atol=1e-2)
    for p, found in zip(P, gradient, strict=True):
        numeric = slopes(lambda x: float(path.value(x[None])[0]), p, 1e-5)
        np.testing.assert_allclose(found, numeric, rtol=1e-4, atol=1e-4 * max(1.0, float(np.abs(numeric).max())))


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
    assert (many >= 0.02).all()
    assert (many.max(axis=1) == 1.0).all()
    assert many.std(axis=0).min() > 0.2
