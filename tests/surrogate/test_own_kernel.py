"""A user's own kernel, of which only the values are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import nonstop
from nonstop import Kernel, RuleError, Surrogate, propose
from nonstop.acquisition.believer import KrigingBeliever
from nonstop.acquisition.penalized import Penalized
from nonstop.acquisition.rule import Chooser
from nonstop.acquisition.standard import UCB, LogEI
from nonstop.surrogate.fit import fit, log_posterior
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.likelihood import Likelihood
from nonstop.surrogate.steepness import log_squared_slope
from nonstop.types import Array
from tests.helpers.oracles import slopes, smooth
from tests.helpers.rules import acquisition_of


@dataclass(frozen=True)
class RationalQuadratic(Kernel):
    """A mixture of RBF kernels of many lengthscales."""

    alpha: float = 2.0

    def value(self, D: Array) -> Array:
        return (1.0 + D / (2.0 * self.alpha)) ** -self.alpha


class Bell(Kernel):
    """RBF, as somebody would write it who does not know that it is there."""

    def value(self, D: Array) -> Array:
        return np.exp(-0.5 * D)


def data(n: int = 25, d: int = 3) -> tuple[Array, Array]:
    X = np.random.default_rng(n).random((n, d))
    return X, -np.square(X - 0.4).sum(axis=1) + 0.1 * np.sin(9.0 * X[:, 0])


OWN = [RationalQuadratic(), Bell()]
own = pytest.mark.parametrize("kernel", OWN, ids=["rational quadratic", "bell"])


@own
def test_the_fit_finds_a_maximum(kernel: Kernel) -> None:
    X, y = data()
    model = Surrogate(kernel=kernel)
    z = (y - y.mean()) / y.std()
    found = fit(X, z, model)
    theta = found.hyperparameters.theta
    rng = np.random.default_rng(0)
    assert found.objective == pytest.approx(log_posterior(X, z, found.hyperparameters, model))
    for _ in range(20):
        beside = Hyperparameters.of(theta + 0.05 * rng.standard_normal(len(theta)))
        assert log_posterior(X, z, beside, model) < found.objective + 1e-3


@own
def test_the_gradient_of_the_likelihood(kernel: Kernel) -> None:
    X, y = data()
    likelihood = Likelihood(X, (y - y.mean()) / y.std(), Surrogate(kernel=kernel))
    theta = np.log([0.5, 0.8, 1.1, 1e-2])
    np.testing.assert_allclose(likelihood.value_and_slope(theta)[1], slopes(likelihood.value, theta, 1e-4), rtol=1e-5)


@own
@pytest.mark.parametrize("rule", ["ucb", "logei", "kb-logei", "lp-ucb", "e-logei", None])
def test_proposals(kernel: Kernel, rule: object) -> None:
    X, y = data()
    chosen = {"rule": rule} if isinstance(rule, str) else {}
    proposal = propose(X, y, X[:2] * 0.9, seed=1, surrogate=Surrogate(kernel=kernel), **chosen)  # type: ignore[arg-type]
    assert proposal.rung == "model"
    assert np.isfinite(proposal.value)
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()


@own
@pytest.mark.parametrize("rule", [KrigingBeliever(UCB()), KrigingBeliever(LogEI()), Penalized(UCB())], ids=repr)
def test_gradients_of_acquisitions(kernel: Kernel, rule: Chooser) -> None:
    rng = np.random.default_rng(1)
    X = rng.random((20, 2))
    gp = GP.of(X, smooth(X, rng), Hyperparameters((0.4, 0.7), 1e-2), kernel)
    acquisition = acquisition_of(rule, gp, rng.random((3, 2)))
    P = rng.random((5, 2))
    value, gradient = acquisition.value_and_gradient(P)
    np.testing.assert_allclose(value, acquisition.value(P), rtol=1e-8, atol=1e-9)
    for i, p in enumerate(P):
        numeric = slopes(lambda x: float(acquisition.value(x[None])[0]), p, 1e-3)
        np.testing.assert_allclose(gradient[i], numeric, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(numeric).max())))


@own
def test_gradient_of_the_slope(kernel: Kernel) -> None:
    rng = np.random.default_rng(2)
    X = rng.random((20, 2))
    gp = GP.of(X, smooth(X, rng), Hyperparameters((0.4, 0.7), 1e-2), kernel)
    for p in rng.random((5, 2)):
        numeric = slopes(lambda x: float(log_squared_slope(gp, x[None])[0][0]), p, 1e-3)
        np.testing.assert_allclose(log_squared_slope(gp, p[None])[1][0], numeric, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("rule", ["ucb", "logei", "kb-logei", "lp-ucb"])
def test_rbf_written_by_a_user_proposes_what_rbf_does(rule: str) -> None:
    X, y = data()
    busy = np.array([[0.4, 0.4, 0.4], [0.1, 0.8, 0.6]])
    ours = propose(X, y, busy, rule=rule, surrogate=Surrogate(kernel="rbf"))
    for kernel in (nonstop.RBF(), Bell()):
        theirs = propose(X, y, busy, rule=rule, surrogate=Surrogate(kernel=kernel))
        np.testing.assert_allclose(theirs.x, ours.x, atol=1e-3)
        assert theirs.value == pytest.approx(ours.value, rel=1e-4)
        assert theirs.hyperparameters is not None
        assert ours.hyperparameters is not None
        assert theirs.hyperparameters.lengthscales == pytest.approx(ours.hyperparameters.lengthscales, rel=1e-2)


def test_thompson_sampling_says_what_is_missing() -> None:
    X, y = data()
    with pytest.raises(RuleError, match=r"RationalQuadratic has no method spectral_draws\(rng, count, d\)"):
        propose(X, y, rule="ts", surrogate=Surrogate(kernel=RationalQuadratic()))


def test_what_a_surrogate_keeps_is_what_was_given() -> None:
    assert "kernel='rbf'" in repr(Surrogate())
    assert "kernel=RationalQuadratic(alpha=2.0)" in repr(Surrogate(kernel=RationalQuadratic()))
    assert Surrogate(kernel="matern52") == Surrogate(kernel="matern52") != Surrogate(kernel=nonstop.Matern52())


def test_a_kernel_that_cannot_be_hashed() -> None:
    """A plain dataclass compares by value, and Python takes its hash away."""

    @dataclass
    class Mutable(Kernel):
        power: float = 1.0

        def value(self, D: Array) -> Array:
            return np.exp(-0.5 * self.power * D)

    X, y = data()
    assert propose(X, y, rule="ucb", surrogate=Surrogate(kernel=Mutable())).rung == "model"
