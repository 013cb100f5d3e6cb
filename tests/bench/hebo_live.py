"""The real HEBO: `make test-peers-hebo`, which makes its environment. HEBO takes two seconds for a suggestion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

import nonstop
from nonstop.space.encoding import encode
from nonstop_bench.peers.registry import make
from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.task import BlackBox, Task
from nonstop_bench.simulate import Setup, simulate
from tests.bench.test_peers import MIXED, TASKS


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_hebo_runs(task: Task) -> None:
    """Suggestions on params of every kind, with failures among the results."""
    setup = Setup(task, q=2, seed=0, horizon=1e9, max_trials=6, failure_rate=0.2)
    made = simulate(replace(setup, optimizer=make("hebo", task.space, 0)))
    trials = made.study.trials
    assert len({str(trial.params) for trial in trials[-4:]}) > 2
    assert {trial.state for trial in trials} == {nonstop.TrialState.COMPLETED, nonstop.TrialState.FAILED}
    assert min(made.seconds[trial.number] for trial in trials[-4:]) > 0.05, "the time of its process counts"


@pytest.mark.parametrize("name", ["hebo", "hebo-batch"])
def test_hebo_is_deterministic(name: str) -> None:
    setup = Setup(BRANIN, q=2, seed=5, horizon=1e9, max_trials=4)
    runs = [simulate(replace(setup, optimizer=make(name, BRANIN.space, seed))).study.trials for seed in (5, 5, 6)]
    first, second, other = ([trial.params for trial in trials] for trials in runs)
    assert first == second
    assert first != other


def test_hebo_learns() -> None:
    """A bowl in a mixed space: what it suggests is nearer to the bottom than the initial points."""
    peak = np.full(9, 0.4)

    def bowl(params: Mapping[str, object]) -> float:
        point = encode(MIXED, MIXED.validate(params))
        return float(((point - peak[: len(point)]) ** 2).sum())

    task = BlackBox("bowl", MIXED, bowl, optimum=0.0)
    setup = Setup(task, q=4, seed=1, horizon=1e9, max_trials=28, optimizer=make("hebo-batch", MIXED, 1))
    made = simulate(setup)
    values = [made.exact[trial.number] for trial in made.study.trials]
    first = made.initial + 4
    assert np.median(values[-8:]) < np.median(values[:first])
