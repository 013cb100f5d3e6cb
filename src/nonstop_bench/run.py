"""From a case to a record: find the task, run the simulator, and read the columns from the study."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

import nonstop
from nonstop.numerics.threads import limit_threads
from nonstop.space.encoding import encode
from nonstop_bench.case import OURS, Case
from nonstop_bench.origin import origin
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.task import Task
from nonstop_bench.records import Array, Record
from nonstop_bench.settings import rule_in, settings_of, starts_warm, surrogate_in
from nonstop_bench.simulate import Optimizer, Setup, Simulated, simulate


def run(case: Case) -> Record:
    """Run a case. Deterministic except for `seconds`, and for everything if the overhead is measured. Values of a task
    may depend on the number of BLAS threads in their last digits, and so everything after them: it is one."""
    made = origin()  # before the run: while it runs, the files may change
    started = time.process_time()
    with limit_threads(1):
        task = find(case.problem, case.seed)
        record = record_of(case, task, simulate(setup_of(case, task)))
    return replace(
        record,
        commit=made.commit,
        clean=made.clean,
        versions=made.versions,
        settings=settings_of(case),
        took=round(time.process_time() - started, 2),
    )


def setup_of(case: Case, task: Task) -> Setup:
    """The case as the simulator needs it."""
    return Setup(
        task,
        rule=rule_in(case),
        q=case.q,
        seed=case.seed,
        horizon=case.ends,
        max_trials=case.evaluations,
        mode=case.mode,
        duration=case.duration,
        overhead=case.overhead,
        failure_rate=case.failure_rate,
        noise=case.noise,
        surrogate=surrogate_in(case),
        optimizer=_peer(case, task),
        guard=case.guard,
        warm=starts_warm(case),
    )


def _peer(case: Case, task: Task) -> Optimizer | None:
    if case.optimizer == OURS:
        return None
    from nonstop_bench.peers.registry import make  # their packages are installed where they are needed

    return make(case.optimizer, task.space, case.seed)


def record_of(case: Case, task: Task, simulated: Simulated) -> Record:
    """The columns of the record, from the trials of the simulated study."""
    trials = sorted(simulated.study.trials, key=lambda trial: trial.number)
    X = np.array([encode(task.space, trial.params or {}) for trial in trials])
    initial = simulated.initial
    lengthscales = _lengthscales(trials)
    change = np.full(len(trials), np.nan)
    change[1:] = np.abs(np.diff(lengthscales, axis=0)).mean(axis=1)
    proposals = [simulated.proposals.get(trial.number) for trial in trials]
    return Record(
        case=case,
        dim=task.dim,
        optimum=task.optimum,
        initial=initial,
        version=nonstop.__version__,
        started=np.array([trial.started_at or 0.0 for trial in trials]),
        finished=np.array([np.nan if trial.finished_at is None else trial.finished_at for trial in trials]),
        value=np.array([simulated.exact.get(trial.number, np.nan) for trial in trials]),
        observed=np.array([np.nan if trial.value is None else trial.value for trial in trials]),
        seconds=np.array([simulated.seconds.get(trial.number, np.nan) for trial in trials]),
        delta=_to_busy(X, simulated.busy),
        recent=_to_recent(X, case.looks_back, initial),
        lengthscale=lengthscales.mean(axis=1),
        change=change,
        points=X,
        repeated=np.array([np.nan if it is None else it.repeated for it in proposals]),
        replaced=np.array([np.nan if it is None else it.replaced for it in proposals]),
        first_delta=np.array([_finite(np.nan if it is None else it.first_nearest_busy) for it in proposals]),
    )


def _finite(distance: float) -> float:
    return distance if np.isfinite(distance) else np.nan


def _lengthscales(trials: list[nonstop.Trial]) -> Array:
    """(n, d), NaN where a trial was chosen without a model."""
    fitted = [None if trial.diagnostics is None else trial.diagnostics.hyperparameters for trial in trials]
    dim = max((len(hyper.lengthscales) for hyper in fitted if hyper is not None), default=1)
    rows = [(np.nan,) * dim if hyper is None else hyper.lengthscales for hyper in fitted]
    return np.array(rows, dtype=np.float64)


def _to_busy(X: Array, busy: Mapping[int, Sequence[int]]) -> Array:
    """Distance from each query to the nearest one that was running when it was chosen."""
    distances = np.full(len(X), np.nan)
    for i, running in busy.items():
        if running:
            distances[i] = np.linalg.norm(X[list(running)] - X[i], axis=1).min()
    return distances


def _to_recent(X: Array, count: int, initial: int) -> Array:
    """Distance from each query to the nearest of the `count` before it."""
    distances = np.full(len(X), np.nan)
    for i in range(initial + 1, len(X)):
        recent = X[max(initial, i - count) : i]
        if len(recent):
            distances[i] = np.linalg.norm(recent - X[i], axis=1).min()
    return distances
