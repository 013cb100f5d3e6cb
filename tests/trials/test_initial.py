"""The initial design and the budget: how many trials are quasi-random before the model proposes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import nonstop
from nonstop.trials.replay import replay
from nonstop.trials.spec import Spec
from tests.helpers.trials import said

NINE = nonstop.Space({f"x{i}": nonstop.Float(0.0, 1.0) for i in range(9)})


def total(params: Mapping[str, object]) -> float:
    return sum(float(str(value)) for value in params.values())


def quasi_random(study: nonstop.Study) -> list[int]:
    return [trial.number for trial in study.trials if not said(trial).proposed]


@pytest.mark.parametrize(
    ("initial", "budget", "count"),
    [(None, None, 27), (None, 1000, 27), (None, 108, 27), (None, 107, 26), (None, 40, 10), (None, 20, 5), (None, 7, 1),
     (None, 3, 0), (None, 0, 0), (12, 20, 12), (0, 20, 0), (12, None, 12)],
)  # fmt: skip
def test_at_most_a_quarter_of_the_budget_unless_the_study_says_how_many(
    initial: int | None, budget: int | None, count: int
) -> None:
    assert Spec(NINE, initial=initial).initial_within(budget) == count


@pytest.mark.parametrize(("initial", "count"), [(None, 3), (7, 7)])
def test_a_run_keeps_to_it(initial: int | None, count: int) -> None:
    study = nonstop.create_study(space=NINE, initial=initial, rule="ucb")
    study.optimize(total, n_trials=12)
    assert quasi_random(study) == list(range(count))
    assert replay(study.spec, study.trials).identical


def test_without_a_budget_there_are_three_for_each_parameter() -> None:
    study = nonstop.create_study(space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}), rule="ucb")
    for _ in range(5):
        trial = study.ask()
        study.tell(trial, total(trial.params or {}))
    assert quasi_random(study) == [0, 1, 2]


def test_who_asks_keeps_to_the_budget_that_is_stored() -> None:
    made = nonstop.create_study(space=NINE, name="kept", rule="ucb")
    made.storage.set_budget(made.id, 8)
    study = nonstop.load_study(made.storage, "kept")
    for _ in range(4):
        trial = study.ask()
        study.tell(trial, total(trial.params or {}))
    assert quasi_random(study) == [0, 1]


def test_a_trial_run_of_a_few_takes_nothing_from_the_design_of_a_long_one() -> None:
    study = nonstop.create_study(space=NINE, rule="ucb")
    study.optimize(total, n_trials=5)
    study.optimize(total, n_trials=32)
    assert quasi_random(study) == [0, 5, 6, 7]
    assert replay(study.spec, study.trials).identical


def test_a_study_that_goes_on_has_its_design_behind_it() -> None:
    study = nonstop.create_study(space=NINE, rule="ucb")
    study.optimize(total, n_trials=8)
    study.optimize(total, n_trials=20)
    assert quasi_random(study) == [0, 1]


def test_who_goes_on_with_a_study_and_says_how_many_gets_as_many() -> None:
    """Three for each parameter is what the study was made with, and now it is said: no budget makes it fewer."""
    storage = nonstop.create_study(space=NINE, name="kept").storage
    study = nonstop.create_study(storage, "kept", space=NINE, rule=None, initial=27, load_if_exists=True)
    study.optimize(total, n_trials=28)
    assert quasi_random(study) == list(range(27))
