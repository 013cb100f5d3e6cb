"""The descent: quadratics whose constrained minimum is known, a banana, and functions that misbehave."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from nonstop.numerics.descent import Descent, Function, Limits, minimize
from nonstop.types import Array

TIGHT = Limits(tolerance=1e-12, longest=1.0, merge=0.0, rounds=500)


def run(function: Function, starts: Array, lower: float, upper: float, limits: Limits = TIGHT) -> Descent:
    p = starts.shape[1]
    return minimize(function, starts, np.full(p, lower), np.full(p, upper), limits)


def quadratic(A: Array, b: Array) -> Function:
    def function(x: Array) -> tuple[Array, Array]:
        return 0.5 * np.einsum("ij,jk,ik->i", x, A, x) + x @ b, x @ A + b

    return function


def rosenbrock(x: Array) -> tuple[Array, Array]:
    a, b = x[:, 0], x[:, 1]
    gap = b - a * a
    return (1 - a) ** 2 + 100 * gap**2, np.stack([-2 * (1 - a) - 400 * a * gap, 200 * gap], axis=1)


def active_set(A: Array, b: Array, lower: float, upper: float) -> float:
    """The minimum of the quadratic in the box: every way to pin variables to their bounds, 3^p of them."""
    p, best = len(b), np.inf
    for pins in product((lower, upper, None), repeat=p):
        free = np.array([pin is None for pin in pins])
        x = np.array([0.0 if pin is None else pin for pin in pins])
        if free.any():
            x[free] = np.linalg.solve(A[np.ix_(free, free)], -(b[free] + A[np.ix_(free, ~free)] @ x[~free]))
        if (x >= lower - 1e-12).all() and (x <= upper + 1e-12).all():
            best = min(best, 0.5 * x @ A @ x + b @ x)
    return float(best)


@pytest.mark.parametrize("p", [1, 2, 3, 5])
@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
def test_quadratics_in_a_box(p: int, condition: float) -> None:
    rng = np.random.default_rng([p, int(condition)])
    for _ in range(20):
        Q, _ = np.linalg.qr(rng.normal(size=(p, p)))
        A = (Q * np.geomspace(1.0, condition, p)) @ Q.T
        b = rng.normal(size=p) * condition * 0.5
        exact = active_set(A, b, -0.5, 0.5)
        found = run(quadratic(A, b), rng.uniform(-0.5, 0.5, size=(3, p)), -0.5, 0.5)
        assert found.value.min() == pytest.approx(exact, rel=1e-6, abs=1e-8)
        assert np.abs(found.x).max() <= 0.5


def test_a_lone_start_finds_the_constrained_minimum_every_time() -> None:
    """No other start to cover for it."""
    rng = np.random.default_rng(0)
    misses = []
    for _ in range(300):
        p = int(rng.integers(2, 5))
        Q, _ = np.linalg.qr(rng.normal(size=(p, p)))
        A = (Q * np.geomspace(1.0, 100.0, p)) @ Q.T
        b = rng.normal(size=p) * 30.0
        found = run(quadratic(A, b), rng.uniform(0.0, 1.0, size=(1, p)), 0.0, 1.0)
        misses.append(found.value[0] - active_set(A, b, 0.0, 1.0))
    assert max(misses) < 1e-5
    assert min(misses) > -1e-9


@pytest.mark.parametrize("start", [(-1.2, 1.0), (0.0, 0.0), (2.0, -2.0), (-2.0, 2.0)])
def test_rosenbrock(start: tuple[float, float]) -> None:
    found = run(rosenbrock, np.array([start]), -2.0, 2.0)
    np.testing.assert_allclose(found.x[0], [1.0, 1.0], atol=1e-4)
    assert found.value[0] < 1e-8


def test_rosenbrock_against_a_wall() -> None:
    """With x <= 0.5 the minimum lies at (0.5, 0.25)."""
    found = run(rosenbrock, np.array([[-1.2, 0.5], [0.0, 0.0]]), -2.0, 0.5)
    best = found.x[np.argmin(found.value)]
    np.testing.assert_allclose(best, [0.5, 0.25], atol=1e-4)


def waves(x: Array) -> tuple[Array, Array]:
    return np.sin(5.0 * x).sum(axis=1) + (x * x).sum(axis=1), 5.0 * np.cos(5.0 * x) + 2.0 * x


def test_no_start_ends_higher_than_it_began() -> None:
    rng = np.random.default_rng(1)
    for function, width in ((waves, 2.0), (rosenbrock, 2.0)):
        starts = rng.uniform(-width, width, size=(40, 2))
        found = run(function, starts, -width, width)
        assert (found.value <= function(starts)[0]).all()
        np.testing.assert_allclose(found.value, function(found.x)[0])


def test_the_best_of_many_is_the_best_of_each_alone() -> None:
    """Starts that share calls do not disturb each other: only the race and the merging end some early."""
    starts = np.random.default_rng(2).uniform(-2.0, 2.0, size=(12, 2))
    together = run(waves, starts, -2.0, 2.0)
    alone = [run(waves, start[None], -2.0, 2.0).value[0] for start in starts]
    assert together.value.min() == pytest.approx(min(alone), abs=1e-9)


def test_the_winner_walks_the_same_path_alone() -> None:
    starts = np.random.default_rng(3).uniform(-2.0, 2.0, size=(12, 2))
    together = run(waves, starts, -2.0, 2.0)
    winner = int(np.argmin(together.value))
    alone = run(waves, starts[[winner]], -2.0, 2.0)
    np.testing.assert_allclose(together.x[winner], alone.x[0], atol=1e-12)


def test_the_order_of_the_starts_does_not_matter() -> None:
    starts = np.random.default_rng(4).uniform(-2.0, 2.0, size=(9, 2))
    forward, backward = run(waves, starts, -2.0, 2.0), run(waves, starts[::-1], -2.0, 2.0)
    np.testing.assert_allclose(forward.x, backward.x[::-1], atol=1e-12)


def test_merged_starts_are_not_lost() -> None:
    """All in one bowl: they merge, and the best of them still reaches the bottom."""
    A = np.diag([1.0, 50.0])
    starts = np.random.default_rng(5).uniform(-1.0, 1.0, size=(10, 2))
    limits = Limits(tolerance=1e-12, longest=1.0, merge=0.3, rounds=500)
    found = run(quadratic(A, np.zeros(2)), starts, -1.0, 1.0, limits)
    assert found.value.min() < 1e-9


def test_each_start_has_its_own_box() -> None:
    starts = np.array([[0.2, 0.9], [0.7, 0.1], [0.5, 0.5]])
    lower, upper = starts.copy(), starts.copy()
    lower[:, 0], upper[:, 0] = 0.0, 1.0  # the second variable is fixed where it is
    found = minimize(quadratic(np.eye(2), np.array([-0.4, -0.4])), starts, lower, upper, TIGHT)
    assert found.x[:, 1].tolist() == [0.9, 0.1, 0.5]
    best = int(np.argmin(found.value))
    assert found.x[best, 0] == pytest.approx(0.4, abs=1e-5)


def test_starts_outside_are_brought_inside() -> None:
    found = run(quadratic(np.eye(2), np.zeros(2)), np.array([[5.0, -7.0]]), 0.5, 1.0)
    np.testing.assert_allclose(found.x, [[0.5, 0.5]])


@pytest.mark.parametrize("corner", list(product((0.0, 1.0), repeat=3)))
def test_from_every_corner(corner: tuple[float, ...]) -> None:
    target = np.array([0.3, 0.6, 1.4])  # the last one lies outside
    found = run(quadratic(np.diag([1.0, 20.0, 3.0]), -target * [1.0, 20.0, 3.0]), np.array([corner]), 0.0, 1.0)
    np.testing.assert_allclose(found.x[0], [0.3, 0.6, 1.0], atol=1e-5)


def test_a_start_at_the_minimum_ends_at_once() -> None:
    found = run(quadratic(np.eye(2), np.zeros(2)), np.zeros((1, 2)), -1.0, 1.0)
    assert found.rounds == 1
    assert found.x.tolist() == [[0.0, 0.0]]


def test_a_flat_function() -> None:
    found = run(lambda x: (np.zeros(len(x)), np.zeros_like(x)), np.full((3, 2), 0.25), 0.0, 1.0)
    assert found.rounds == 1
    assert (found.x == 0.25).all()


def test_a_plane_ends_in_its_corner() -> None:
    found = run(lambda x: (x.sum(axis=1), np.ones_like(x)), np.full((1, 4), 0.9), 0.0, 1.0)
    assert found.x.tolist() == [[0.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("hole", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_a_step_too_far(hole: float) -> None:
    def function(x: Array) -> tuple[Array, Array]:
        value, slope = quadratic(np.eye(1), np.array([1.0]))(x)  # the minimum, -1, lies in the hole
        value[x[:, 0] < -0.5] = hole
        slope[x[:, 0] < -0.5] = np.nan
        return value, slope

    found = run(function, np.array([[1.0], [0.3]]), -2.0, 2.0)
    assert np.isfinite(found.value).all()
    assert -0.5 <= found.x.min() < 0.2


def test_a_start_that_is_not_finite_stays_and_the_others_go_on() -> None:
    def function(x: Array) -> tuple[Array, Array]:
        value, slope = quadratic(np.eye(1), np.zeros(1))(x)
        broken = x[:, 0] > 0.9
        return np.where(broken, np.nan, value), np.where(broken[:, None], np.nan, slope)

    found = run(function, np.array([[1.0], [0.5]]), -1.0, 1.0)
    assert found.value[0] == np.inf
    assert found.x[0, 0] == 1.0
    assert found.value[1] == pytest.approx(0.0, abs=1e-9)


def test_no_step_is_longer_than_allowed() -> None:
    seen: list[Array] = []

    def function(x: Array) -> tuple[Array, Array]:
        seen.append(x.copy())
        return quadratic(1e4 * np.eye(1), np.zeros(1))(x)

    run(function, np.array([[50.0]]), -100.0, 100.0, Limits(tolerance=1e-9, longest=2.0, merge=0.0, rounds=60))
    path = np.concatenate(seen)[:, 0]
    assert np.abs(np.diff(path)).max() <= 2.0 + 1e-12
    assert abs(path[-1]) < 1e-3


def test_rounds_are_limited() -> None:
    limits = Limits(tolerance=1e-15, longest=0.01, merge=0.0, rounds=7)
    assert run(rosenbrock, np.array([[-1.2, 1.0]]), -2.0, 2.0, limits).rounds == 7


def test_an_exact_metric_needs_few_rounds() -> None:
    A = np.array([[100.0, 30.0], [30.0, 10.0]])
    exact = np.linalg.inv(A)
    start, lower, upper = np.array([[0.5, -0.5]]), np.full(2, -9.0), np.full(2, 9.0)
    found = minimize(quadratic(A, np.array([1.0, 2.0])), start, lower, upper, Limits(1e-12, 10.0, 0.0), exact)
    assert found.rounds <= 3
    np.testing.assert_allclose(found.x[0], -np.linalg.solve(A, [1.0, 2.0]), atol=1e-6)


def test_arguments_are_not_changed() -> None:
    starts, metric = np.full((2, 2), 0.7), np.eye(2)
    minimize(rosenbrock, starts, np.zeros(2), np.ones(2), TIGHT, metric)
    assert (starts == 0.7).all()
    assert np.array_equal(metric, np.eye(2))


@pytest.mark.parametrize("off", [1e-2, 1e2])
def test_the_scale_of_the_metric_is_found(off: float) -> None:
    """A metric of the right shape is as good as the exact one after a step or two, whatever its scale."""
    rng = np.random.default_rng(6)
    Q, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    A = (Q * np.geomspace(1.0, 1e4, 6)) @ Q.T
    starts, lower, upper = rng.uniform(-1.0, 1.0, size=(5, 6)), np.full(6, -9.0), np.full(6, 9.0)
    found = minimize(quadratic(A, rng.normal(size=6)), starts, lower, upper, TIGHT, off * np.linalg.inv(A))
    assert found.rounds <= 12
