"""Bounds and several objectives, against BoTorch: both are given the same posterior, that of our own processes."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from nonstop.acquisition.ehvi import LogEHVI, reference_of
from nonstop.acquisition.feasible import Conditions, Feasible, bound_term
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import LogEI
from nonstop.numerics.cells import Cells
from nonstop.numerics.ehvi import log_ehvi
from nonstop.numerics.hypervolume import hypervolume, nondominated
from nonstop.surrogate.gp import GP
from nonstop.types import Array
from tests.helpers.oracles import random_gp

pytest.importorskip("botorch", reason="BoTorch is not installed: make test-peers")

GPS = tuple(random_gp(seed, 20, 3, noise=1e-2) for seed in range(4))
P = np.random.default_rng(5).random((40, 3))
NONE = np.empty((0, 3))
BOUNDS = (0.4, -0.7)


def posterior(mean: Array, variance: Array) -> Any:
    """A model of BoTorch that says this of every batch of points: mean, variance (m, k)."""
    torch, testing = importlib.import_module("torch"), importlib.import_module("botorch.utils.testing")
    tensors = [torch.tensor(value, dtype=torch.double).unsqueeze(1) for value in (mean, variance)]
    return testing.MockModel(testing.MockPosterior(mean=tensors[0], variance=tensors[1]))


def of(gps: tuple[GP, ...]) -> tuple[Array, Array]:
    moments = [gp.moments(P) for gp in gps]
    return np.stack([mean for mean, _ in moments], axis=1), np.stack([variance for _, variance in moments], axis=1)


def points(count: int) -> Any:
    torch = importlib.import_module("torch")
    return torch.zeros(count, 1, 3, dtype=torch.double)


def constrained(best: float, mean: Array, variance: Array) -> Array:
    """BoTorch's log of the expected improvement times the probability that outcomes 1 and 2 are above their bounds."""
    analytic = importlib.import_module("botorch.acquisition.analytic")
    bounds = {1: [BOUNDS[0], None], 2: [BOUNDS[1], None]}
    acquisition = analytic.LogConstrainedExpectedImprovement(posterior(mean, variance), best, 0, bounds)
    return np.asarray(acquisition(points(len(mean))).numpy())


def terms() -> list[Scored]:
    return [bound_term(gp, bound, 20, NONE) for gp, bound in zip(GPS[1:3], BOUNDS, strict=True)]


def test_constrained_log_ei() -> None:
    for best in (-1.0, 0.5, 3.0, 30.0):
        ours = Feasible(Scored(LogEI(), GPS[0], best, 20), terms()).value(P)
        np.testing.assert_allclose(ours, constrained(best, *of(GPS[:3])), rtol=1e-6)


def test_the_log_probability_of_feasibility() -> None:
    """What is left of the constrained improvement once the improvement is taken away."""
    mean, variance = of(GPS[:3])
    analytic = importlib.import_module("botorch.acquisition.analytic")
    plain = analytic.LogExpectedImprovement(posterior(mean[:, :1], variance[:, :1]), 0.5)(points(len(P))).numpy()
    np.testing.assert_allclose(
        Conditions(terms()).value(P), constrained(0.5, mean, variance) - plain, rtol=1e-5, atol=1e-7
    )


@pytest.mark.parametrize("below", [0.1, 10.0])
@pytest.mark.parametrize("shift", [0.0, 0.7])
@pytest.mark.parametrize("k", [2, 3])
def test_expected_growth_of_the_dominated_volume(k: int, shift: float, below: float) -> None:
    torch = importlib.import_module("torch")
    analytic = importlib.import_module("botorch.acquisition.multi_objective.analytic")
    boxes = importlib.import_module("botorch.utils.multi_objective.box_decompositions.non_dominated")
    values = np.stack([gp.y for gp in GPS[:k]], axis=1)
    reference = reference_of(values, below)
    ours = LogEHVI.of(GPS[:k], Cells.of(values, reference), GPS[0].X)
    mean, variance = of(GPS[:k])
    mean = mean + shift
    cells = boxes.FastNondominatedPartitioning(ref_point=torch.tensor(reference), Y=torch.tensor(values))
    theirs = analytic.ExpectedHypervolumeImprovement(posterior(mean, variance), reference.tolist(), cells)
    expected = theirs(points(len(P))).numpy()
    found = np.exp(log_ehvi(mean, np.sqrt(variance), ours.cells)[0])
    # Where little is to be expected, BoTorch subtracts numbers that are almost equal.
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-9 * expected.max())
    assert (expected > 1e-3 * expected.max()).sum() >= 3
    if shift == 0.0:
        np.testing.assert_allclose(ours.value(P), np.log(found))


@pytest.mark.parametrize("m", [2, 3])
def test_dominated_volume(m: int) -> None:
    torch = importlib.import_module("torch")
    volumes = importlib.import_module("botorch.utils.multi_objective.hypervolume")
    rng = np.random.default_rng(m)
    for n in (1, 5, 30):
        Y = rng.standard_normal((n, m))
        reference = np.full(m, -1.0)
        front = torch.tensor(Y[nondominated(Y)])
        theirs = volumes.Hypervolume(torch.tensor(reference)).compute(front)
        assert hypervolume(Y, reference) == pytest.approx(theirs, rel=1e-9, abs=1e-12)
