"""Parameters that are not active carry no information: distances, positive definiteness, gradients of everything."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop.acquisition.aegis import mean_variance_front
from nonstop.acquisition.feasible import Feasible, success_terms
from nonstop.acquisition.maximize import Terrain, maximize
from nonstop.acquisition.penalized import lipschitz
from nonstop.acquisition.rule import Chooser, View
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB
from nonstop.acquisition.thompson import Thompson
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Condition, Cube
from nonstop.space.embedding import PLAIN, embedding_of
from nonstop.surrogate.fit import _metric, fit
from nonstop.surrogate.fitted import fitted
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.kernel import Kernel, covariance
from nonstop.surrogate.kernels.names import KERNELS, kernel_of
from nonstop.surrogate.kernels.rbf import RBF
from nonstop.surrogate.likelihood import Likelihood
from nonstop.surrogate.model import NONSTOP, Surrogate
from nonstop.surrogate.paths import Path
from nonstop.surrogate.probit import Evidence
from nonstop.surrogate.steepness import log_squared_slope
from nonstop.types import Array
from tests.acquisition.test_every_rule import SMOOTH
from tests.helpers.cubes import random_cube
from tests.helpers.oracles import slopes, smooth
from tests.helpers.rules import acquisition_of

seeds = pytest.mark.parametrize("seed", range(30))

#: Two branches with two floats each, of which one is of a choice inside; an integer of the second; a float of both.
CUBE = Cube(
    (OneHot(3), Continuous(), Continuous(), OneHot(2), Continuous(), Levels(12), Continuous()),
    (
        None,
        Condition(0, frozenset({0})),
        Condition(0, frozenset({0})),
        Condition(0, frozenset({1})),
        Condition(3, frozenset({0})),
        Condition(0, frozenset({1, 2})),
        None,
    ),
)


def points(cube: Cube, count: int, seed: int = 0) -> Array:
    return cube.spread(np.random.default_rng(seed).random((count, cube.axes)))


def conditional_gp(seed: int, n: int, kernel: str | Kernel = "rbf", noise: float = 1e-3, cube: Cube = CUBE) -> GP:
    rng = np.random.default_rng(seed)
    X = points(cube, n, seed)
    lengthscales = tuple((np.sqrt(cube.dim) * rng.uniform(0.2, 0.8, size=cube.dim)).tolist())
    return GP.of(X, smooth(X, rng), Hyperparameters(lengthscales, noise), kernel, embedding_of(cube))


def test_distances() -> None:
    """Along one conditional axis, in units of its lengthscale."""
    cube = Cube((OneHot(2), Continuous()), (None, Condition(0, frozenset({0}))))
    embedding = embedding_of(cube)
    X = cube.rest(np.array([[1, 0, 0.0], [1, 0, 0.3], [1, 0, 1.0], [0, 1, 0.1], [0, 1, 0.9]]))
    E = embedding.apply(X)[:, 2:]  # the choice itself apart
    D = np.sqrt(np.square(E[:, None] - E).sum(axis=2))
    np.testing.assert_allclose(D[:3, :3], np.sin(np.abs(X[:3, 2:] - X[:3, 2])), atol=1e-15)
    assert (np.abs(D[:3, :3] - np.abs(X[:3, 2:] - X[:3, 2])) <= 0.16 * np.abs(X[:3, 2:] - X[:3, 2])).all()
    np.testing.assert_allclose(D[:3, 3:], 0.5)
    np.testing.assert_allclose(D[3:, 3:], 0.0)


def test_a_cube_without_conditions_is_seen_as_it_is() -> None:
    X = np.random.default_rng(0).random((3, 2))
    assert embedding_of(Cube.continuous(2)) is PLAIN
    assert PLAIN.apply(X) is PLAIN.widen(X) is PLAIN.tie(X) is PLAIN.pull(X, X) is X


@seeds
def test_inactive_values_do_not_matter(seed: int) -> None:
    """Not even those of points that are not at rest."""
    rng = np.random.default_rng(seed)
    cube = random_cube(rng)
    X = cube.spread(rng.random((20, cube.axes)))
    other = np.where(cube.active(X), X, rng.random(X.shape))
    embedding = embedding_of(cube)
    assert np.array_equal(embedding.apply(other), embedding.apply(X))


@seeds
@pytest.mark.parametrize("kernel", KERNELS)
def test_positive_definite(seed: int, kernel: str) -> None:
    rng = np.random.default_rng(seed)
    cube = random_cube(rng)
    X = np.unique(cube.spread(rng.random((60, cube.axes))), axis=0)
    lengthscales = rng.uniform(0.05, 3.0, cube.dim)
    gp = GP.of(X, np.zeros(len(X)), Hyperparameters(tuple(lengthscales.tolist()), 1e-6), kernel, embedding_of(cube))
    K = gp.correlations(X, X)
    np.testing.assert_allclose(K, K.T, atol=1e-14)
    assert np.linalg.eigvalsh(K).min() > -1e-10
    assert gp.jitter == 0.0


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_posterior_is_the_textbooks(kernel: str) -> None:
    gp = conditional_gp(0, 25, kernel)
    P = points(CUBE, 10, 1)
    embedding = embedding_of(CUBE)
    scales = embedding.widen(gp.lengthscales)
    E, F = embedding.apply(gp.X), embedding.apply(P)
    K = covariance(kernel_of(kernel), E, E, scales) + 1e-3 * np.eye(25)
    k = covariance(kernel_of(kernel), F, E, scales)
    mean, variance = gp.moments(P)
    np.testing.assert_allclose(mean, k @ np.linalg.solve(K, gp.y), atol=1e-8)
    np.testing.assert_allclose(variance, 1.0 - (k * np.linalg.solve(K, k.T).T).sum(axis=1), atol=1e-8)
    one, other = gp.condition(P, mean), GP.of(
        np.concatenate([gp.X, P]), np.concatenate([gp.y, mean]), gp.hyperparameters, kernel, embedding
    )  # fmt: skip
    np.testing.assert_allclose(one.moments(P)[1], other.moments(P)[1], atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_of_the_likelihood(kernel: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = CUBE if seed == 0 else random_cube(rng)
    X = points(cube, 30, seed)
    likelihood = Likelihood(X, smooth(X, rng), Surrogate(kernel=kernel), embedding_of(cube))
    theta = rng.uniform(-1.0, 1.0, cube.dim + 1)
    value, slope = likelihood.value_and_slope(theta)
    assert value == pytest.approx(likelihood.value(theta))
    np.testing.assert_allclose(slope, slopes(likelihood.value, theta, 1e-4), rtol=1e-5, atol=1e-5)


def test_the_metric_is_the_average_information() -> None:
    X = points(CUBE, 30)
    rng = np.random.default_rng(0)
    y, embedding = smooth(X, rng), embedding_of(CUBE)
    theta = rng.uniform(-1.0, 1.0, CUBE.dim + 1)

    def covariances(theta: Array) -> Array:
        noise: Array = np.exp(theta[-1]) * np.eye(30)
        E = embedding.apply(X)
        return covariance(kernel_of("matern52"), E, E, embedding.widen(np.exp(theta[:-1]))) + noise

    K, steps = covariances(theta), 1e-5 * np.eye(len(theta))
    alpha = np.linalg.solve(K, y)
    by = [(covariances(theta + step) - covariances(theta - step)) / 2e-5 @ alpha for step in steps]
    expected = 0.5 * np.array([[a @ np.linalg.solve(K, b) for b in by] for a in by])
    expected += np.diag([NONSTOP.lengthscale_prior.sigma**-2.0] * CUBE.dim + [NONSTOP.noise_prior.sigma**-2.0])
    found = np.linalg.inv(_metric(X, y, theta, NONSTOP, 30, embedding))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_of_the_evidence_of_failures(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = CUBE if seed == 0 else random_cube(rng)
    X = points(cube, 25, seed)
    t = np.where(rng.random(25) < 0.5, 1.0, -1.0)
    evidence = Evidence(X, t, 0.2, RBF(), embedding_of(cube))
    theta = rng.uniform(-0.5, 1.0, cube.dim + 1)
    numeric = slopes(lambda at: evidence.value_and_slope(at)[0], theta, 1e-3)
    np.testing.assert_allclose(evidence.value_and_slope(theta)[1], numeric, rtol=1e-4, atol=1e-4)


class RationalQuadratic(Kernel):
    """A kernel of a user's own."""

    def value(self, D: Array) -> Array:
        return 1.0 / (1.0 + D / 2.0)


