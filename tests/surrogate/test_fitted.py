"""A fitted model as a value: what it holds, when hyperparameters are estimated again, and what it rests on."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from nonstop import propose
from nonstop.errors import DataError
from nonstop.history.posterior import posterior
from nonstop.numerics.threads import limit_threads
from nonstop.surrogate.fitted import fitted
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.likelihood import Likelihood
from nonstop.surrogate.model import NONSTOP, PAPER, Surrogate, surrogate_of
from nonstop.surrogate.thinning import best_and_even
from nonstop.types import Array
from tests.helpers.studies import ONE, study

HYPER = Hyperparameters((0.3, 0.4, 0.5), 1e-3)


def data(n: int = 40) -> tuple[Array, Array]:
    X = np.random.default_rng(n).random((n, 3))
    return X, 100.0 - 7.0 * np.square(X - 0.4).sum(axis=1)


def test_what_it_holds() -> None:
    X, y = data()
    model = fitted(PAPER, X, y)
    assert model.rung == "model"
    assert model.results == 40
    assert model.rows.tolist() == list(range(40))
    assert model.hyperparameters is model.gp.hyperparameters
    assert model.hyperparameters.results == 40
    assert model.seconds > 0.0
    np.testing.assert_allclose(model.output.backward(model.gp.y), y)


def test_thinned_out() -> None:
    X, y = data()
    model = fitted(Surrogate(max_points=15), X, y)
    assert model.results == model.hyperparameters.results == 40
    assert model.rows.tolist() == best_and_even(y, 15).tolist()
    assert np.array_equal(model.gp.X, X[model.rows])
    np.testing.assert_allclose(model.output.backward(model.gp.y), y[model.rows])


@pytest.mark.parametrize("surrogate", ["paper", "nonstop"])
def test_a_proposal_uses_it(surrogate: str) -> None:
    X, y = data()
    with limit_threads(1):
        model = fitted(surrogate_of(surrogate), X, y)
    assert propose(X, y, surrogate=surrogate).hyperparameters == model.hyperparameters


def test_given_hyperparameters_serve_as_they_are() -> None:
    """Whatever their age, and even if nobody knows it: what a picture of a study needs."""
    X, y = data()
    for warm in (HYPER, Hyperparameters((0.3, 0.4, 0.5), 1e-3, results=3)):
        assert fitted(PAPER, X, y, warm, refit=math.inf).hyperparameters is warm
        assert fitted(PAPER, X, y, warm).hyperparameters is not warm
    assert fitted(PAPER, X, y, None, refit=math.inf).hyperparameters.results == 40


@pytest.mark.parametrize(("d", "serves", "no_longer"), [(3, 43, 44), (10, 43, 44), (20, 41, 42), (50, 40, 41)])
def test_with_many_parameters_they_serve_for_fewer_results(d: int, serves: int, no_longer: int) -> None:
    """A tenth more in up to ten dimensions, then one in d more."""
    X = np.random.default_rng(d).random((no_longer, d))
    y, warm = X.sum(axis=1), replace(Hyperparameters((1.0,) * d, 1e-3), results=40)
    assert fitted(NONSTOP, X[:serves], y[:serves], warm).hyperparameters == warm
    assert fitted(NONSTOP, X, y, warm).hyperparameters.results == no_longer


def test_a_constant_mean_of_given_hyperparameters() -> None:
    """It is the generalised least-squares estimate, and the hyperparameters stay as they are."""
    X = np.random.default_rng(5).random((40, 3)) ** 3  # most of the points are in one corner
    y = np.exp(3.0 * X[:, 0]) + X[:, 1]
    model = fitted(replace(PAPER, mean="constant"), X, y, HYPER, refit=math.inf)
    assert model.hyperparameters is HYPER
    scaled = (X[:, None] - X) / np.array(HYPER.lengthscales)
    K = np.exp(-0.5 * np.square(scaled).sum(axis=-1)) + HYPER.noise * np.eye(40)
    z = (y - y.mean()) / y.std(ddof=1)
    level = np.linalg.solve(K, z).sum() / np.linalg.solve(K, np.ones(40)).sum()
    assert abs(level) > 0.1
    np.testing.assert_allclose(model.gp.y, z - level, atol=1e-10)
    np.testing.assert_allclose(model.output.backward(model.gp.y), y)
    np.testing.assert_allclose(model.gp.alpha, np.linalg.solve(K, z - level), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("results", "serves"), [(37, True), (40, True), (43, True), (36, False), (44, False)])
def test_a_tenth_more_or_less_is_hardly_any_growth(results: int, serves: bool) -> None:
    X, y = data()
    warm = Hyperparameters((0.3, 0.4, 0.5), 1e-3, results)
    assert (fitted(NONSTOP, X, y, warm).hyperparameters is warm) == serves


def test_if_the_fit_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Likelihood, "value_and_slope", lambda self, theta: (math.inf, np.zeros(len(theta))))  # noqa: ARG005
    X, y = data()
    assert fitted(PAPER, X, y, HYPER).hyperparameters is HYPER
    assert {fitted(PAPER, X, y, HYPER).rung, fitted(PAPER, X, y).rung} == {"previous"}


def test_jitter_is_said() -> None:
    X = np.repeat(np.random.default_rng(0).random((4, 3)), 5, axis=0)
    tiny = Hyperparameters((1.0, 1.0, 1.0), 1e-18)
    assert fitted(PAPER, X, X.sum(axis=1), tiny, refit=math.inf).rung == "jitter"


def test_hyperparameters_of_another_space() -> None:
    with pytest.raises(DataError, match="warm has 1 lengthscales, but the points have 3 dimensions"):
        fitted(PAPER, *data(), Hyperparameters((1.0,), 1e-3))


def test_a_picture_shows_the_model_of_the_proposals() -> None:
    """The posterior that is drawn is the one that a proposal from the same results works with."""
    spec, trials = study(ONE, 30)
    drawn = posterior(spec, trials)
    assert drawn is not None
    X, y = drawn.gp.X, spec.sign * drawn.values
    with limit_threads(1):
        model = fitted(surrogate_of(spec.surrogate), X, y, drawn.gp.hyperparameters, refit=math.inf)
    assert np.array_equal(model.gp.alpha, drawn.gp.alpha)
    assert drawn.fitted.results == 30
