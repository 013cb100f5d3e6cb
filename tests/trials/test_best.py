"""Which trial is the best, or which trials are: against brute force, all at once and one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonstop.errors import StudyError
from nonstop.outcomes.goals import Goals
from nonstop.trials.best import best_of, front_of, rank, result_text, violated_by
from nonstop.trials.trial import Trial, TrialState
from tests.helpers.goals import MAXIMIZE, MINIMIZE

#: Few different numbers: ties in one, in all, and bounds that are met exactly.
FEW = st.sampled_from([0.0, 1.0, 2.0, 3.0])
TWO = Goals.of("minimize", {"a": "minimize", "b": "maximize"})
THREE = Goals.of("minimize", {"a": "minimize", "b": "maximize", "c": "minimize"}, {"d": "<= 1", "e": ">= 1"})
ONE = Goals.of("minimize", {"a": "maximize"}, {"d": "<= 1"})
GOALS = st.sampled_from([TWO, THREE, ONE])


def trials_of(goals: Goals, rows: Sequence[Sequence[float]]) -> list[Trial]:
    many = [dict(zip(goals.names, row, strict=False)) for row in rows]
    return [
        Trial(number, TrialState.COMPLETED, {}, goals.value_of(outcomes), order=order, outcomes=outcomes)
        for number, (order, outcomes) in enumerate(enumerate(many, start=1))
    ]


def better(one: Trial, other: Trial, goals: Goals) -> bool:
    """By the definition, pair by pair."""
    first, second = goals.violation(one.outcomes), goals.violation(other.outcomes)
    if first > 0.0 or second > 0.0:
        return (first, one.order) < (second, other.order) if first != second or first > 0.0 else False
    signs = [1.0 if direction == "maximize" else -1.0 for direction in goals.objectives.values()]
    mine = [sign * one.outcomes[name] for sign, name in zip(signs, goals.objectives, strict=True)]
    theirs = [sign * other.outcomes[name] for sign, name in zip(signs, goals.objectives, strict=True)]
    if mine == theirs:
        return (one.order or 0) < (other.order or 0)
    return all(left >= right for left, right in zip(mine, theirs, strict=True))


def numbers(trials: Sequence[Trial]) -> list[int]:
    return [trial.number for trial in trials]


@given(GOALS, st.lists(st.lists(FEW, min_size=5, max_size=5), max_size=12), st.integers(0, 12))
def test_the_front_is_what_no_other_is_better_than(goals: Goals, rows: list[list[float]], cut: int) -> None:
    trials = trials_of(goals, rows)
    expected = [trial for trial in trials if not any(better(other, trial, goals) for other in trials)]
    assert numbers(front_of(trials, goals)) == numbers(expected)
    assert numbers(front_of(reversed(trials), goals)) == numbers(expected)
    at_once = front_of(trials[cut:], goals, front_of(trials[:cut], goals))
    assert numbers(at_once) == numbers(expected)
    one_by_one: list[Trial] = []
    for trial in trials:
        one_by_one = front_of([trial], goals, one_by_one)
    assert numbers(one_by_one) == numbers(expected)


@given(st.lists(st.tuples(FEW, FEW), max_size=8))
def test_of_one_objective_a_single_one(rows: list[tuple[float, float]]) -> None:
    trials = trials_of(ONE, rows)
    front = front_of(trials, ONE)
    assert len(front) == min(len(trials), 1)
    assert front == [trial for trial in [best_of(trials, ONE)] if trial is not None]
    assert sorted(trials, key=lambda trial: rank(trial, ONE), reverse=True)[:1] == front


@pytest.mark.parametrize(("goals", "expected"), [(MINIMIZE, 1), (MAXIMIZE, 2)])
def test_of_plain_values_the_first_of_the_best(goals: Goals, expected: int) -> None:
    values = [2.0, 1.0, 3.0, 1.0, 3.0]
    trials = [Trial(number, TrialState.COMPLETED, {}, value, order=number + 1) for number, value in enumerate(values)]
    found = best_of(trials, goals)
    assert found is not None
    assert found.number == expected
    assert numbers(front_of(reversed(trials), goals)) == [expected]


def test_only_completed_trials_count() -> None:
    states = [state for state in TrialState if state is not TrialState.COMPLETED]
    trials = [Trial(number, state, {}) for number, state in enumerate(states)]
    for goals in (MINIMIZE, ONE, TWO, THREE):
        assert front_of(trials, goals) == []
    assert best_of(trials, MINIMIZE) is None


def test_before_anything_is_feasible_the_least_violating_whatever_its_objectives() -> None:
    rows = [(0.0, 3.0, 0.0, 9.0, 1.0), (3.0, 0.0, 3.0, 1.5, 1.0), (0.0, 3.0, 0.0, 1.0, -9.0)]
    trials = trials_of(THREE, rows)
    assert numbers(front_of(trials, THREE)) == [1]
    assert violated_by(trials[1], THREE) == ("d",)
    feasible = trials_of(THREE, [*rows, (9.0, -9.0, 9.0, 1.0, 1.0)])
    assert numbers(front_of(feasible, THREE)) == [3]
    assert violated_by(feasible[3], THREE) == ()


def test_a_known_infeasible_front_gives_way() -> None:
    first, second, third = trials_of(ONE, [(3.0, 2.0), (1.0, 1.0), (2.0, 3.0)])
    front: list[Trial] = []
    for trial, expected in itertools.zip_longest((first, second, third), ([0], [1], [1])):
        front = front_of([trial], ONE, front)
        assert numbers(front) == expected


def test_there_is_no_single_best_of_several() -> None:
    with pytest.raises(StudyError, match="several objectives"):
        best_of(trials_of(TWO, [(0.0, 0.0)]), TWO)


def test_results_in_words() -> None:
    (trial,) = trials_of(TWO, [(0.1234567, 3.0)])
    assert result_text(trial) == "a=0.123457, b=3"
    assert result_text(Trial(0, TrialState.COMPLETED, {}, 0.5)) == "0.5"
