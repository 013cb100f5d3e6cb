"""The tasks of the arena: COCO's, sparse, with noise, and real models."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import nonstop
from nonstop_bench.arena.halves import ARENA
from nonstop_bench.case import Case
from nonstop_bench.peers.optimizers.uniform import Uniform
from nonstop_bench.problems.catalogue import TUNED, find
from nonstop_bench.problems.noisy import spread
from nonstop_bench.problems.problem import Problem
from nonstop_bench.problems.sparse import CORES
from nonstop_bench.problems.task import BlackBox, Task, observed
from nonstop_bench.run import run
from nonstop_bench.simulate import Setup, simulate

NAMES = sorted({case.problem for part in ARENA for case in part.cases})
COCO = [name for name in NAMES if name.startswith("bbob")]


def values(task: Task, count: int, seed: int = 0) -> list[float]:
    """At random points."""
    points = Uniform(task.space, seed)
    return [task.objective(points.ask([])) for _ in range(count)]


@pytest.mark.parametrize("name", COCO)
def test_no_value_is_below_the_optimum_of_coco(name: str) -> None:
    pytest.importorskip("cocoex")
    for seed in (0, 3):
        task = find(name, seed)
        assert task.name == name
        assert task.dim == int(name.rpartition("-")[2])
        assert min(values(task, 300)) > task.optimum


@pytest.mark.parametrize("name", ["bbob-f8-5", "bbob-mixint-f8-5", "bbob-noisy-f107-5"])
def test_the_seed_is_the_instance_of_coco(name: str) -> None:
    pytest.importorskip("cocoex")
    same, again, other = (find(name, seed) for seed in (1, 1, 2))
    assert values(same, 3) == values(again, 3)
    assert values(same, 3) != values(other, 3)


def test_the_optimum_of_coco_is_attained() -> None:
    """As its own account has it: the best value of bbob, and of bbob-mixint the value at the best point."""
    cocoex = pytest.importorskip("cocoex")
    for function in (3, 8, 21):
        problem = cocoex.BareProblem("bbob", function, 5, 4)
        task = find(f"bbob-f{function}-5", 3)
        point = dict(zip(task.space, problem.best_parameter(), strict=True))
        assert task.objective(point) == pytest.approx(task.optimum, abs=1e-9)
    task = find("bbob-mixint-f6-10", 0)
    whole = [name for name in task.space if isinstance(task.space[name], nonstop.Int)]
    assert len(whole) == 8
    assert [task.space[name].high for name in whole] == [1, 1, 3, 3, 7, 7, 15, 15]  # type: ignore[union-attr]


@pytest.mark.parametrize(("function", "rough"), [(101, 0.01), (107, 0.15), (109, 0.15), (103, 0.01)])
def test_the_noise_is_that_of_coco(function: int, rough: float) -> None:
    """Quantiles of many values at one point, beside those of COCO's own suite."""
    cocoex = pytest.importorskip("cocoex")
    suite = cocoex.Suite("bbob-noisy", "instances:1", f"dimensions:5 function_indices:{function - 100}")
    problem, x = suite[0], np.full(5, 1.5)
    theirs = [problem(x) for _ in range(4000)]
    task = find(f"bbob-noisy-f{function}-5", 0)
    exact = task.objective(dict(zip(task.space, x.tolist(), strict=True)))
    rng = np.random.default_rng(0)
    ours = [observed(task, exact, rng) for _ in range(4000)]
    levels = [0.1, 0.25, 0.5, 0.75, 0.9]
    above = [np.quantile(each, levels) - task.optimum for each in (theirs, ours)]
    assert above[1] == pytest.approx(above[0], rel=rough)
    assert observed(task, task.optimum, rng) == task.optimum