@pytest.mark.parametrize("rule", SMOOTH, ids=repr)
@pytest.mark.parametrize("kernel", ["rbf", "matern52", RationalQuadratic()], ids=["rbf", "matern52", "own"])
def test_gradients(rule: Chooser, kernel: str | Kernel) -> None:
    if isinstance(kernel, Kernel) and isinstance(rule, Thompson):
        return  # it needs spectral draws
    gp = conditional_gp(3, 40, kernel, noise=1e-2)
    acquisition = acquisition_of(rule, gp, points(CUBE, 4, 5), seed=7)
    P = points(CUBE, 12, 6)
    value, gradient = acquisition.value_and_gradient(P)
    np.testing.assert_allclose(value, acquisition.value(P), rtol=1e-8, atol=1e-9)
    loose = 10.0 if isinstance(kernel, Kernel) else 1.0  # its derivatives are finite differences themselves
    for i, p in enumerate(P):
        numeric = slopes(lambda x: float(acquisition.value(x[None])[0]), p, 1e-3)
        close = loose * 1e-5 * max(1.0, float(np.abs(numeric).max()))
        where = CUBE.climbable
        np.testing.assert_allclose(gradient[i][where], numeric[where], rtol=loose * 1e-4, atol=close)
        assert not gradient[i][where & ~CUBE.active(p[None])[0]].any(), "an inactive parameter has no slope"


