"""A case becomes a record: the columns against what the study says, one trial at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import nonstop
from nonstop.space.encoding import encode
from nonstop_bench.case import Case
from nonstop_bench.problems.catalogue import find
from nonstop_bench.records import COLUMNS, Record
from nonstop_bench.run import record_of, run, setup_of
from nonstop_bench.simulate import Simulated, simulate
from tests.helpers.trials import said

SMALL = Case("branin", q=3, seed=4, horizon=4.0)
INITIAL = 6  # three for each parameter of Branin


def both(case: Case) -> tuple[Simulated, Record]:
    """The simulation as run() starts it, and its record."""
    task = find(case.problem)
    simulated = simulate(setup_of(case, task))
    return simulated, record_of(case, task, simulated)


def differing(one: Record, other: Record) -> list[str]:
    return [
        name
        for name in COLUMNS
        if name != "seconds" and not np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
    ]


def points(simulated: Simulated) -> list[np.ndarray]:
    space = simulated.study.spec.space
    return [encode(space, trial.params or {}) for trial in simulated.study.trials]


def nearest(X: list[np.ndarray], i: int, others: list[int]) -> float:
    return min((float(np.sqrt(((X[i] - X[j]) ** 2).sum())) for j in others), default=np.nan)


def test_columns_are_those_of_the_study() -> None:
    simulated, record = both(SMALL)
    trials = simulated.study.trials
    assert (record.dim, record.initial, record.version) == (2, INITIAL, nonstop.__version__)
    assert record.optimum == find("branin").optimum
    assert all(len(getattr(record, name)) == len(trials) for name in COLUMNS)
    for trial in trials:
        i = trial.number
        assert record.started[i] == trial.started_at
        assert np.isnan(record.finished[i]) if trial.finished_at is None else record.finished[i] == trial.finished_at
        assert np.isnan(record.value[i]) if trial.value is None else record.value[i] == trial.value
        assert np.isnan(record.seconds[i]) == (i < INITIAL)
    assert not record.finished[:INITIAL].any()
    assert (record.finished[np.isfinite(record.finished)] <= SMALL.ends).all()
    assert np.isnan(record.finished).sum() == SMALL.q, "what runs when the time is up"


@pytest.mark.parametrize(
    "case",
    [
        SMALL,
        replace(SMALL, duration="constant"),
        replace(SMALL, mode="synchronous", horizon=8.0),
        replace(SMALL, q=1, horizon=10.0),
    ],
    ids=["half-normal", "ties", "synchronous", "sequential"],
)
def test_delta_is_the_distance_to_what_the_proposal_knew_to_be_busy(case: Case) -> None:
    simulated, record = both(case)
    X = points(simulated)
    assert np.isnan(record.delta[: INITIAL + 1]).all()
    for i in range(INITIAL + 1, INITIAL + case.q):  # the first points: all start at once
        assert record.delta[i] == pytest.approx(nearest(X, i, list(range(INITIAL, i))))
    modelled = [trial for trial in simulated.study.trials if said(trial).proposed]
    assert len(modelled) > 5
    for trial in modelled:
        busy = list(said(trial).busy)
        assert record.delta[trial.number] == pytest.approx(nearest(X, trial.number, busy), nan_ok=True)
    assert np.isfinite(record.delta[INITIAL + case.q :]).any() == (case.q > 1)


@pytest.mark.parametrize(("q", "window", "back"), [(3, None, 2), (1, 4, 3), (1, None, 0)])
def test_recent_looks_back_as_far_as_the_case_says(q: int, window: int | None, back: int) -> None:
    case = replace(SMALL, q=q, window=window, rule="random", horizon=12.0)
    simulated, record = both(case)
    X = points(simulated)
    for i in range(len(X)):
        before = [j for j in range(i - back, i) if j >= INITIAL] if i >= INITIAL else []
        assert record.recent[i] == pytest.approx(nearest(X, i, before), nan_ok=True)


def test_lengthscales_and_their_change() -> None:
    simulated, record = both(SMALL)
    fits = [said(trial).hyperparameters for trial in simulated.study.trials]
    recorded = [None if fit is None else fit.lengthscales for fit in fits]
    assert sum(scales is not None for scales in recorded) > 5
    for i, scales in enumerate(recorded):
        before = recorded[i - 1] if i else None
        if scales is None:
            assert np.isnan(record.lengthscale[i])
            assert np.isnan(record.change[i])
            continue
        assert record.lengthscale[i] == pytest.approx(sum(scales) / 2)
        if before is not None:
            assert record.change[i] == pytest.approx(sum(abs(a - b) for a, b in zip(scales, before, strict=True)) / 2)
        else:
            assert np.isnan(record.change[i])


def test_a_rule_without_a_model_has_no_lengthscales() -> None:
    record = run(replace(SMALL, rule="random"))
    assert np.isnan(record.lengthscale).all()
    assert np.isnan(record.change).all()
    assert np.isfinite(record.delta[INITIAL + 1 :]).all()


def test_a_run_repeats_itself_and_depends_on_its_seed() -> None:
    noisy = replace(SMALL, noise=0.5, failure_rate=0.2)
    assert differing(run(noisy), run(noisy)) == []
    assert set(differing(run(noisy), run(replace(noisy, seed=5)))) >= {"value", "observed", "finished", "delta"}
    simulated, record = both(noisy)
    assert simulated.study.spec.seed == noisy.seed
    assert differing(record, run(noisy)) == [], "run() hands the whole case on"


def test_rules_share_initial_data_noise_failures_and_durations() -> None:
    one, other = (run(replace(SMALL, rule=rule, noise=1.0, failure_rate=0.2)) for rule in ("ucb", "random"))
    first = slice(None, INITIAL + SMALL.q)
    for name in ("value", "observed", "started"):
        assert np.array_equal(getattr(one, name)[first], getattr(other, name)[first], equal_nan=True)
    common = slice(None, min(len(one.value), len(other.value)))
    lasted, others = ((record.finished - record.started)[common] for record in (one, other))
    assert lasted[np.isfinite(lasted + others)] == pytest.approx(others[np.isfinite(lasted + others)])
    ended = np.isfinite(one.finished[common] + other.finished[common])
    assert np.array_equal(np.isnan(one.value[common])[ended], np.isnan(other.value[common])[ended])
    known = np.isfinite(one.value[common] + other.value[common])
    assert (one.observed - one.value)[common][known] == pytest.approx((other.observed - other.value)[common][known])
    assert not np.array_equal(one.value[common], other.value[common], equal_nan=True)


def test_noise_is_in_what_was_observed_and_not_in_the_value() -> None:
    simulated, record = both(replace(SMALL, noise=2.0, rule="random", horizon=60.0))
    task = find("branin")
    for trial in simulated.study.trials:
        if trial.value is not None:
            assert record.value[trial.number] == task.objective(trial.params or {})
            assert record.observed[trial.number] == trial.value
    noise = (record.observed - record.value)[np.isfinite(record.value)]
    assert len(noise) > 150
    assert noise.std() == pytest.approx(2.0, rel=0.2)
    assert abs(noise.mean()) < 0.6
    assert np.array_equal(run(SMALL).value, run(SMALL).observed, equal_nan=True)


def test_failures_finish_without_a_value() -> None:
    simulated, record = both(replace(SMALL, failure_rate=0.4, rule="random", horizon=20.0))
    failed = np.array([trial.state == "failed" for trial in simulated.study.trials])
    assert 10 < failed.sum() < len(failed) - 10
    assert np.isfinite(record.finished[failed]).all()
    assert np.array_equal(np.isnan(record.value), failed | np.isnan(record.finished))
    assert np.array_equal(np.isnan(record.observed), np.isnan(record.value))


def test_a_run_may_be_counted_in_evaluations() -> None:
    record = run(replace(SMALL, rule="random", horizon=None, evaluations=10))
    assert np.isfinite(record.finished).sum() == INITIAL + 10 == len(record.finished)


def test_no_batch_starts_after_the_end() -> None:
    case = replace(SMALL, rule="random", mode="synchronous")
    record = run(case)
    assert np.isnan(record.finished).any(), "the last batch is cut short"
    assert record.started.max() <= case.ends


def test_a_peer_takes_the_place_of_the_rule_after_the_first_points() -> None:
    ours, peer = run(replace(SMALL, rule="random")), run(replace(SMALL, rule="random", optimizer="random"))
    first = slice(None, INITIAL + SMALL.q)
    assert np.array_equal(ours.value[first], peer.value[first])
    assert ours.value[INITIAL + SMALL.q] != peer.value[INITIAL + SMALL.q]
    assert np.isfinite(peer.seconds[INITIAL:]).all()


def test_a_run_does_not_depend_on_the_number_of_threads() -> None:
    """The values of the emulator are solutions of a linear system, whose last digits do."""
    case = Case("proteus-emulated", rule="random", q=2, horizon=3.0)
    records = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            records.append(run(case))
    assert differing(*records) == []
