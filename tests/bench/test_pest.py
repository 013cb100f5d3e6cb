"""Pest control against a plain simulation of its definition, station by station and simulation by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop.space.encoding import cube_of, decode, encode
from nonstop_bench.problems import pest
from nonstop_bench.problems.pest import Choices, pest_control, pest_control_categorical
from nonstop_bench.problems.task import BlackBox

NAMES = [f"station{i:02}" for i in range(1, 26)]
#: pesticide: (price, greatest discount, first resistance, tolerance)
PESTICIDES = {1: (1.0, 0.2, 2 / 7, 1 / 7), 2: (0.8, 0.3, 3 / 7, 2.5 / 7), 3: (0.7, 0.3, 3 / 7, 2 / 7)}
PESTICIDES |= {4: (0.5, 0.0, 5 / 7, 0.5 / 7)}
BEST = [3] * 24 + [0]


def some_choices(n: int) -> Choices:
    return np.random.default_rng(0).integers(0, 5, (n, 25))


def draw(b: float) -> list[float]:
    return [float(value) for value in np.random.RandomState(1).beta(1.0, b, size=100)]


def slow_score(choices: list[int]) -> float:
    total, fractions = 0.0, draw(30.0)
    resistance = {pesticide: facts[2] for pesticide, facts in PESTICIDES.items()}
    for choice in choices:
        total += sum(fraction > 0.1 for fraction in fractions) / 100
        if choice == 0:
            fractions = [f + s * (1 - f) for f, s in zip(fractions, draw(17 / 3), strict=True)]
            continue
        price, discount, _, tolerance = PESTICIDES[choice]
        total += price * (1 - discount * choices.count(choice) / 25)
        fractions = [f * (1 - c) for f, c in zip(fractions, draw(resistance[choice]), strict=True)]
        resistance[choice] += tolerance / 25
    return total


def test_it_is_the_sum_of_prices_and_penalties_of_the_definition() -> None:
    for choices in some_choices(20):
        assert pest.score(choices) == pytest.approx(slow_score(choices.tolist()), abs=1e-9)


def test_prices_by_hand() -> None:
    def price(*choices: int) -> float:
        return pest.price(np.array(list(choices) + [0] * (25 - len(choices))))

    assert price() == 0.0
    assert price(4, 4) == 1.0
    assert price(1) == pytest.approx(1 - 0.2 / 25)
    assert price(3, 3, 2) == pytest.approx(2 * 0.7 * (1 - 2 * 0.3 / 25) + 0.8 * (1 - 0.3 / 25))
    assert price(*[1] * 25) == pytest.approx(25 * 0.8)


def test_without_pesticide_everything_is_infested_in_the_end() -> None:
    untreated = np.zeros(25, dtype=np.int64)
    assert pest.price(untreated) == 0.0
    assert 20.0 < pest.score(untreated) < 25.0


def test_the_least_value_known_is_a_local_minimum_just_under_the_papers_optimum() -> None:
    best = np.array(BEST)
    assert pest.score(best) == pytest.approx(11.9916, abs=1e-9)
    for station in range(25):
        for choice in range(5):
            other = best.copy()
            other[station] = choice
            assert pest.score(other) >= pest.score(best)
    task = pest_control_categorical()
    assert task.optimum == 12.0
    assert task.regret(pest.score(best)) == 0.0
    assert task.regret(15.0) == 3.0


def test_both_spaces_mean_the_same_choices() -> None:
    steps, categories, rng = pest_control(), pest_control_categorical(), np.random.default_rng(0)
    assert steps.duration is not None
    assert categories.duration is not None
    for choices in some_choices(20):
        by_step = dict(zip(NAMES, ((choices + 0.5) / 5).tolist(), strict=True))
        by_category = dict(zip(NAMES, choices.tolist(), strict=True))
        assert steps.objective(by_step) == categories.objective(by_category) == pest.score(choices)
        seconds = steps.duration(rng, encode(steps.space, by_step))
        assert seconds == categories.duration(rng, encode(categories.space, by_category))
        assert seconds == max(pest.price(choices), 5.0)


def test_steps_are_equally_wide_and_end_at_one() -> None:
    task = pest_control()
    edges = {0.0: 0, 0.19: 0, 0.2: 1, 0.39: 1, 0.4: 2, 0.61: 3, 0.79: 3, 0.8: 4, 1.0: 4}
    for u, choice in edges.items():
        assert task.objective(dict.fromkeys(NAMES, u)) == pest.score(np.full(25, choice))


def test_an_evaluation_takes_its_price_and_at_least_five_seconds() -> None:
    task, rng = pest_control_categorical(), np.random.default_rng(0)
    assert task.duration is not None
    cheap, dear = (encode(task.space, dict.fromkeys(NAMES, choice)) for choice in (0, 1))
    assert task.duration(rng, cheap) == 5.0
    assert task.duration(rng, dear) == pytest.approx(20.0)


@pytest.mark.parametrize("task", [pest_control(), pest_control_categorical()], ids=lambda task: task.name)
def test_uniform_points_are_far_from_the_optimum(task: BlackBox) -> None:
    assert task.dim == 25
    points = cube_of(task.space).spread(np.random.default_rng(1).random((300, 25)))
    values = [task.objective(decode(task.space, x)) for x in points]
    assert 14.0 < min(values) < np.median(values) < max(values) < 23.0
    assert values[0] == task.objective(decode(task.space, points[0]))  # and the same again
