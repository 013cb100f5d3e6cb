"""Conditional and constrained tasks: minima, constraints said twice, and contenders that start from the same points."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop_bench.spaces.catalogue import TASKS
from nonstop_bench.spaces.declared import Choice, Declared, Number, Params, share
from nonstop_bench.spaces.feasible import Feasible
from nonstop_bench.spaces.field import NAMES, make
from nonstop_bench.spaces.own import space_of
from nonstop_bench.spaces.race import EVALUATIONS, START, WORKERS, Run, race, start
from nonstop_bench.spaces.report import page, regret, standing
from nonstop_bench.spaces.task import SpaceTask

FORMULAS = [task for task in TASKS.values() if task.optimizer is not None]
CONSTRAINED = [task for task in TASKS.values() if task.declared.feasible is not None]
#: The literature gives few digits of designs that lie on the border.
SLACK = 1e-6


def named(task: SpaceTask) -> str:
    return task.name


def moved(number: Number, value: Any, rng: np.random.Generator) -> Any:
    """A value near another one, in the range."""
    if number.whole or number.step is not None:
        step = number.step or 1
        return min(max(value + step * int(rng.integers(-1, 2)), number.low), number.high)
    scale = 10.0 ** rng.uniform(-6, -1)
    if number.log:
        return float(np.clip(value * np.exp(scale * rng.standard_normal()), number.low, number.high))
    width = number.high - number.low
    return float(np.clip(value + scale * width * rng.standard_normal(), number.low, number.high))


@pytest.mark.parametrize("task", FORMULAS, ids=named)
def test_the_optimum_is_attained_at_the_optimizer(task: SpaceTask) -> None:
    assert task.optimizer is not None
    task.declared.active(task.optimizer)
    assert task.function(task.optimizer) == pytest.approx(task.optimum, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("task", FORMULAS, ids=named)
def test_nothing_allowed_is_better(task: SpaceTask) -> None:
    """Neither all over the space nor around the optimizer, at any distance."""
    assert task.optimizer is not None
    rng, declared = np.random.default_rng(0), task.declared
    kinds = declared.active(task.optimizer)
    around = [
        {n: moved(k, task.optimizer[n], rng) if isinstance(k, Number) else task.optimizer[n] for n, k in kinds.items()}
        for _ in range(4000)
    ]
    allowed = [params for params in around if declared.allows(params)]
    assert len(allowed) > 20
    values = [task.value(params) for params in allowed + declared.drawn(rng, 200)]
    assert min(values) >= task.optimum * (1.0 - SLACK) - 1e-12
    assert min(values) < max(values)


@pytest.mark.parametrize(("name", "low", "high"), [("tube", 5e-5, 2e-4), ("linear", 0.2, 0.5), ("knots", 0.04, 0.0434)])
def test_how_much_of_the_box_is_allowed(name: str, low: float, high: float) -> None:
    assert low < TASKS[name].declared.share(np.random.default_rng(1)) < high


@pytest.mark.parametrize("name", ["linear", "tube", "pressure-vessel", "spring", "speed-reducer"])
def test_the_constraints_are_active_at_the_optimum(name: str) -> None:
    """Of small steps from the optimizer, many lead out, and some of those to smaller values."""
    task, rng = TASKS[name], np.random.default_rng(2)
    assert task.optimizer is not None
    steps = []
    for _ in range(400):
        params = dict(task.optimizer)
        for key, kind in task.declared.parameters.items():
            if isinstance(kind, Number) and kind.step is None and not kind.whole:
                params[key] = params[key] + 1e-3 * (kind.high - kind.low) * rng.standard_normal()
        steps.append(params)
    out = [params for params in steps if not task.declared.allows(params)]
    assert len(out) > 100
    assert min(task.function(params) for params in out) < task.optimum


def test_the_best_branch_is_the_worst_on_average() -> None:
    task = TASKS["branches"]
    values: dict[str, list[float]] = {}
    for params in task.declared.drawn(np.random.default_rng(0), 2000):
        values.setdefault(params["kind"], []).append(task.value(params))
    assert sorted(values, key=lambda kind: np.mean(values[kind])) == ["plain", "pair", "triple"]
    assert sorted(values, key=lambda kind: min(values[kind])) == ["triple", "pair", "plain"]


def test_a_classifier_is_chosen_and_its_error_does_not_vary() -> None:
    pytest.importorskip("sklearn")
    task = TASKS["classifier"]
    svm = {"model": "svm", "C": 10.0, "kernel": "rbf", "gamma": 0.05}
    others: list[Params] = [
        {"model": "forest", "trees": 10, "features": 0.2, "leaf": 1},
        {"model": "boosting", "rounds": 20, "rate": 0.3, "depth": 3, "subsample": 0.8},
        {"model": "svm", "C": 1.0, "kernel": "poly", "degree": 3, "scale": 0.1},
    ]
    errors = [task.value(params) for params in others]
    assert task.value(svm) == task.value(svm)
    assert 0.0 < task.value(svm) < min(errors[:2]) < max(errors) < 0.4
    with pytest.raises(ValueError, match=r"\['gamma'\] of .* belong to another branch"):
        task.value(svm | {"kernel": "poly", "degree": 3, "scale": 0.1})
    with pytest.raises(ValueError, match="gamma is missing"):
        task.value({"model": "svm", "C": 10.0, "kernel": "rbf"})


@pytest.mark.parametrize("task", TASKS.values(), ids=named)
def test_nonstop_is_given_the_same_space(task: SpaceTask) -> None:
    """Names, ranges and steps by validating; the expressions allow and forbid what the function does."""
    space, rng = space_of(task.declared), np.random.default_rng(3)
    for params in task.declared.drawn(rng, 50):
        assert space.validate(params) == params
    everywhere = replace(task.declared, feasible=None).drawn(rng, 1500)
    verdicts = [_validates(space, params) for params in everywhere]
    assert verdicts == [task.declared.allows(params) for params in everywhere]
    assert all(verdicts) == (task.declared.feasible is None)


def _validates(space: nonstop.Space, params: Params) -> bool:
    try:
        space.validate(params)
    except nonstop.ParamsError:
        return False
    return True


def test_a_point_that_violates_a_constraint_has_no_value() -> None:
    with pytest.raises(ValueError, match="violates"):
        TASKS["knots"].value({"t1": 0.5, "t2": 0.4, "t3": 0.6, "t4": 0.7})


def test_numbers_are_drawn_from_all_of_their_range() -> None:
    u = np.linspace(0.0, 1.0, 10_001)
    stepped = Number(0.25, 1.0, step=0.25).at(u)
    assert sorted(set(stepped)) == [0.25, 0.5, 0.75, 1.0]
    assert all(abs(np.mean(stepped == value) - 0.25) < 1e-3 for value in set(stepped))
    assert set(Number(3, 5, whole=True).at(u)) == {3, 4, 5}
    assert np.median(Number(1e-4, 1.0, log=True).at(u)) == pytest.approx(1e-2)
    assert share(Number(1e-4, 1.0, log=True), 1e-2) == pytest.approx(0.5)
    assert share(Number(2.0, 4.0), 3.0) == 0.5


def test_an_empty_region_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonstop_bench.spaces.declared._MOST_BATCHES", 2)
    empty = Declared({"x": Number(0.0, 1.0)}, ("x > 2",), lambda p: p["x"] > 2.0)
    with pytest.raises(ValueError, match="0 of 400000 points satisfy"):
        empty.drawn(np.random.default_rng(0), 1)


@dataclass
class Listener:
    """Random points; it writes down what it hears."""

    inner: Feasible
    heard: list[str] = field(default_factory=list)
    busy: int = 0
    most_busy: int = 0

    def add(self, params: Params, value: float) -> None:
        self.heard.append(f"add {value!r}")
        assert params

    def ask(self) -> tuple[int, Params]:
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        self.heard.append("ask")
        return self.heard.count("ask"), self.inner.ask()[1]

    def tell(self, handle: int, value: float | None) -> None:
        self.busy -= 1
        self.heard.append(f"tell {handle} {value!r}")


def test_a_race_tells_the_start_then_keeps_four_workers_busy() -> None:
    task = TASKS["spring"]
    listener = Listener(Feasible(task.declared, 7))
    run = race(task, "listener", 3, lambda: listener)
    assert listener.heard[:START] == [f"add {task.value(params)!r}" for params in start(task, 3)]
    assert listener.heard[START : START + WORKERS] == ["ask"] * WORKERS
    assert (listener.heard.count("ask"), listener.most_busy, listener.busy) == (EVALUATIONS, WORKERS, 0)
    told = [line.split()[1] for line in listener.heard if line.startswith("tell")]
    assert sorted(map(int, told)) == list(range(1, EVALUATIONS + 1)) != list(map(int, told))
    assert len(run.values) == START + EVALUATIONS
    assert task.value(run.best) == min(value for value in run.values if value is not None)


def test_runs_of_the_same_seed_share_their_start_and_others_do_not() -> None:
    task = TASKS["nested"]

    def uniform(seed: int) -> Callable[[], Feasible]:
        return lambda: Feasible(task.declared, seed)

    runs = [race(task, "random", *each) for each in [(0, uniform(1)), (0, uniform(2)), (1, uniform(1))]]
    first, second, other = (run.values for run in runs)
    assert first[:START] == second[:START] != other[:START]
    assert first[START:] != second[START:]


def test_a_lost_evaluation_counts_and_has_no_value() -> None:
    class Wrong(Listener):
        def ask(self) -> tuple[int, Params]:
            handle, _ = super().ask()
            return handle, {"t1": 0.9, "t2": 0.1, "t3": 0.5, "t4": 0.6}

    task = TASKS["knots"]
    run = race(task, "wrong", 0, lambda: Wrong(Feasible(task.declared, 0)))
    assert run.values[START:] == (None,) * EVALUATIONS
    assert regret(run) == task.regret(min(value for value in run.values[:START] if value is not None))


def made_up(task: str, name: str, seed: int, best: float) -> Run:
    return Run(task, name, seed, (None, TASKS[task].optimum + best, TASKS[task].optimum + 9.0), 1.2, {})


def test_the_page_ranks_what_all_have_run() -> None:
    runs = [
        made_up(task, name, seed, best * (1 + seed))
        for task in ("nested", "knots")
        for seed in (0, 1)
        for name, best in (("nonstop", 0.01), ("optuna-tpe", 0.1), ("smac", 0.01), ("random", 1.0))
    ]
    found = standing([*runs, made_up("spring", "random", 0, 1.0)])
    assert found.pairs == (("nested", 0), ("nested", 1), ("knots", 0), ("knots", 1))
    text = page(runs)
    assert "| nonstop | 1.50 (0.00) | – | 20 | 20 | 4 |" in text
    assert "| smac | 1.50 (0.00) | 0.50 (0.00) | 20 | 20 | 4 |" in text
    assert "| random | 4.00 (0.00) | 1.00 (0.00) | 20 | 20 | 4 |" in text
    assert "| random | 0.15 | 0.15 |" in text
    with pytest.raises(ValueError, match="no task and seed was run by all of nonstop, random"):
        standing([made_up("nested", "nonstop", 0, 0.1), made_up("nested", "random", 1, 0.1)])


def test_an_unknown_contender_is_answered_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="'gradient', expected one of nonstop, optuna-tpe"):
        make("gradient", TASKS["knots"].declared, 0)


# The other optimisers, where they are installed.

SMALL = SpaceTask(
    "small",
    Declared(
        {
            "kind": Choice(
                {"a": {"x": Number(0.0, 1.0)}, "b": {"n": Number(1, 9, whole=True), "c": Choice({"d": {}})}}
            ),
            "rate": Number(1e-3, 1.0, log=True),
            "step": Number(0.0, 1.0, step=0.25),
        }
    ),
    lambda p: p["rate"] + p["step"] + p.get("x", 0.5) + p.get("n", 3) / 9.0,
    0.0,
)


@pytest.mark.parametrize("task", [SMALL, TASKS["spring"], TASKS["pressure-vessel"]], ids=named)
@pytest.mark.parametrize("name", ["optuna-tpe", "optuna-tpe-multivariate", "smac"])
def test_a_peer_proposes_what_is_active_and_allowed(
    name: str, task: SpaceTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("smac" if name == "smac" else "optuna")
    monkeypatch.setattr("nonstop_bench.spaces.race.EVALUATIONS", 14)
    run, same = (race(task, name, 0, lambda: make(name, task.declared, 5)) for _ in range(2))
    other = race(task, name, 0, lambda: make(name, task.declared, 6))
    assert None not in run.values
    assert run.values == same.values
    assert run.values != other.values
    assert len(set(run.values)) > 14


def test_random_points_are_the_same_for_the_same_seed() -> None:
    task = TASKS["tube"]
    one, same, other = (Feasible(task.declared, seed).ask()[1] for seed in (0, 0, 1))
    assert one == same != other
    assert task.declared.allows(one)


RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def test_the_committed_table_is_of_the_committed_runs() -> None:
    lines = (RESULTS / "spaces-quality.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    runs = [replace(Run(**row), values=tuple(row["values"])) for row in rows]
    assert (RESULTS / "spaces-quality.md").read_text(encoding="utf-8") == page(runs)
    assert len({run.key for run in runs}) == len(runs)
    assert {run.contender for run in runs} <= set(NAMES)


def test_the_best_points_of_the_committed_runs_are_worth_what_is_said() -> None:
    for line in (RESULTS / "spaces-quality.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["task"] != "classifier":  # takes a while
            best = min(value for value in row["values"] if value is not None)
            assert TASKS[row["task"]].value(row["best"]) == pytest.approx(best, rel=1e-9)
