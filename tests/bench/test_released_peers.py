"""The model and the rules of `as-published` beside BoTorch, which the published code uses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("botorch", reason="BoTorch is in .venv-peers: run this file there")
import torch
from botorch.acquisition import qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.kernels import RBFKernel
from gpytorch.mlls import ExactMarginalLogLikelihood

from nonstop.acquisition.expected import ExpectedLogEI
from nonstop.space.encoding import decode
from nonstop.surrogate.fitted import fitted
from nonstop.surrogate.model import PAPER
from nonstop.types import Array
from nonstop_bench.problems.catalogue import find
from nonstop_bench.released import JointLogEI
from nonstop_bench.switches import surrogate_with

PUBLISHED = surrogate_with(PAPER, ("flat", "constant"))
RNG = np.random.default_rng(0)


def data(name: str, n: int) -> tuple[Array, Array]:
    """Results that span the cube, so that scaling to their range changes nothing."""
    task = find(name)
    X = np.random.default_rng(0).random((n, task.dim))
    X[0], X[1] = 0.0, 1.0
    return X, np.array([-task.objective(decode(task.space, x)) for x in X])


def model(X: Array, y: Array) -> SingleTaskGP:
    d = X.shape[1]
    gp = SingleTaskGP(
        torch.tensor(X),
        torch.tensor(y)[:, None],
        covar_module=RBFKernel(ard_num_dims=d),
        input_transform=Normalize(d=d),
        outcome_transform=Standardize(m=1),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit_gpytorch_mll(ExactMarginalLogLikelihood(gp.likelihood, gp))
    return gp


@pytest.mark.parametrize(("name", "n"), [("hartmann-6", 40), ("ackley-10", 60), ("branin", 15), ("rosenbrock-4", 40)])
def test_the_model_without_a_prior_and_with_a_constant_mean_is_botorchs(name: str, n: int) -> None:
    X, y = data(name, n)
    gp, ours = model(X, y), fitted(PUBLISHED, X, y)
    P, spread = RNG.random((200, X.shape[1])), float(np.std(y, ddof=1))
    with torch.no_grad():
        theirs = gp.posterior(torch.tensor(P))
    mean, variance = ours.gp.moments(P)
    assert np.abs(ours.output.backward(mean) - theirs.mean.numpy().ravel()).max() < 0.02 * spread
    assert np.abs(np.sqrt(variance) * spread - theirs.variance.sqrt().numpy().ravel()).max() < 0.01 * spread


def test_the_joint_improvement_is_botorchs() -> None:
    """Up to the noise of the draws, and the unit of the values."""
    X, y = data("branin", 15)
    gp, ours = model(X, y), fitted(PUBLISHED, X, y).gp
    busy, spread = np.array([[0.2, 0.7], [0.6, 0.3], [0.9, 0.9]]), float(np.std(y, ddof=1))
    sampler = SobolQMCNormalSampler(torch.Size([2048]), seed=0)
    theirs = qLogExpectedImprovement(gp, float(y.max()), sampler=sampler, X_pending=torch.tensor(busy))
    draws = np.random.default_rng(1).standard_normal((20_000, 4))
    best = float(ours.y.max())
    mine = JointLogEI(ExpectedLogEI.of(ours, best, busy, draws[:, 1:]), best, draws[:, 0])
    P = RNG.random((30, 2))
    with torch.no_grad():
        values = theirs(torch.tensor(P)[:, None, :]).numpy()
    assert np.abs(mine.value(P) + np.log(spread) - values).max() < 0.1
