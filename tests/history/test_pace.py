"""How fast results come, and when the budget is complete, from made-up trials."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nonstop.history.pace import LATEST, Pace, Recent, pace_of, rate_in_words
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import about, iso, moment


def run(n: int, workers: int = 1, each: float = 60.0, begin: float = 0.0, first: int = 0) -> list[Trial]:
    """Results of workers that evaluate one after the other, in the order in which they came."""
    return [
        Trial(
            first + i,
            TrialState.COMPLETED,
            value=1.0,
            worker=f"w{i % workers}",
            asked_at=begin + each * (i // workers),
            started_at=begin + each * (i // workers),
            finished_at=begin + each * (i // workers + 1),
            seconds=each,
        )
        for i in range(n)
    ]


def busy(workers: int, since: float, first: int = 1000) -> list[Trial]:
    return [
        Trial(first + i, TrialState.RUNNING, worker=f"w{i}", asked_at=since, started_at=since) for i in range(workers)
    ]


def pace(trials: list[Trial], now: float, budget: int | None = 100) -> Pace:
    return pace_of([replace(trial, sequence=place) for place, trial in enumerate(trials)], budget, now)


def test_eight_workers_of_a_minute_each() -> None:
    found = pace(run(40, 8) + busy(8, 300.0), now=300.0)
    assert found.per_second == pytest.approx(8 / 60)
    assert found.left == pytest.approx(60 * 60 / 8)
    assert found.share == 0.4
    assert found.words() == ["8 results a minute", "about 8 min left"]


def test_the_night_is_left_out() -> None:
    night = run(10, 2) + run(10, 2, begin=50_000.0, first=10) + busy(2, 50_300.0)
    assert pace(night, now=50_300.0).per_second == pytest.approx(2 / 60)
    assert pace(night[:20], now=50_300.0).per_second == pytest.approx(2 / 60), "also when nothing runs"


def test_fewer_workers_than_before_take_longer() -> None:
    assert pace(run(40, 8) + busy(2, 300.0), now=300.0).left == pytest.approx(60 * 60 / 2)


def test_no_estimate_while_nothing_runs_or_little_is_known_or_nothing_is_left() -> None:
    assert pace(run(40, 8), now=300.0).left is None
    assert pace(run(40, 8), now=300.0).words() == ["8 results a minute"]
    assert pace(run(2) + busy(1, 120.0), now=120.0).left is None
    assert pace([], now=120.0) == Pace(0, 100, None, None, None)
    assert pace(run(40, 8) + busy(8, 300.0), now=300.0, budget=40).left is None
    assert pace(run(40, 8) + busy(8, 300.0), now=300.0, budget=None).left is None


def test_a_trial_that_takes_long_lowers_the_rate_while_it_runs() -> None:
    quick = [replace(trial, number=i + 1) for i, trial in enumerate(run(30, 1, each=1.0))]
    slow = busy(1, 0.0)
    found = pace(quick + slow + busy(1, 30.0, first=2000), now=30.0)
    assert found.per_second == pytest.approx(1.0), "two workers, of which one gives a result a second"


def test_workers_that_are_gone_give_no_estimate() -> None:
    trials = run(40, 8) + busy(8, 300.0)
    assert pace(trials, now=400.0).left is not None
    assert pace(trials, now=10_000.0).left is None


def test_a_trial_whose_worker_died_yesterday() -> None:
    dead = busy(1, 300.0, first=900)
    found = pace([*run(40, 8), *dead, *busy(7, 50_000.0)], now=50_010.0)
    assert found.per_second == pytest.approx(8 / 60, rel=0.15)


def test_a_result_that_waited_for_the_storage_over_night() -> None:
    kept = replace(run(1, first=40)[0], asked_at=300.0, started_at=300.0, finished_at=50_000.0)
    found = pace([*run(40, 8), kept, *busy(8, 50_000.0)], now=50_000.0)
    assert found.per_second == pytest.approx(8 / 60, rel=0.05)


def test_the_latest_results_count() -> None:
    trials = run(200, 1, each=1.0) + run(LATEST, 1, each=10.0, begin=200.0, first=200)
    end = 200.0 + 10.0 * LATEST
    assert pace(trials + busy(1, end), now=end, budget=1000).per_second == pytest.approx(0.1)


def test_failures_take_their_time_and_are_no_results() -> None:
    failed = [
        replace(t, state=TrialState.FAILED, value=None, number=500 + i) for i, t in enumerate(run(10, begin=600.0))
    ]
    found = pace(run(10) + failed + busy(1, 1200.0), now=1200.0)
    assert found.per_second == pytest.approx(1 / 120)


def test_what_was_added_or_handed_on_is_no_evaluation() -> None:
    added = [Trial(i, TrialState.COMPLETED, value=1.0, finished_at=5.0) for i in range(20)]
    assert pace(added, now=10.0).per_second is None
    handed_on = replace(busy(1, 0.0)[0], state=TrialState.WAITING, worker=None)
    recent = Recent([*busy(1, 0.0), handed_on, *run(10)])
    assert recent.pace(10, 20, 600.0).left is None


def test_words() -> None:
    rates = {40.0: "40 results a second", 0.0533: "3.2 results a minute", 5 / 3600: "5 results an hour"}
    for rate, words in {**rates, 2 / 86400: "2 results a day", 1234.0: "1,234 results a second"}.items():
        assert rate_in_words(rate) == words
    times = [0.3, 7.2, 43.0, 61.0, 724.0, 9000.0, 40_000.0, 260_000.0]
    assert [about(t) for t in times] == ["1 s", "7 s", "45 s", "60 s", "12 min", "2.5 h", "11 h", "3 days"]
    assert iso(1_700_000_000.25) == "2023-11-14T22:13:20.250Z"
    assert iso(None) is None
    assert moment(None) == "-"


def test_local_time_names_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "CET-1")
    time.tzset()
    try:
        assert moment(1_700_000_000.0) == "2023-11-14 23:13:20 CET"
    finally:
        monkeypatch.undo()
        time.tzset()
