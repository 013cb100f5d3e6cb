"""Records from trials: traces, timelines, distances, lengthscales, coordinates."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop import history
from nonstop.acquisition.schedule import theoretical_beta
from nonstop.history.scale import Scale, evenly, grid
from nonstop.space.encoding import encode
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from tests.helpers.studies import MIXED, ONE, THIRTY, study
from tests.helpers.trials import modelled

XY = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})


def trial(number: int, state: TrialState = TrialState.COMPLETED, **more: Any) -> Trial:
    return Trial(number, state, **{"params": {"x": 0.5, "y": 0.5}, **more})


def test_the_trace_follows_the_order_of_results() -> None:
    trials = [
        trial(0, value=3.0, order=2, asked_at=100.0, finished_at=110.0),
        trial(1, value=5.0, order=1, asked_at=100.0, finished_at=105.0),
        trial(2, TrialState.FAILED, asked_at=101.0, finished_at=107.0, reason="no"),
        trial(3, value=4.0, order=3, asked_at=105.0, finished_at=112.0),
        trial(4, TrialState.RUNNING, asked_at=112.0),
    ]
    record = history.trace(Spec(XY), trials)
    assert [t.number for t in record.completed] == [1, 0, 3]
    assert record.values.tolist() == [5.0, 3.0, 4.0]
    assert record.best.tolist() == [5.0, 3.0, 3.0]
    assert record.seconds.tolist() == [5.0, 10.0, 12.0]
    assert record.steps == [0, 1]
    assert (record.failed_after.tolist(), record.failed_seconds.tolist()) == ([1], [7.0])
    assert history.trace(Spec(XY, "maximize"), trials).best.tolist() == [5.0, 5.0, 5.0]


def test_results_without_times_have_a_place_in_the_trace() -> None:
    record = history.trace(Spec(XY), [trial(0, value=1.0, order=1), trial(1, TrialState.FAILED)])
    assert math.isnan(record.seconds[0])
    assert record.began is None
    assert record.failed_after.tolist() == [1]


def test_the_timeline_has_no_gaps() -> None:
    said = Diagnostics("model", seconds=0.5)
    trials = [
        trial(0, worker="b", value=1.0, order=1, asked_at=10.0, started_at=11.0, finished_at=14.0, diagnostics=said),
        trial(1, TrialState.FAILED, worker="b", asked_at=16.0, started_at=16.0, finished_at=17.0, attempt=2),
        trial(2, worker="a", value=1.0, order=2, asked_at=12.0, started_at=12.0, finished_at=18.0),
        trial(3, TrialState.RUNNING, worker="b", asked_at=17.0, started_at=17.5),
        trial(4, TrialState.PROPOSING, worker="a", asked_at=18.0, params=None),
        trial(5, TrialState.WAITING, attempt=2, asked_at=11.0, started_at=12.0),
    ]
    record = history.timeline(Spec(XY), trials, now=20.0)
    assert [lane.worker for lane in record.lanes] == ["a", "b"]
    a, b = ([(s.kind, s.start, s.end) for s in lane.segments] for lane in record.lanes)
    assert a == [("completed", 2.0, 8.0), ("proposing", 8.0, 10.0)]
    assert b == [
        ("proposing", 0.0, 0.5),
        ("storing", 0.5, 1.0),
        ("completed", 1.0, 4.0),
        ("idle", 4.0, 6.0),
        ("failed", 6.0, 7.0),
        ("storing", 7.0, 7.5),
        ("running", 7.5, 10.0),
    ]
    assert [s.taken_over for s in record.lanes[1].segments].count(True) == 1
    assert [t.number for t in record.lost] == [1, 5]
    assert (record.began, record.end) == (10.0, 10.0)
    assert [lane.usage for lane in record.lanes] == history.utilisation(trials)


def test_the_night_between_two_runs_is_not_idle() -> None:
    first = trial(0, worker="a", value=1.0, order=1, asked_at=10.0, started_at=10.0, finished_at=20.0)
    second = replace(first, number=1, order=2, asked_at=9000.0, started_at=9000.0, finished_at=9010.0)
    (lane,) = history.timeline(Spec(XY), [first, second]).lanes
    assert [s.kind for s in lane.segments] == ["completed", "completed"]


def test_those_who_ask_without_a_name_share_lanes() -> None:
    times = [(0.0, 4.0), (1.0, 2.0), (2.0, 3.0), (4.0, 5.0)]
    trials = [
        trial(i, value=1.0, order=i + 1, worker="", asked_at=100 + a, started_at=100 + a, finished_at=100 + b)
        for i, (a, b) in enumerate(times)
    ]
    lanes = history.timeline(Spec(XY), trials).lanes
    assert [[s.trial.number for s in lane.segments if s.trial] for lane in lanes] == [[0, 3], [1, 2]]
    assert all(lane.usage is None for lane in lanes)


def test_distances_to_earlier_and_busy_points() -> None:
    points = [(0.0, 0.0), (0.3, 0.4), (0.3, 0.4 + 1e-9), (1.0, 1.0)]
    busy = [None, modelled(1.0, nearest_busy=0.25), modelled(1.0), None]
    trials = [
        trial(i, value=1.0, order=i + 1, version=i, params={"x": x, "y": y}, diagnostics=said,
              started_at=100.0 + i, finished_at=101.5 + i)
        for i, ((x, y), said) in enumerate(zip(points, busy, strict=True))
    ]  # fmt: skip
    outside = trial(4, value=1.0, order=5, version=-1, params={"x": 1.0, "y": 0.9})
    late = trial(5, value=1.0, order=6, version=5, params={"x": 1.0, "y": 0.95})
    record = history.distances(Spec(XY), [*trials, outside, late])
    assert [t.number for t in record.trials] == [0, 1, 2, 3, 5]
    assert math.isnan(record.to_earlier[0])
    assert record.to_earlier[1:] == pytest.approx([0.5, 1e-9, math.hypot(0.7, 0.6 - 1e-9), 0.05], rel=1e-6)
    # The first had none; the second and third recorded theirs; the fourth was started while the third ran.
    assert record.to_busy == pytest.approx([math.nan, 0.25, math.nan, math.hypot(0.7, 0.6), math.nan], nan_ok=True)
    assert record.threshold == pytest.approx(1e-3 * math.sqrt(2))
    assert record.duplicates == 1


def test_thinned_distances_are_those_of_brute_force() -> None:
    spec, trials = study(MIXED, 300)
    record = history.distances(spec, trials, most=40)
    assert (len(record.trials), record.of) == (40, 300)
    X = [encode(spec.space, t.params or {}) for t in trials]
    for t, found in zip(record.trials[1:], record.to_earlier[1:], strict=True):
        assert found == pytest.approx(min(math.dist(X[t.number], x) for x in X[: t.number]))


def test_exploration_is_the_share_of_sd() -> None:
    said = modelled(1.0, 1.0, sd=0.5, mean=1.0)
    others = [replace(said, mean=-3.0), Diagnostics("random", sd=1.0, mean=0.0), replace(said, sd=0.0)]
    trials = [trial(i, value=1.0, order=i + 1, diagnostics=d) for i, d in enumerate([said, *others])]
    part = math.sqrt(2.0) * 0.5
    expected = [part / (part + 1.0), 1.0, math.nan, 0.0]
    assert history.distances(Spec(XY), trials).exploration == pytest.approx(expected, nan_ok=True)
    record = history.distances(Spec(XY, rule=nonstop.UCB(beta=4.0)), trials)
    assert record.exploration[0] == pytest.approx(0.5)


def test_the_weight_of_exploration_is_that_of_the_time() -> None:
    """A scheduled rule weighs sd by the number of results that each query saw."""
    said = modelled(1.0, 1.0, sd=0.5, mean=1.0)
    trials = [trial(i, value=1.0, order=i + 1, version=i, diagnostics=said) for i in range(5)]
    record = history.distances(Spec(XY, rule=nonstop.UCB(nonstop.Schedule())), trials)
    expected = [math.sqrt(theoretical_beta(version + 1, 2)) for version in range(5)]
    assert record.weights == pytest.approx(expected)
    assert record.exploration == pytest.approx([w * 0.5 / (w * 0.5 + 1.0) for w in expected])
    for rule in ("kb-logei", "logei", "random"):
        assert history.distances(Spec(XY, rule=rule), trials).weights == pytest.approx([math.sqrt(2.0)] * 5)


def test_lengthscales_as_in_the_paper() -> None:
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "c": nonstop.Categorical(["a", "b"])})
    rows = [[1.0, 2.0, 2.0], [0.5, 1.0, 3.0]]
    trials = [
        Trial(i, TrialState.RUNNING, version=i + 4, diagnostics=modelled(*scales)) for i, scales in enumerate(rows)
    ]
    broken = Trial(2, TrialState.RUNNING, diagnostics=modelled(1.0))
    record = history.lengthscales(Spec(space), [*reversed(trials), broken])
    assert record.names == ("x", "c")
    assert record.results.tolist() == [4, 5]
    assert record.mean == pytest.approx(np.mean(rows, axis=1))
    assert record.change == pytest.approx([math.nan, (0.5 + 1.0 + 1.0) / 3.0], nan_ok=True)
    both = 1.0 / math.sqrt((1.0 + 1.0 / 9.0) / 2.0)
    assert record.lengthscales == pytest.approx(np.array([[1.0, 2.0], [0.5, both]]))
    assert record.relevance == pytest.approx(np.array([2.0, 1.0 / both]) / (2.0 + 1.0 / both))


def test_parallel_draws_good_lines_last_and_never_drops_the_best() -> None:
    spec, trials = study(MIXED, 500)
    record = history.parallel(spec, trials, most=50)
    assert record.of == 500
    assert record.values.tolist() == sorted(record.values.tolist(), reverse=True)
    assert record.values[-1] == min(t.value for t in trials if t.value is not None)
    best = trials[record.numbers[-1]].params
    assert best is not None
    assert record.places[-1].tolist() == [best["lr"], best["depth"], ["l1", "l2", "huber"].index(str(best["loss"])),
                                          best["width"]]  # fmt: skip


def test_scales_place_every_kind_of_value() -> None:
    lr, depth, loss, width = (Scale.of(name, parameter) for name, parameter in MIXED.items())
    assert [scale.kind for scale in (lr, depth, loss, width)] == ["log", "linear", "choices", "log"]
    assert (loss.low, loss.high, loss.labels) == (0.0, 2.0, ("l1", "l2", "huber"))
    odd = Scale.of("odd", nonstop.Categorical([None, 2, "2"]))
    assert [odd.place(value) for value in (None, 2, "2")] == [0.0, 1.0, 2.0]


def test_a_grid_goes_from_end_to_end() -> None:
    for name, parameter in MIXED.items():
        places, columns = grid(Scale.of(name, parameter), parameter, 61)
        scale = Scale.of(name, parameter)
        assert places[0] == pytest.approx(scale.low)
        assert places[-1] == pytest.approx(scale.high)
        assert (np.diff(places) > 0.0).all()
        assert len(columns) == len(places)
    places, columns = grid(Scale.of("loss", MIXED["loss"]), MIXED["loss"], 61)
    assert columns.tolist() == np.eye(3).tolist()


def test_a_listing_has_all_trials_or_the_best_and_the_latest() -> None:
    spec, trials = study(MIXED, 1000)
    assert history.listing(spec, trials) == history.Listing(tuple(trials), 0, 1000)
    spec, trials = study(MIXED, 1600)
    record = history.listing(spec, trials[::-1])
    numbers = [trial.number for trial in record.trials]
    assert (record.of, record.best) == (1600, 100)
    assert numbers == sorted(set(numbers))
    assert 900 <= len(numbers) <= 1000
    assert set(range(700, 1600)) <= set(numbers)
    best = sorted((t for t in trials if t.value is not None), key=lambda t: t.value or 0.0)[:100]
    assert {t.number for t in best} <= set(numbers)
    assert len(history.listing(*study(THIRTY, 300)).trials) <= 170


def test_the_trace_shows_progress_and_not_the_worst() -> None:
    values = [3e4, 5.0, 1e5, *(1.0 + 1.0 / n for n in range(1, 60)), 7e4]
    trials = [trial(i, value=value, order=i + 1) for i, value in enumerate(values)]
    seen = history.trace(Spec(XY), trials).window
    assert seen is not None
    assert (seen.kind, seen.low) == ("linear", 1.0 + 1.0 / 59)
    assert seen.high == 2.0  # the best after three results
    assert seen.beyond(np.array(values)) == history.Beyond(4, 1e5)
    assert history.trace(Spec(XY), []).window is None


def test_evenly() -> None:
    assert evenly(3, 5) == [0, 1, 2]
    assert evenly(0, 5) == []
    assert evenly(101, 5, keep=[7]) == [0, 7, 25, 50, 75, 100]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_records_of_few_trials(n: int) -> None:
    spec, trials = study(ONE, n)
    assert len(history.trace(spec, trials).values) == n
    assert len(history.timeline(spec, trials).lanes) == n
    assert len(history.distances(spec, trials).trials) == n
    assert len(history.parallel(spec, trials).values) == n
    assert len(history.lengthscales(spec, trials).numbers) == 0