def test_numbers_that_coco_does_not_have() -> None:
    for name, message in {
        "bbob-f25-5": "f1 to f24",
        "bbob-f1-7": "no 7 dimensions",
        "bbob-mixint-f1-3": "no 3 dimensions",
        "bbob-noisy-f116-5": "expected one of f101, f103, f104",
        "bbob-noisy-f102-5": "expected one of f101, f103, f104",
        "bbob-noisy-f1-5": "expected one of f101, f103, f104",
    }.items():
        with pytest.raises(ValueError, match=message):
            find(name)


@pytest.mark.parametrize("core", CORES)
def test_six_parameters_of_a_sparse_task_matter(core: str) -> None:
    task, other = find(f"sparse-{core}-50", 0), find(f"sparse-{core}-50", 1)
    assert isinstance(task, Problem)
    (best,) = task.optimizers
    assert task.function(np.array([best]))[0] == pytest.approx(task.optimum, abs=1e-9)
    assert min(values(task, 200)) > task.optimum
    rng = np.random.default_rng(0)
    center = task.from_unit(rng.uniform(0.3, 0.7, (1, 50)))
    moved = np.repeat(center, 50, axis=0) + np.diag(np.full(50, 0.1))
    matters = np.abs(task.function(moved) - task.function(center)) > 1e-12
    assert matters.sum() == 6
    assert isinstance(other, Problem)
    assert other.bounds != task.bounds or other.optimizers != task.optimizers


def test_a_sparse_task_needs_a_formula_that_may_be_shifted() -> None:
    for name in ("sparse-michalewicz-50", "sparse-levy-5"):
        with pytest.raises(ValueError, match=r"expected one of ackley, .* in 6 dimensions or more"):
            find(name)


def test_noise_is_a_part_of_the_range() -> None:
    task = find("noise-10-hartmann-6")
    assert isinstance(task, BlackBox)
    deviation = 0.1 * spread(find("hartmann-6"))
    rng = np.random.default_rng(0)
    seen = [observed(task, 1.0, rng) for _ in range(4000)]
    assert np.std(seen) == pytest.approx(deviation, rel=0.05)
    assert np.mean(seen) == pytest.approx(1.0, abs=4 * deviation / math.sqrt(4000))
    assert find("noise-30-sparse-levy-50", 2).optimum == 0.0


def test_regret_is_of_exact_values_and_every_contender_meets_the_same_noise() -> None:
    case = Case("noise-10-hartmann-6", rule="random", q=2, horizon=None, evaluations=4)
    noisy, exact = run(case), run(Case("hartmann-6", rule="random", q=2, horizon=None, evaluations=4))
    assert np.array_equal(noisy.value, exact.value)
    assert (noisy.observed != noisy.value).all()
    assert np.array_equal(exact.observed, exact.value)
    again = run(Case("noise-10-hartmann-6", rule="ucb", q=2, horizon=None, evaluations=4))
    first = noisy.initial
    assert np.array_equal(again.observed[:first], noisy.observed[:first])
    both = noisy.observed - noisy.value
    assert np.allclose(both, again.observed - again.value, atol=1e-9)


@pytest.mark.parametrize("name", TUNED)
def test_a_model_can_be_tuned(name: str) -> None:
    """A deterministic function with many levels, whose best random value is clearly better than its median."""
    task = find(f"tune-{name}")
    found = values(task, 12)
    assert task.name == f"tune-{name}"
    assert found[:3] == values(find(f"tune-{name}"), 3)
    assert all(math.isfinite(value) and value > 0.0 for value in found)
    assert len(set(found)) > 6
    assert min(found) < 0.95 * float(np.median(found))


def test_the_instance_of_a_run_is_its_seed() -> None:
    made = run(Case("sparse-levy-8", rule="random", q=2, seed=1, horizon=None, evaluations=2))
    task = find("sparse-levy-8", 1)
    trials = simulate(Setup(task, "random", q=2, seed=1, max_trials=2)).study.trials
    exact = [task.objective(trial.params or {}) for trial in trials]
    assert exact == pytest.approx(made.value.tolist())
    assert run(replace(made.case, seed=2)).value[0] != made.value[0]
