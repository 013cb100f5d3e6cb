"""Posterior functions: moments over many draws, interpolation, spectral densities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nonstop.acquisition.thompson import Thompson
from nonstop.errors import RuleError
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.kernel import covariance
from nonstop.surrogate.kernels.names import KERNELS, kernel_of
from nonstop.surrogate.paths import Path
from tests.helpers.oracles import random_gp
from tests.helpers.rules import view_of

DRAWS = 3000


def moment_errors(seed: int, kernel: str) -> tuple[float, float]:
    """The largest deviation of the sample mean and of the sample covariance from the posterior's, in standard errors.

    The frequencies are drawn anew for every path, so few features do not bias the moments."""
    rng = np.random.default_rng(seed)
    gp = random_gp(seed, 6, 2, kernel, noise=0.05)
    P = rng.random((4, 2))
    mean, exact = gp.joint(P)
    values = np.array([Path.of(gp, rng, features=64).value(P) for _ in range(DRAWS)])
    centred = values - mean
    products = centred[:, :, None] * centred[:, None, :]
    mean_error = np.abs(centred.mean(axis=0)) / (centred.std(axis=0) / math.sqrt(DRAWS))
    covariance_error = np.abs(products.mean(axis=0) - exact) / (products.std(axis=0) / math.sqrt(DRAWS))
    return float(mean_error.max()), float(covariance_error.max())


@pytest.mark.parametrize("kernel", KERNELS)
def test_mean_variance_and_covariance_are_those_of_the_posterior(kernel: str) -> None:
    mean_error, covariance_error = moment_errors(0, kernel)
    assert mean_error < 5.0
    assert covariance_error < 5.0


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_path_interpolates_as_the_noise_goes_to_zero(kernel: str) -> None:
    X = np.random.default_rng(1).random((12, 2))
    y = np.sin(5.0 * X).sum(axis=1)
    errors = []
    for noise in (1e-2, 1e-4, 1e-6):
        gp = GP.of(X, y, Hyperparameters((0.3, 0.3), noise), kernel)
        errors.append(float(np.abs(Path.of(gp, np.random.default_rng(2)).value(X) - y).max()))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 5e-3


@pytest.mark.parametrize("kernel", KERNELS)
def test_cosines_of_spectral_draws_average_to_the_kernel(kernel: str) -> None:
    known = kernel_of(kernel)
    frequencies = known.spectral_draws(np.random.default_rng(3), 200_000, 3)
    x = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, -0.7, 0.2], [2.0, 1.0, 0.0]])
    average = np.cos(frequencies @ x.T).mean(axis=0)
    np.testing.assert_allclose(average, covariance(known, x, x[:1], np.ones(3))[:, 0], atol=6.0 / math.sqrt(200_000))


@pytest.mark.parametrize("noise", [1e-2, 1e-4, 1e-6, 1e-8])
def test_single_precision_is_close(noise: float) -> None:
    gp = random_gp(4, 100, 6, noise=noise)
    path = Path.of(gp, np.random.default_rng(5))
    P = np.random.default_rng(6).random((700, 6))
    np.testing.assert_allclose(path.screen(P), path.value(P), atol=5e-3)


def test_thompson_finds_the_maximum_of_its_path() -> None:
    gp = random_gp(7, 15, 1)
    choice = Thompson().choose(view_of(gp, np.empty((0, 1)), seed=8))
    path = Path.of(gp, np.random.default_rng(8))
    grid = np.linspace(0.0, 1.0, 4001)[:, None]
    assert choice.value >= path.value(grid).max() - 1e-9
    np.testing.assert_allclose(choice.value, path.value(choice.x[None])[0])


def test_queries_differ_by_seed_alone() -> None:
    gp = random_gp(9, 10, 2, noise=0.1)
    queries = {Thompson().choose(view_of(gp, np.empty((0, 2)), seed)).x.tobytes() for seed in range(8)}
    assert len(queries) > 1


def test_features() -> None:
    with pytest.raises(RuleError, match="features"):
        Thompson(features=1)
