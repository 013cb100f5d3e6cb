"""Problems with several outcomes: optima and fronts of the literature, races from the same start, and their table."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from nonstop.numerics.hypervolume import hypervolume
from nonstop.numerics.quasirandom import halton
from nonstop_bench.outcomes.catalogue import CONSTRAINED, PROBLEMS, SEVERAL
from nonstop_bench.outcomes.field import NAMES, entered, make
from nonstop_bench.outcomes.problem import Problem
from nonstop_bench.outcomes.race import EVALUATIONS, WORKERS, Run, race, start
from nonstop_bench.outcomes.report import page
from nonstop_bench.outcomes.sequence import Sequence
from nonstop_bench.outcomes.standing import standing, wilson
from nonstop_bench.records import Array

#: The literature gives few digits of points that lie on the border.
SLACK = 1e-6


def named(problem: Problem) -> str:
    return problem.name


def scaled(problem: Problem, X: Array) -> Array:
    """From the units of the problem to the unit cube."""
    low, high = np.array(list(problem.box.values())).T
    return np.asarray((X - low) / (high - low))


def relative(problem: Problem, outcomes: Array) -> Array:
    """Violations as shares of the bounds, where those are not 0."""
    scale = np.array([abs(bound.value) or 1.0 for bound in problem.bounds])
    return np.asarray(problem.violations(outcomes) / scale)


# Problems


@pytest.mark.parametrize("problem", CONSTRAINED.values(), ids=named)
def test_the_optimum_is_attained_at_the_optimizer(problem: Problem) -> None:
    outcomes = problem.outcomes(scaled(problem, np.array([problem.optimizer])))
    assert outcomes[0, 0] == pytest.approx(problem.best, rel=1e-9)
    worst = relative(problem, outcomes).max()
    assert -SLACK < worst < SLACK, "some constraint is active there, and none is violated"


@pytest.mark.parametrize("problem", CONSTRAINED.values(), ids=named)
def test_nothing_feasible_is_better_or_worse_than_it_is_said(problem: Problem) -> None:
    """Neither all over the box nor around the optimizer, at any distance."""
    rng = np.random.default_rng(0)
    center = scaled(problem, np.array([problem.optimizer]))
    scales = 10.0 ** rng.uniform(-7, -0.5, (100_000, 1))
    around = np.clip(center + scales * rng.standard_normal((100_000, problem.d)), 0.0, 1.0)
    outcomes = problem.outcomes(np.vstack([rng.random((100_000, problem.d)), around]))
    feasible = outcomes[problem.feasible(outcomes), 0]
    assert len(feasible) > 10
    assert problem.best * (1.0 - 1e-9 * np.sign(problem.best)) <= feasible.min()
    assert feasible.max() <= problem.worst
    assert problem.regret(float(feasible.min())) < 0.01


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("gramacy", 0.45, 0.47), ("g4", 0.26, 0.28), ("g24", 0.43, 0.45), ("welded-beam", 0.02, 0.03)],
)
def test_how_much_of_the_box_is_feasible(name: str, low: float, high: float) -> None:
    problem = PROBLEMS[name]
    assert low < problem.feasible(problem.outcomes(halton(100_000, problem.d, 0))).mean() < high


def front(name: str, n: int) -> Array:
    """Points (in the unit cube) whose outcomes are on the front, or are dominated by others of them."""
    d, first = PROBLEMS[name].d, np.linspace(0.0, 1.0, n)[:, None]
    return np.hstack([first, np.full((n, d - 1), 0.5 if name.startswith("dtlz2") else 0.0)])


@pytest.mark.parametrize("name", ["zdt1", "zdt3", "dtlz2-2", "dtlz7"])
def test_the_front_dominates_what_is_said(name: str) -> None:
    problem = PROBLEMS[name]
    outcomes = problem.outcomes(front(name, 4001))
    reached = problem.reached(outcomes, outcomes)
    assert reached is not None
    assert 0.0 < problem.regret(reached) < 1e-3


def test_dtlz2_has_its_front_on_the_sphere() -> None:
    problem, rng = PROBLEMS["dtlz2-3"], np.random.default_rng(0)
    X = np.hstack([rng.random((100, 2)), np.full((100, problem.d - 2), 0.5)])
    np.testing.assert_allclose((problem.outcomes(X) ** 2).sum(axis=1), 1.0)
    corner = problem.outcomes(np.array([[0.0, 0.0, *[0.5] * 4], [1.0, 0.0, *[0.5] * 4], [0.0, 1.0, *[0.5] * 4]]))
    np.testing.assert_allclose(corner, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], atol=1e-15)


def test_designs_with_several_objectives_at_points_done_by_hand() -> None:
    truss, brake, vehicle = (PROBLEMS[name].function for name in ("truss", "brake", "vehicle"))
    root = 2.0**0.5
    np.testing.assert_allclose(truss(np.array([[1.0, root, root, 1.0]])), [[200.0 * (5.0 + 2.0**0.25), 0.04]])
    square, cube = 100.0**2 - 60.0**2, 100.0**3 - 60.0**3
    expected = [4.9e-5 * square * 10.0, 9.82e6 * square / (2000.0 * 11.0 * cube), 40.0]
    np.testing.assert_allclose(brake(np.array([[60.0, 100.0, 2000.0, 11.0]]))[0, :3], expected)
    np.testing.assert_allclose(vehicle(np.ones((1, 5))), [[1661.7078225, 8.3046, 0.0708]])


@pytest.mark.parametrize("problem", SEVERAL.values(), ids=named)
def test_no_set_of_points_dominates_more_than_the_front(problem: Problem) -> None:
    outcomes = problem.outcomes(halton(3000, problem.d, 1))
    reached = problem.reached(outcomes, outcomes)
    assert reached is not None
    assert 0.0 < problem.regret(reached) < 1.0


def test_an_infeasible_point_dominates_nothing() -> None:
    problem = PROBLEMS["brake"]
    outcomes = problem.outcomes(halton(500, problem.d, 0))
    feasible = problem.feasible(outcomes)
    assert 0 < feasible.sum() < 500
    known = hypervolume(-outcomes[feasible, :2], -np.array(problem.reference))
    assert problem.reached(outcomes, outcomes) == known > 0.0
    assert problem.reached(outcomes[~feasible], outcomes[~feasible]) == 0.0


def test_what_is_scored_with_constraints() -> None:
    problem = PROBLEMS["gramacy"]
    outcomes = np.array([[0.1, 0.2, -1.0], [0.9, -0.1, -1.0], [0.8, 0.0, -1.0], [0.7, -0.1, 0.3]])
    assert problem.reached(outcomes, outcomes) == 0.8
    assert problem.reached(outcomes[:1], outcomes[:1]) is None
    assert problem.regret(None) == 1.0 == problem.regret(problem.worst)
    assert problem.regret(problem.best) == 0.0
    noisy = PROBLEMS["gramacy-noisy"]
    exact = outcomes + np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.03, 0.02, 0.0], [0.0, 0.0, 0.0]])
    assert noisy.reached(outcomes, exact) == pytest.approx(0.83 + 3.0 * 0.02)


def test_a_violation_gains_less_than_its_price() -> None:
    problem = PROBLEMS["gramacy-noisy"]
    outcomes = problem.outcomes(halton(200_000, 2, 0))
    paid = outcomes[:, 0] + problem.price * np.maximum(problem.violations(outcomes), 0.0).sum(axis=1)
    assert problem.best <= paid.min() < problem.best + 0.01


@pytest.mark.parametrize(
    ("name", "theirs", "arguments"),
    [
        ("zdt1", "ZDT1", (8,)),
        ("dtlz2-2", "DTLZ2", (6, 2)),
        ("dtlz2-3", "DTLZ2", (6, 3)),
        ("dtlz7", "DTLZ7", (6, 2)),
        ("vehicle", "VehicleSafety", ()),
        ("brake", "DiscBrake", ()),
    ],
)
def test_outcomes_are_those_of_botorch(name: str, theirs: str, arguments: tuple[int, ...]) -> None:
    pytest.importorskip("botorch", reason="BoTorch is not installed: make test-peers")
    torch = importlib.import_module("torch")
    other = getattr(importlib.import_module("botorch.test_functions.multi_objective"), theirs)(*arguments)
    problem = PROBLEMS[name]
    cube = halton(50, problem.d, 0)
    low, high = np.array(list(problem.box.values())).T
    expected = other.evaluate_true(torch.as_tensor(low + cube * (high - low))).numpy()
    np.testing.assert_allclose(problem.outcomes(cube)[:, : len(problem.objectives)], expected)
    assert list(problem.reference) == other._ref_point


# Races


@dataclass
class Listener:
    """Quasi-random points; it writes down what it hears."""

    inner: Sequence
    heard: list[str] = field(default_factory=list)
    outcomes: list[Array] = field(default_factory=list)
    busy: int = 0
    most_busy: int = 0

    def add(self, x: Array, outcomes: Array) -> None:
        self.inner.add(x, outcomes)
        self.heard.append("add")
        self.outcomes.append(outcomes)

    def ask(self) -> tuple[int, Array]:
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        self.heard.append("ask")
        return self.heard.count("ask"), self.inner.ask()[1]

    def tell(self, handle: int, outcomes: Array) -> None:
        self.busy -= 1
        self.heard.append(f"tell {handle}")
        self.outcomes.append(outcomes)


def test_a_race_tells_the_start_then_keeps_eight_workers_busy() -> None:
    problem = PROBLEMS["g24"]
    listener = Listener(Sequence(problem.d, 3))
    run = race(problem, "listener", 3, lambda: listener)
    assert start(problem) == 6
    assert listener.heard[:14] == ["add"] * 6 + ["ask"] * WORKERS
    assert (listener.heard.count("ask"), listener.most_busy, listener.busy) == (EVALUATIONS, WORKERS, 0)
    told = [int(line.split()[1]) for line in listener.heard if line.startswith("tell")]
    assert sorted(told) == list(range(1, EVALUATIONS + 1)) != told
    assert len(run.reached) == 11
    outcomes = np.array(listener.outcomes)
    assert run.reached[0] == problem.reached(outcomes[:6], outcomes[:6])
    assert run.reached[-1] == problem.reached(outcomes, outcomes)
    assert run.feasible == problem.feasible(outcomes[6:]).sum()
    np.testing.assert_array_equal(np.sort(outcomes[:, 0]), np.sort(problem.outcomes(halton(106, 2, 3))[:, 0]))


def test_runs_of_the_same_seed_share_start_noise_and_durations() -> None:
    problem = PROBLEMS["gramacy-noisy"]
    listeners = [Listener(Sequence(problem.d, seed)) for seed in (0, 1, 0)]
    for listener, seed in zip(listeners, (0, 0, 1), strict=True):
        race(problem, "listener", seed, lambda listener=listener: listener)  # type: ignore[misc]
    first, second, other = (np.array(listener.outcomes) for listener in listeners)
    np.testing.assert_array_equal(first[:6], second[:6])
    assert not (first[:6] == other[:6]).any()
    assert listeners[0].heard == listeners[1].heard != listeners[2].heard
    exact = problem.outcomes(halton(6, 2, 0))
    assert 0.01 < np.std(first[:6] - exact) < 0.06


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("problem", [PROBLEMS["g24"], PROBLEMS["brake"], PROBLEMS["dtlz2-3"]], ids=named)
def test_a_contender_proposes_points_of_the_cube_and_repeats_itself(name: str, problem: Problem) -> None:
    if name not in entered(problem):
        assert len(problem.objectives) == 1
        return
    if name.split("-")[0] in ("optuna", "botorch"):
        pytest.importorskip(name.split("-")[0], reason="make test-peers")
    if name == "optuna-gp":
        pytest.importorskip("torch", reason="make test-peers")
    points, same, other = (asked(name, problem, seed) for seed in (5, 5, 6))
    assert ((points >= 0.0) & (points <= 1.0)).all()
    np.testing.assert_array_equal(points, same)
    assert not np.array_equal(points, other)
    assert len(np.unique(points, axis=0)) == len(points), "busy points are known"


def asked(name: str, problem: Problem, seed: int) -> Array:
    """Five points: the first of them has a result when the last one is asked for."""
    contender = make(name, problem, seed, start(problem))
    for x in halton(start(problem), problem.d, 0):
        contender.add(x, problem.outcomes(x)[0])
    given = [contender.ask() for _ in range(4)]
    contender.tell(given[0][0], problem.outcomes(given[0][1])[0])
    return np.array([x for _, x in [*given, contender.ask()]])


def test_an_unknown_contender_is_answered_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="'gradient', expected one of nonstop, botorch"):
        make("gradient", PROBLEMS["g24"], 0, 6)


# The table


def made_up(problem: str, name: str, seed: int, regret: float) -> Run:
    best, worst = PROBLEMS[problem].best, PROBLEMS[problem].worst
    return Run(problem, name, seed, (None, best + regret * (worst - best)), 50, 0.0123, f"{name} 1.0")


def test_the_page_ranks_what_all_have_run_and_counts_what_both_have_run() -> None:
    runs = [
        made_up(problem, name, seed, regret)
        for problem in ("gramacy", "g4")
        for seed in (0, 1)
        for name, regret in (("nonstop", 0.01), ("botorch", 0.001), ("optuna-tpe", 0.1), ("random", 0.5))
    ]
    incomplete = [run for run in runs if run.contender != "botorch" or run.seed == 0]
    found = standing(incomplete, CONSTRAINED)
    assert found.shared.tolist() == [True, False, True, False]
    assert (len(found.won(1)), len(found.won(2))) == (2, 4)
    text = page([*incomplete, *(made_up("zdt1", name, 0, 0.1) for name in ("nonstop", "random"))])
    assert "Versions: botorch 1.0, nonstop 1.0, optuna-tpe 1.0, random 1.0." in text
    assert "| botorch | 1.00 (0.00) | 0.00 (0.00 to 0.66; p = 5.0e-01) | 2 | 12 |" in text
    assert "| nonstop | 2.00 (0.00) | – | 4 | 12 |" in text
    assert "| random | 4.00 (0.00) | 1.00 (0.51 to 1.00; p = 1.2e-01) | 4 | 12 |" in text
    assert "| optuna-tpe | -1.00 (2) | -1.00 (2) |" in text
    with pytest.raises(ValueError, match="was run by all of nonstop, random"):
        standing([made_up("g4", "nonstop", 0, 0.1), made_up("g4", "random", 1, 0.1)], CONSTRAINED)


def test_wilsons_interval() -> None:
    """Of 8 of 10, as tables have it."""
    low, high = wilson(np.repeat([1.0, 0.0], [8, 2]))
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=2e-4)


RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def test_the_committed_table_is_of_the_committed_runs() -> None:
    lines = (RESULTS / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    runs = [replace(Run(**row), reached=tuple(row["reached"])) for row in rows]
    assert (RESULTS / "outcomes.md").read_text(encoding="utf-8") == page(runs)
    assert len({run.key for run in runs}) == len(runs)
    assert all(run.contender in entered(PROBLEMS[run.problem]) for run in runs)
