"""The posterior mean at the data, and the incumbent that it gives."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

import nonstop
from nonstop.acquisition.rule import Choice, View
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB
from nonstop.errors import RuleError
from nonstop.surrogate.gp import GP, is_light
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.names import KERNELS
from nonstop.surrogate.model import NONSTOP, Incumbent


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("noise", [1e-7, 1e-2, 1.0])
def test_the_mean_at_the_data(kernel: str, noise: float) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), rng.standard_normal(30)
    gp = GP.of(X, y, Hyperparameters((0.3, 0.5, 0.9), noise), kernel)
    np.testing.assert_allclose(gp.at_data(), gp.moments(X)[0], atol=1e-8)


def test_with_jitter_too() -> None:
    """A point ten times with almost no noise: without jitter there would be no factor."""
    X = np.full((12, 2), 0.5)
    X[10:] = [[0.1, 0.1], [0.9, 0.9]]
    gp = GP.of(X, np.arange(12.0), Hyperparameters((5.0, 5.0), 1e-18))
    assert gp.jitter > 0.0
    np.testing.assert_allclose(gp.at_data(), gp.moments(X)[0], atol=1e-3)


class Witness:
    """Remembers the incumbent."""

    best = np.nan

    def choose(self, view: View) -> Choice:
        self.best = view.best
        return Choice(np.full(1, 0.4), 0.0, np.empty((0, 1)))


def test_of_pure_noise_nothing_is_believed() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.random((60, 1)), rng.standard_normal(60)
    best = {}
    for incumbent in get_args(Incumbent):
        rule = Witness()
        plain = replace(NONSTOP, output="standardize", mean="zero", incumbent=incumbent)
        nonstop.propose(X, y, rule=rule, surrogate=plain)
        best[incumbent] = rule.best
    assert best["observed"] == pytest.approx((y.max() - y.mean()) / y.std(ddof=1))
    assert best["believed"] < 0.3 * best["observed"]


def test_there_are_two_incumbents() -> None:
    with pytest.raises(RuleError, match="incumbent must be one of observed, believed, not 'best'"):
        nonstop.Surrogate(incumbent="best")  # type: ignore[arg-type]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("lengthscale", "light"), [(1.5, False), (0.15, True)])
def test_the_screen_copes_with_little_noise(kernel: str, lengthscale: float, light: bool) -> None:
    """With long lengthscales the weights are too heavy for single precision. (60 points are all in the sketch.)"""
    rng = np.random.default_rng(2)
    X = rng.random((60, 2))
    y = np.sin(4.0 * X[:, 0]) + X[:, 1] ** 2
    gp = GP.of(X, (y - y.mean()) / y.std(), Hyperparameters((lengthscale, lengthscale), 1e-9), kernel)
    assert is_light(gp.alpha) == light
    scored, P = Scored(UCB(), gp, float(gp.y.max()), len(gp.X)), rng.random((3000, 2))
    assert np.abs(scored.screen(P) - scored.value(P)).max() < 0.3
    assert np.median(np.abs(scored.screen(P) - scored.value(P))) < 0.05
    top = np.argsort(-scored.screen(P))[:50]
    assert scored.value(P).argmax() in top
