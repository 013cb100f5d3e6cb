"""The virtual clock: real proposals in the order in which imagined workers finish."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from nonstop import TrialState
from nonstop_bench.case import Case
from nonstop_bench.durations import DURATIONS
from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.task import BlackBox
from nonstop_bench.records import Record
from nonstop_bench.run import record_of
from nonstop_bench.simulate import Setup, simulate
from tests.helpers.trials import said

INITIAL = 6  # three for each parameter of Branin


@pytest.mark.parametrize("name", DURATIONS)
def test_durations_are_positive_and_last_a_second_on_average(name: str) -> None:
    rng = np.random.default_rng(0)
    drawn = np.array([DURATIONS[name](rng, rng.random(2)) for _ in range(20_000)])
    assert (drawn > 0.0).all()
    assert drawn.mean() == pytest.approx(1.0, abs=0.05)


def test_a_run_is_deterministic_and_depends_on_its_seed() -> None:
    def trace(seed: int) -> list[object]:
        study = simulate(Setup(BRANIN, "ucb", q=3, seed=seed, horizon=4.0)).study
        return [(trial.params, trial.finished_at) for trial in study.trials]

    assert trace(1) == trace(1)
    assert trace(1) != trace(2)


def test_rules_share_initial_data_first_points_and_durations() -> None:
    runs = [simulate(Setup(BRANIN, rule, q=4, seed=3, horizon=5.0)).study for rule in ("ucb", "random")]
    one, other = (list(run.trials) for run in runs)
    for a, b in zip(one[: INITIAL + 4], other, strict=False):
        assert a.params == b.params
    lasted = [
        {t.number: (t.finished_at or 0.0) - (t.started_at or 0.0) for t in run if t.finished_at} for run in (one, other)
    ]
    common = lasted[0].keys() & lasted[1].keys()
    assert len(common) > INITIAL + 4
    assert all(lasted[0][number] == pytest.approx(lasted[1][number]) for number in common)


def test_workers_never_wait() -> None:
    study = simulate(Setup(BRANIN, "random", q=3, seed=0, horizon=10.0)).study
    for worker in ("w0", "w1", "w2"):
        lane = sorted((t for t in study.trials if t.worker == worker), key=lambda t: t.started_at or 0.0)
        assert len(lane) > 3
        for before, after in itertools.pairwise(lane):
            assert after.started_at == before.finished_at


def test_workers_that_finish_at_the_same_instant_see_each_other() -> None:
    """The second of them proposes from one result more, so that no two proposals have the same data."""
    study = simulate(Setup(BRANIN, "ucb", q=4, seed=0, horizon=3.5, duration="constant")).study
    proposed = [t.version for t in study.trials if said(t).rung == "model"]
    assert len(proposed) == 12
    assert len(set(proposed)) == len(proposed)
    points = np.array([list((t.params or {}).values()) for t in study.trials], dtype=float)
    apart = np.abs(points[:, None] - points[None]).max(axis=2) + np.eye(len(points))
    assert apart.min() > 1e-6


def test_a_barrier_makes_workers_wait_and_believe() -> None:
    study = simulate(Setup(BRANIN, "ucb", q=3, seed=0, horizon=8.0, mode="synchronous")).study
    batches: dict[float, list[int]] = {}
    for trial in study.trials[INITIAL:]:
        batches.setdefault(trial.started_at or 0.0, []).append(trial.number)
    assert {len(batch) for batch in batches.values()} == {3}
    last = study.trials[INITIAL + 5]
    assert said(last).believed == (INITIAL + 3, INITIAL + 4)


def test_one_worker_is_sequential() -> None:
    study = simulate(Setup(BRANIN, "ucb", q=1, seed=0, horizon=5.0)).study
    assert [t.version for t in study.trials[INITIAL:]] == list(range(INITIAL, len(study.trials)))


def test_a_run_from_scratch_has_no_initial_data() -> None:
    """The trials of the design are evaluated by the workers, and count."""
    run = simulate(Setup(BRANIN, "ucb", q=2, seed=0, horizon=math.inf, max_trials=9, initial=4))
    assert run.initial == 0
    assert [said(t).rung for t in run.study.trials] == ["quasi-random"] * 4 + ["model"] * 5
    assert [t.worker for t in run.study.trials][:2] == ["w0", "w1"]


class Center:
    """An optimizer that always asks for the same point."""

    def __init__(self) -> None:
        self.told = 0

    def ask(self, busy: Sequence[Mapping[str, object]]) -> Mapping[str, object]:  # noqa: ARG002
        return {"x1": 2.5, "x2": 7.5}

    def tell(self, params: Mapping[str, object], value: float | None) -> None:
        assert value == BRANIN.objective(params)
        self.told += 1


def test_another_optimizer_chooses_every_point_of_a_run_from_scratch() -> None:
    optimizer = Center()
    run = simulate(Setup(BRANIN, q=2, horizon=math.inf, max_trials=5, initial=0, optimizer=optimizer))
    assert [t.params for t in run.study.trials] == [{"x1": 2.5, "x2": 7.5}] * 5
    assert optimizer.told == 5


def test_overhead_delays_the_worker() -> None:
    free, slow = (simulate(Setup(BRANIN, "random", q=2, seed=0, horizon=10.0, overhead=o)).study for o in (0.0, 1.0))
    assert len(slow.trials) < len(free.trials)
    trial = slow.trials[INITIAL]
    assert (trial.finished_at or 0.0) > 1.0


def test_failures_are_injected_at_their_rate() -> None:
    study = simulate(Setup(BRANIN, "random", q=4, seed=0, horizon=100.0, failure_rate=0.3)).study
    finished = [t for t in study.trials if t.state.finished]
    share = sum(t.state is TrialState.FAILED for t in finished) / len(finished)
    assert share == pytest.approx(0.3, abs=0.08)


def test_an_objective_that_is_not_finite_fails() -> None:
    """A record of such a run, with its NaN, can be written and read."""

    def crashing(params: Mapping[str, object]) -> float:
        return math.nan if float(str(params["x1"])) > 2.5 else BRANIN.objective(params)

    assert "x1" in BRANIN.space
    task = BlackBox("crashing", BRANIN.space, crashing, BRANIN.optimum)
    run = simulate(Setup(task, "ucb", q=3, seed=0, horizon=math.inf, max_trials=12))
    failed = [trial for trial in run.study.trials if trial.state is TrialState.FAILED]
    assert failed
    assert {trial.number for trial in failed}.isdisjoint(run.exact)
    record = record_of(Case("branin", evaluations=12), task, run)
    assert np.isnan(Record.from_json(record.to_json()).value).sum() >= len(failed)


def test_the_budget_and_the_regret() -> None:
    run = simulate(Setup(BRANIN, "logei", q=4, seed=0, horizon=1e9, max_trials=30))
    assert len(run.study.trials) == INITIAL + 30
    assert BRANIN.regret(min(run.exact.values())) < 0.3
