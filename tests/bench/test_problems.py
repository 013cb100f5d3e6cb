"""The minima of the problems are what their records say: at those points, and nowhere lower."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import nonstop
from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.catalogue import PROBLEMS
from nonstop_bench.problems.hartmann import HARTMANN6
from nonstop_bench.problems.problem import Array, Problem

problems = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS.keys())


def descend(problem: Problem, u: Array) -> tuple[Array, float]:
    """Where a local search from u ends, in the unit cube."""

    def value(v: Array) -> float:
        return float(problem.at(v[None])[0])

    found = minimize(value, u, bounds=[(0.0, 1.0)] * problem.dim, tol=1e-12)
    return np.asarray(found.x), float(found.fun)


@problems
def test_the_optimizers_attain_the_optimum(problem: Problem) -> None:
    X = np.array(problem.optimizers)
    low, high = np.array(problem.bounds).T
    assert ((low <= X) & (high >= X)).all()
    np.testing.assert_allclose(problem.function(X), problem.optimum, rtol=0.0, atol=1e-12)


@problems
def test_no_local_search_finds_better_and_together_they_find_every_optimizer(problem: Problem) -> None:
    starts = np.random.default_rng(0).random((100, problem.dim))
    ends = [descend(problem, u) for u in starts]
    assert min(value for _, value in ends) >= problem.optimum - 1e-9
    best = np.array([u for u, value in ends if value <= problem.optimum + 1e-6])
    for optimizer in problem.to_unit(np.array(problem.optimizers)):
        assert np.abs(best - optimizer).max(axis=1).min() < 1e-3
    for u in best:  # and no optimizer is missing from the record
        assert np.abs(problem.to_unit(np.array(problem.optimizers)) - u).max(axis=1).min() < 1e-3


@problems
def test_rows_are_evaluated_alone(problem: Problem) -> None:
    U = np.random.default_rng(1).random((5, problem.dim))
    values = problem.at(U)
    assert values.shape == (5,)
    np.testing.assert_allclose(values, [problem.at(u[None])[0] for u in U], rtol=1e-12)


@problems
def test_the_unit_cube_the_box_and_the_space_agree(problem: Problem) -> None:
    U = np.random.default_rng(2).random((4, problem.dim))
    X = problem.from_unit(U)
    np.testing.assert_allclose(problem.to_unit(X), U, atol=1e-12)
    params = dict(zip(problem.space, X[0].tolist(), strict=True))
    assert problem.objective(params) == pytest.approx(problem.function(X)[0], rel=1e-12)


def test_values_from_the_literature() -> None:
    assert BRANIN.objective({"x1": 0.0, "x2": 0.0}) == pytest.approx(55.602112642270262)
    assert BRANIN.optimum == pytest.approx(0.397887, abs=1e-6)
    assert HARTMANN6.optimum == pytest.approx(-3.32237, abs=1e-5)


def test_regret_is_never_negative() -> None:
    assert BRANIN.regret(BRANIN.optimum - 1e-15) == 0.0
    assert BRANIN.regret(1.0) == pytest.approx(1.0 - BRANIN.optimum)


def test_params_outside_the_box_are_refused() -> None:
    with pytest.raises(nonstop.ParamsError, match="x2"):
        BRANIN.objective({"x1": 0.0, "x2": 99.0})
