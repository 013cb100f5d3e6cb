"""Optimisers against each other: at equal evaluations, and at equal time."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop_bench import contest
from nonstop_bench.case import OURS, Case
from nonstop_bench.records import Record
from tests.bench.made import NAN, record


def run(problem: str, label: str, seed: int, value: list[float], pace: float = 1.0) -> Record:
    """Four evaluations of two workers after one initial point, in `pace` seconds each; ours is the rule ucb."""
    peer = OURS if label == "ucb" else label
    case = Case(problem, q=2, seed=seed, horizon=None, evaluations=4, overhead="measured", optimizer=peer)
    ends = [0.0, pace, pace, 2 * pace, 2 * pace]
    return record(case, finished=ends, value=[8.0, *value], seconds=[NAN, 9.0, 9.0, pace / 100, pace / 100])


#: A slow one that is better in the end on both tasks, and a quick one.
RUNS = [
    run("branin", "ucb", 0, [7.0, 6.0, 5.0, 4.0]),
    run("branin", "slow", 0, [7.0, 6.0, 5.0, 1.0], pace=1.5),
    run("ackley-2", "ucb", 0, [7.0, 6.0, 2.0, 3.0]),
    run("ackley-2", "slow", 0, [7.0, 3.0, 2.0, 0.1], pace=1.5),
]


def test_at_equal_evaluations_speed_is_nothing() -> None:
    assert [contest.at_equal_evaluations(each) for each in RUNS] == [4.0, 1.0, 2.0, 0.1]


def test_equal_time_is_that_of_an_optimiser_that_costs_nothing() -> None:
    """Four evaluations of one second by two workers: two seconds, at which the slow one has done one round."""
    assert [contest.at_equal_time(each) for each in RUNS] == [4.0, 6.0, 2.0, 3.0]


def test_scores_are_of_the_pairs_that_all_ran() -> None:
    more = [run("branin", "ucb", 7, [1.0] * 4), *RUNS]
    labels, keys, measured = contest.scores(more, contest.at_equal_evaluations)
    assert labels == ["slow", "ucb"]
    assert keys == [("ackley-2", 0), ("branin", 0)]
    assert np.array_equal(measured, [[0.1, 2.0], [1.0, 4.0]])
    with pytest.raises(ValueError, match="no task and seed was run by all of slow, ucb"):
        contest.scores([RUNS[0], RUNS[3]], contest.at_equal_evaluations)


def test_the_report() -> None:
    won = "pairs won by slow"
    assert contest.report(RUNS).splitlines() == [
        "4 evaluations after the initial ones, q = 2, 2 pairs of task and seed. Ranks from 1 (best) to 2.",
        "",
        f"|  | mean rank, equal evaluations | {won} | mean rank, equal time | {won} | suggestion, ms |",
        "| --- | --- | --- | --- | --- | --- |",
        "| slow | 1.00 | – | 2.00 | – | 15.0 |",
        "| ucb | 2.00 | 1.00 | 1.00 | 0.00 | 10.0 |",
        "",
        "Median log10 regret at equal evaluations:",
        "",
        "|  | ackley-2 | branin |",
        "| --- | --- | --- |",
        "| slow | -1.00 | 0.00 |",
        "| ucb | 0.30 | 0.60 |",
    ]
    assert contest.report(RUNS) == contest.report(RUNS[::-1]), "whatever the order in the files"
