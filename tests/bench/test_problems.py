"""The minima of the formulas are what their records say: at those points, and nowhere lower."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import nonstop
from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.hartmann import HARTMANN3, HARTMANN6
from nonstop_bench.problems.problem import Array, Problem

NAMES = (
    *(f"{family}-{dim}" for family in ("ackley", "levy", "michalewicz", "griewank", "rastrigin") for dim in (1, 2, 7)),
    *(f"{family}-{dim}" for family in ("styblinski-tang", "dixon-price", "zakharov", "slope") for dim in (1, 2, 5)),
    *(f"{family}-{dim}" for family in ("rosenbrock", "log-rosenbrock") for dim in (2, 3, 10)),
    *("powell-4", "powell-12", "cosine-1", "cosine-8", "hartmann-3", "hartmann-6", "shekel-4", "toy-1", "toy-2"),
    *(f"{shape}-{place}-{dim}" for shape in ("rippled", "funnel") for place in ("vertex", "inside") for dim in (2, 6)),
    *("branin", "egg-holder", "sixhump-camel", "goldstein-price", "log-goldstein-price", "drop-wave", "bukin"),
    *("embedded-branin-2", "embedded-branin-25", "embedded-hartmann-25", "gp-1-0", "gp-2-1", "gp-4-0"),
    *("shifted-ackley-1", "shifted-ackley-5", "shifted-bukin", "shifted-hartmann-6", "shifted-powell-8"),
    *(
        "rotated-ackley-10",
        "rotated-dixon-price-4",
        "rotated-styblinski-tang-3",
        "rotated-shekel-4",
        "rotated-griewank-5",
    ),
    *("border-levy-1", "border-rosenbrock-4", "border-styblinski-tang-3", "border-sixhump-camel", "border-zakharov-4"),
)

#: The gradient at the minimum is not zero: a cusp, or (on the border) a slope that leads out of the box.
KINKED = ("ackley", "bukin", "funnel")

SMOOTH = tuple(name for name in NAMES if not any(kinked in name for kinked in KINKED))

#: So few minima that forty local searches find all of them.
FEW = (
    *("branin", "hartmann-3", "hartmann-6", "sixhump-camel", "goldstein-price", "cosine-1", "toy-1", "toy-2", "gp-1-0"),
    *("gp-2-1", "dixon-price-2", "styblinski-tang-2", "rotated-dixon-price-3", "rotated-styblinski-tang-3"),
)

problems = pytest.mark.parametrize("name", NAMES)


def formula(name: str) -> Problem:
    task = find(name)
    assert isinstance(task, Problem)
    return task


def descend(problem: Problem, u: Array) -> tuple[Array, float]:
    """Where a local search from u ends, in the unit cube."""

    def value(v: Array) -> float:
        return float(problem.at(v[None])[0])

    found = minimize(value, u, bounds=[(0.0, 1.0)] * problem.dim, method="L-BFGS-B", options={"ftol": 1e-13})
    return np.asarray(found.x), float(found.fun)


@problems
def test_the_optimizers_attain_the_optimum(name: str) -> None:
    problem = formula(name)
    assert problem.name == name
    X = np.array(problem.optimizers)
    low, high = np.array(problem.bounds).T
    assert len(X) >= 1
    assert ((low <= X) & (high >= X)).all()
    np.testing.assert_allclose(problem.function(X), problem.optimum, rtol=0.0, atol=1e-9)


@problems
def test_nothing_is_lower(name: str) -> None:
    """Not among random points all over the box, not near an optimizer, and not where local searches end."""
    problem = formula(name)
    rng = np.random.default_rng(0)
    best = problem.to_unit(np.array(problem.optimizers))
    far = rng.random((2_000 if name.startswith("gp") else 20_000, problem.dim))  # a draw has a thousand terms
    near = np.clip(best[0] + 10.0 ** rng.uniform(-6, -1, (1_000, 1)) * rng.standard_normal((1_000, problem.dim)), 0, 1)
    values = np.concatenate([problem.at(far), problem.at(near)])
    floor = problem.optimum - 1e-9
    assert np.isfinite(values).all()
    assert values.min() >= floor
    for start in (*best, *far[np.argsort(values[: len(far)])[:3]]):
        assert descend(problem, start)[1] >= floor


@pytest.mark.parametrize("name", SMOOTH)
def test_the_gradient_vanishes_at_an_optimizer_inside(name: str) -> None:
    """Along every coordinate that is not at its bound, both sides rise alike: by symmetric differences."""
    problem = formula(name)
    h = 1e-5
    for u in problem.to_unit(np.array(problem.optimizers)):
        inner = np.flatnonzero((u > h) & (u < 1.0 - h))
        steps = h * np.eye(problem.dim)[inner]
        up, down = problem.at(u + steps) - problem.optimum, problem.at(u - steps) - problem.optimum
        curvature = (up + down) / h**2
        slope = np.abs(up - down) / (2.0 * h)
        np.testing.assert_array_less(slope, 1e-6 + 1e-2 * h * curvature + 1e-10 * abs(problem.optimum) / h)
        assert (up + down >= -1e-12 * (1.0 + abs(problem.optimum))).all()


@pytest.mark.parametrize("name", FEW)
def test_local_searches_find_every_optimizer_and_no_other(name: str) -> None:
    problem = formula(name)
    ends = [descend(problem, u) for u in np.random.default_rng(1).random((40, problem.dim))]
    best = np.array([u for u, value in ends if value <= problem.optimum + 1e-6])
    recorded = problem.to_unit(np.array(problem.optimizers))
    for optimizer in recorded:
        assert np.abs(best - optimizer).max(axis=1).min() < 1e-3
    for u in best:
        assert np.abs(recorded - u).max(axis=1).min() < 1e-3


@problems
def test_rows_are_evaluated_alone(name: str) -> None:
    problem = formula(name)
    U = np.random.default_rng(1).random((5, problem.dim))
    values = problem.at(U)
    assert values.shape == (5,)
    np.testing.assert_allclose(values, [problem.at(u[None])[0] for u in U], rtol=1e-10)
    np.testing.assert_array_equal(formula(name).at(U), values)  # the same problem whenever it is asked for


@problems
def test_the_unit_cube_the_box_and_the_space_agree(name: str) -> None:
    problem = formula(name)
    U = np.random.default_rng(2).random((4, problem.dim))
    X = problem.from_unit(U)
    np.testing.assert_allclose(problem.to_unit(X), U, atol=1e-12)
    params = dict(zip(problem.space, X[0].tolist(), strict=True))
    assert problem.objective(params) == pytest.approx(problem.function(X)[0], rel=1e-10)


@pytest.mark.parametrize(
    ("name", "x", "value"),
    [
        ("branin", [0, 0], 55.602112642270262),
        ("ackley-1", [1], 20.0 * (1.0 - math.exp(-0.2))),
        ("ackley-2", [0.5, 0.5], 20.0 * (1.0 - math.exp(-0.1)) + math.e - math.exp(-1.0)),
        ("levy-2", [5, 5], 0.0 + (1.0 + 10.0 * math.sin(1.0) ** 2) + 1.0),
        ("levy-1", [3], 1.0 + 0.25),
        ("rastrigin-2", [0.5, 1.0], 0.25 + 20.0 + 1.0),
        ("griewank-2", [math.pi, 0.0], 2.0 + math.pi**2 / 4000.0),
        ("griewank-2", [0.0, math.sqrt(2.0) * math.pi], 2.0 + math.pi**2 / 2000.0),
        ("styblinski-tang-2", [1, -1], 0.5 * (-10.0 - 20.0)),
        ("cosine-8", [0.2] * 8, 8 * (0.04 + 0.1)),
        ("michalewicz-2", [math.pi / 2.0, math.pi / 2.0], -(0.5**10) - 1.0),
        ("rosenbrock-3", [0, 0, 0], 2.0),
        ("rosenbrock-3", [1, 2, 3], 100.0 + 0.0 + 100.0 + 1.0),
        ("log-rosenbrock-4", [0, 0, 0, 0], math.log(4.0)),
        ("powell-4", [1, 1, 1, 1], 121.0 + 1.0),
        ("powell-4", [1, 0, 0, 0], 1.0 + 10.0),
        ("powell-8", [0, 0, 1, 0, 0, 0, 0, 1], 5.0 + 16.0 + 5.0 + 10.0),
        ("dixon-price-3", [2, 1, 1], 1.0 + 0.0 + 3.0),
        ("zakharov-2", [1, 1], 2.0 + 2.25 + 5.0625),
        ("egg-holder", [0, -47], 0.0),
        ("egg-holder", [0, 0], -47.0 * math.sin(math.sqrt(47.0))),
        ("sixhump-camel", [1, 1], 4.0 - 2.1 + 1.0 / 3.0 + 1.0),
        ("goldstein-price", [0, 0], 600.0),
        ("log-goldstein-price", [0, 0], math.log(600.0)),
        ("drop-wave", [math.pi / 12.0, 0.0], 0.0),
        ("bukin", [-5, 0.5], 100.0 * 0.5 + 0.05),
        ("slope-2", [1, 0], 1.0),
        ("slope-1", [1.0 / 6.0], 1.0 / 6.0 + 0.2),
        ("toy-1", [1.0 / 3.0], 0.0),
        ("embedded-branin-6", [0, 0.3, 0.4, 0, 0.5, 0.6], 55.602112642270262),
    ],
)
def test_values_worked_out_by_hand(name: str, x: list[float], value: float) -> None:
    assert formula(name).function(np.array([x], dtype=np.float64))[0] == pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "optimum"),
    [
        ("branin", 0.397887),
        ("hartmann-3", -3.86278),
        ("hartmann-6", -3.32237),
        ("michalewicz-2", -1.80130),
        ("michalewicz-5", -4.687658),
        ("michalewicz-10", -9.66015),
        ("egg-holder", -959.6407),
        ("sixhump-camel", -1.03163),
        ("shekel-4", -10.5364),
        ("styblinski-tang-3", -39.16617 * 3),
        ("cosine-8", -0.8),
    ],
)
def test_optima_from_the_literature(name: str, optimum: float) -> None:
    assert formula(name).optimum == pytest.approx(optimum, abs=6e-5)


@pytest.mark.parametrize("i", [1, 2, 3, 9, 40])
def test_a_fine_grid_finds_nothing_below_the_michalewicz_minimum_of_a_coordinate(i: int) -> None:
    x = np.linspace(0.0, math.pi, 400_001)
    terms = np.sin(x) * np.sin(i * x**2 / math.pi) ** 20
    best = formula(f"michalewicz-{i}").optimizers[0][-1]
    assert abs(x[np.argmax(terms)] - best) < 1e-5


@pytest.mark.parametrize("name", ["ackley-3", "bukin"])
def test_a_kinked_minimum_rises_linearly_or_steeper_on_both_sides(name: str) -> None:
    problem = formula(name)
    u = problem.to_unit(np.array(problem.optimizers[0]))
    steps = 1e-7 * np.eye(problem.dim)
    for sign in (-1.0, 1.0):
        assert (problem.at(u + sign * steps) - problem.optimum > 1e-9).all()


def test_regret_is_never_negative() -> None:
    assert BRANIN.regret(BRANIN.optimum - 1e-15) == 0.0
    assert BRANIN.regret(1.0) == pytest.approx(1.0 - BRANIN.optimum)


def test_params_outside_the_box_are_refused() -> None:
    with pytest.raises(nonstop.ParamsError, match="x2"):
        BRANIN.objective({"x1": 0.0, "x2": 99.0})


@pytest.mark.parametrize("problem", [HARTMANN3, HARTMANN6], ids=["3", "6"])
def test_projecting_onto_the_box_never_raises_hartmann(problem: Problem) -> None:
    """Why it may be moved: outside the box nothing is lower than inside."""
    X = np.random.default_rng(3).uniform(-1.0, 2.0, (2000, problem.dim))
    assert (problem.function(np.clip(X, 0.0, 1.0)) <= problem.function(X)).all()