def test_the_gradient_with_failures() -> None:
    gp = conditional_gp(3, 40, noise=1e-2)
    failed = points(CUBE, 12, 9)[:, :]
    failed = failed[failed[:, 0] == 1.0]  # one branch fails
    terms = success_terms(gp.X[gp.X[:, 0] == 0.0], failed, points(CUBE, 2, 10), embedding_of(CUBE))
    assert terms
    acquisition = Feasible(Scored(UCB(), gp, 0.5, 40), terms)
    P = points(CUBE, 6, 6)
    gradient = acquisition.value_and_gradient(P)[1]
    for i, p in enumerate(P):
        numeric = slopes(lambda x: float(acquisition.value(x[None])[0]), p, 1e-3)
        np.testing.assert_allclose(gradient[i][CUBE.climbable], numeric[CUBE.climbable], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rule", SMOOTH, ids=repr)
def test_the_screen_ranks_like_the_value(rule: Chooser) -> None:
    gp = conditional_gp(8, 150)
    acquisition = acquisition_of(rule, gp, points(CUBE, 5, 11))
    P = points(CUBE, 3000, 12)
    best = np.argsort(-acquisition.value(P))[:5]
    assert set(best.tolist()) <= set(np.argsort(-acquisition.screen(P))[:512].tolist())


def test_the_slope_of_the_squared_slope() -> None:
    gp = conditional_gp(4, 30)
    for E in np.random.default_rng(0).random((4, len(gp.scales))):
        numeric = slopes(lambda x: float(log_squared_slope(gp, x[None])[0][0]), E, 1e-4)
        np.testing.assert_allclose(log_squared_slope(gp, E[None])[1][0], numeric, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("local", [False, True])
def test_the_lipschitz_constant_bounds_the_slope(local: bool) -> None:
    gp = conditional_gp(4, 30)
    busy = points(CUBE, 3, 1)
    constants = lipschitz(gp, busy, local)
    embedding = embedding_of(CUBE)
    if not local:
        P = points(CUBE, 300, 2)
        apart = np.sqrt(np.square(embedding.apply(P)[:, None] - embedding.apply(gp.X)).sum(axis=2))
        steps = np.abs(gp.moments(P)[0][:, None] - gp.moments(gp.X)[0])
        assert (steps <= 1.001 * constants[0] * apart + 1e-9).all()
    assert (constants > 0.0).all()


def test_paths_have_the_moments_of_the_posterior() -> None:
    gp = conditional_gp(5, 12, noise=1e-2)
    P = points(CUBE, 5, 6)
    rng = np.random.default_rng(0)
    draws = np.array([Path.of(gp, rng, 256).value(P) for _ in range(3000)])
    mean, covariances = gp.joint(P)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.08)
    np.testing.assert_allclose(np.cov(draws.T), covariances, atol=0.08)


def test_the_fit_tells_relevant_conditional_parameters_from_others() -> None:
    """Of the two floats of the first branch, only the first matters: its lengthscale is the shorter one."""
    X = points(CUBE, 120, 3)
    y = np.where(X[:, 0] == 1.0, np.sin(6.0 * X[:, 3]), 0.3)
    found = fit(X, (y - y.mean()) / y.std(), NONSTOP, embedding=embedding_of(CUBE)).hyperparameters
    assert found.lengthscales[3] < 0.2 * found.lengthscales[4]
    assert len(found.lengthscales) == CUBE.dim
    model = fitted(NONSTOP, X, y, embedding=embedding_of(CUBE))
    P = points(CUBE, 200, 4)
    error = model.output.backward(model.gp.moments(P)[0]) - np.where(P[:, 0] == 1.0, np.sin(6.0 * P[:, 3]), 0.3)
    assert float(np.sqrt(np.mean(error**2))) < 0.05


def test_the_front_of_aegis() -> None:
    gp = conditional_gp(6, 30)
    rng = np.random.default_rng(0)
    terrain = Terrain(CUBE, gp.lengthscales, gp.X[:4], np.empty((0, CUBE.dim)))
    view = View(gp, 1.0, 30, gp.X[:0], gp.X[:0], CUBE, rng, lambda a: maximize(a, terrain, rng))
    front = mean_variance_front(view).points
    assert np.array_equal(CUBE.snap(front), front)
