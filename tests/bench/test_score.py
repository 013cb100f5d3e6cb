"""What runs are judged by, on records made by hand and against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nonstop_bench import score
from nonstop_bench.case import Case
from nonstop_bench.simulate import Overhead
from tests.bench.made import NAN, ends_at, record


def test_the_regret_is_that_of_the_best_known_value() -> None:
    run = record(optimum=1.0, finished=[0.0, 3.0, 1.0, 2.0, NAN], value=[9.0, 2.0, 5.0, 7.0, NAN])
    times = [-1.0, 0.0, 0.99, 1.0, 2.5, 3.0, math.inf]
    assert score.regret_curve(run, times).tolist() == [math.inf, 8.0, 8.0, 4.0, 4.0, 1.0, 1.0]
    assert score.log_regret_at(run, 2.0) == pytest.approx(math.log(4.0))
    assert [score.regret_after(run, n) for n in range(4)] == [8.0, 4.0, 4.0, 1.0]
    assert score.evaluations(run) == 3
    with pytest.raises(ValueError, match="the run has 3 evaluations, fewer than 4"):
        score.regret_after(run, 4)


def test_of_those_that_finish_together_the_first_started_counts_first() -> None:
    run = record(finished=[0.0, 1.0, 1.0, 1.0], value=[9.0, 5.0, 3.0, 4.0])
    assert [score.regret_after(run, n) for n in range(4)] == [9.0, 5.0, 3.0, 3.0]
    assert score.regret_curve(run, [0.5, 1.0]).tolist() == [9.0, 3.0]


def test_failed_trials_take_their_time_and_bring_nothing() -> None:
    run = record(finished=[0.0, 1.0, 2.0, 3.0], value=[5.0, NAN, 4.0, NAN])
    assert [score.regret_after(run, n) for n in range(4)] == [5.0, 5.0, 4.0, 4.0]
    assert score.evaluations(run) == 3
    nothing = record(initial=2, finished=[0.0, 0.0, 1.0], value=[NAN, NAN, 3.0])
    assert score.regret_curve(nothing, [0.0, 1.0]).tolist() == [math.inf, 3.0]
    assert [score.regret_after(nothing, n) for n in (0, 1)] == [math.inf, 3.0]


def test_noise_chooses_the_incumbent_and_is_not_in_its_regret() -> None:
    run = record(finished=[0.0, 1.0, 2.0, 3.0], value=[5.0, 6.0, 1.0, 0.5], observed=[5.0, 2.0, 3.0, 1.0])
    assert score.regret_curve(run, [0.0, 1.0, 2.0, 3.0]).tolist() == [5.0, 6.0, 6.0, 0.5]
    tied = record(finished=[0.0, 1.0], value=[5.0, 6.0], observed=[2.0, 2.0])
    assert score.regret_after(tied, 1) == 5.0, "as good is not better"


def test_the_regret_has_a_floor() -> None:
    run = record(optimum=1.0, finished=[0.0, 1.0], value=[1.0, 1.0 - 1e-12])
    assert score.regret_curve(run, [0.0, 1.0]).tolist() == [score.FLOOR, score.FLOOR]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3) | st.none()), min_size=1, max_size=12))
def test_the_curve_is_the_minimum_over_what_was_finished(trials: list[tuple[int, int | None]]) -> None:
    values = [NAN if value is None else float(value) for _, value in trials]
    run = record(initial=0, optimum=-4.0, finished=[float(time) for time, _ in trials], value=values)
    for time in range(6):
        known = [value + 4 for finished, value in trials if finished <= time and value is not None]
        assert score.regret_curve(run, [float(time)])[0] == min(known, default=math.inf)


def test_bands_are_quartiles_without_what_is_absent() -> None:
    band = score.band([np.array([1.0, NAN]), np.array([2.0, 7.0]), np.array([3.0, NAN])])
    assert (band.low.tolist(), band.median.tolist(), band.high.tolist()) == ([1.5, 7.0], [2.0, 7.0], [2.5, 7.0])


def test_groups_are_by_rule_or_peer_in_order_of_seed() -> None:
    runs = [
        ends_at(1.0, Case("branin", rule=rule, optimizer=peer, seed=seed))
        for seed in (2, 0, 1)
        for rule, peer in (("ucb", "nonstop"), ("random", "smac"))
    ]
    groups = score.by_label(runs)
    assert {label: [run.case.seed for run in group] for label, group in groups.items()} == {
        "ucb": [0, 1, 2],
        "smac": [0, 1, 2],
    }


def test_pairs_share_problem_and_seed() -> None:
    rows = [ends_at(1.0, Case(problem, seed=seed)) for problem, seed in (("branin", 0), ("branin", 1), ("ackley-2", 0))]
    columns = [ends_at(2.0, Case(p, rule="ts", seed=s)) for p, s in (("ackley-2", 0), ("branin", 1), ("branin", 7))]
    pairs = score.paired(rows, columns)
    assert [(a.case.problem, a.case.seed) for a, _ in pairs] == [("branin", 1), ("ackley-2", 0)]
    assert all((a.case.problem, a.case.seed) == (b.case.problem, b.case.seed) for a, b in pairs)
    assert {a.case.rule for a, _ in pairs} == {"ucb"}


def test_a_tie_is_half_a_win() -> None:
    assert score.win_rate([1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 2.0, 2.0]) == (1 + 0.5) / 4
    assert score.win_rate([1.0], [1.0]) == 0.5


@pytest.mark.parametrize(("rows", "columns"), [([1.0, 2.0, 3.0], [4.0, 5.0, 6.5]), ([1.0, 5.0], [2.0, 3.0, 4.0, 0.5])])
def test_the_u_test_is_the_share_of_orders_as_extreme(rows: list[float], columns: list[float]) -> None:
    """Under the hypothesis every way of dealing the numbers out to both sides is as likely."""

    def u(ours: tuple[float, ...], theirs: tuple[float, ...]) -> int:
        return sum(a > b for a in ours for b in theirs)

    together = (*rows, *columns)
    middle = len(rows) * len(columns) / 2
    dealt = []
    for chosen in itertools.combinations(range(len(together)), len(rows)):
        ours = tuple(together[i] for i in chosen)
        dealt.append(abs(u(ours, tuple(together[i] for i in range(len(together)) if i not in chosen)) - middle))
    extreme = abs(u(tuple(rows), tuple(columns)) - middle)
    assert score.mann_whitney(rows, columns) == pytest.approx(sum(d >= extreme for d in dealt) / len(dealt))


def test_the_u_test_of_twenty_runs_is_scipys_two_sided_one() -> None:
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=20), rng.normal(0.7, size=20)
    expected = stats.mannwhitneyu(rows, columns, alternative="two-sided", method="asymptotic").pvalue
    assert score.mann_whitney(rows, columns) == pytest.approx(expected, rel=0.1)
    assert score.mann_whitney(rows, columns) == score.mann_whitney(columns, rows)
    assert score.mann_whitney([1.0, 1.0], [1.0, 1.0]) == 1.0


def test_ranks_begin_with_the_lowest_and_ties_share_theirs() -> None:
    scores = np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 1.0]])
    assert score.mean_ranks(scores).tolist() == [(1 + 2.5) / 2, (2 + 2.5) / 2, (3 + 1) / 2]


def test_suggestions_are_timed_after_those_that_start_the_workers() -> None:
    run = record(finished=[0.0, 1.0, 1.0, 2.0, 3.0, NAN], seconds=[NAN, 9.0, 9.0, 1.0, 2.0, 6.0])
    assert score.suggestion_seconds(run) == 2.0
    assert math.isnan(score.suggestion_seconds(record(finished=[0.0, 1.0, 1.0], seconds=9.0)))


@pytest.mark.parametrize(
    ("overhead", "busy"),
    [
        (0.0, (4.0 - 0.0) + (10.0 - 0.0) + (10.0 - 5.0)),
        (1.0, (4.0 - 1.0) + (10.0 - 1.0) + (10.0 - 6.0)),
        (6.0, 0.0 + (10.0 - 6.0) + 0.0),
        ("measured", (4.0 - 0.5) + (10.0 - 0.25) + (10.0 - 5.5)),
    ],
)
def test_utilisation_counts_evaluating_only(overhead: Overhead, busy: float) -> None:
    """Of two workers in ten seconds: one evaluates until 4 and from 5 on, the other beyond the end."""
    run = record(
        Case("branin", q=2, horizon=10.0, overhead=overhead),
        started=[0.0, 0.0, 0.0, 5.0],
        finished=[0.0, 4.0, NAN, 12.0],
        seconds=[NAN, 0.5, 0.25, 0.5],
    )
    assert score.utilisation(run) == pytest.approx(busy / 20.0)


def test_without_a_horizon_the_run_ends_with_its_last_evaluation() -> None:
    case = Case("branin", q=2, horizon=None, evaluations=3)
    run = record(case, started=[0.0, 0.0, 0.0, 3.0], finished=[0.0, 3.0, 4.0, 8.0])
    assert score.utilisation(run) == pytest.approx((3.0 + 4.0 + 5.0) / 16.0)
