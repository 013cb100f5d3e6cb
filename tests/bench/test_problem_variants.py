"""Shifted, rotated and border variants, draws from the prior, and problems over mixed spaces."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import nonstop
from nonstop_bench.problems import mixed, moved
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.prior import draw, lowest
from nonstop_bench.problems.problem import Problem
from nonstop_bench.problems.task import BlackBox

DIMS = (1, 2, 3, 5, 10, 30)


def formula(name: str) -> Problem:
    task = find(name)
    assert isinstance(task, Problem)
    return task


@pytest.mark.parametrize("dim", DIMS)
def test_a_shifted_place_is_well_inside_and_off_center_and_diagonal(dim: int) -> None:
    place = moved.inside(dim)
    assert ((place >= 0.2) & (place <= 0.8) & (np.abs(place - 0.5) >= 0.1)).all()
    if dim > 1:
        assert np.ptp(place) >= 0.2
    np.testing.assert_array_equal(place, moved.inside(dim))


def test_the_places_are_fixed_for_all_time() -> None:
    """Results of years ago must compare: these numbers may never change."""
    np.testing.assert_allclose(moved.inside(2), [0.6370164156346415, 0.3863081731642224], rtol=1e-12)
    turn = [[-0.19148340318296264, -0.9814958513949362], [-0.9814958513949362, 0.1914834031829629]]
    np.testing.assert_allclose(moved.rotation(2), turn, rtol=1e-10)
    assert draw(2, 0)(np.array([[0.25, 0.75]]))[0] == pytest.approx(-0.721237688753669, rel=1e-9)


@pytest.mark.parametrize("dim", DIMS)
def test_a_border_place_is_on_the_border_but_not_everywhere(dim: int) -> None:
    place = moved.border(dim)
    on_it = (place == 0.0) | (place == 1.0)
    assert on_it.sum() == (dim + 1) // 2
    np.testing.assert_array_equal(place[~on_it], moved.inside(dim)[~on_it])


@pytest.mark.parametrize("dim", DIMS)
def test_a_rotation_keeps_lengths_and_mixes_all_coordinates(dim: int) -> None:
    R = moved.rotation(dim)
    np.testing.assert_allclose(R @ R.T, np.eye(dim), atol=1e-12)
    if dim > 1:
        assert np.abs(R).max() < 0.999


@pytest.mark.parametrize("name", ["ackley-3", "rosenbrock-4", "hartmann-6", "dixon-price-3"])
@pytest.mark.parametrize("variant", ["shifted", "border", "rotated"])
def test_values_at_mapped_points_are_those_of_the_original(variant: str, name: str) -> None:
    original, variety = formula(name), formula(f"{variant}-{name}")
    z, c = np.array(original.optimizers[0]), np.array(variety.optimizers[0])
    R = moved.rotation(original.dim) if variant == "rotated" else np.eye(original.dim)
    Z = original.from_unit(np.random.default_rng(0).random((50, original.dim)))
    np.testing.assert_allclose(variety.function(c + (Z - z) @ R), original.function(Z), rtol=1e-6)
    assert variety.bounds == original.bounds
    assert variety.optimum == original.optimum


def test_a_rotated_problem_is_no_shifted_one() -> None:
    U = np.random.default_rng(0).random((20, 4))
    assert not np.allclose(formula("rotated-rosenbrock-4").at(U), formula("shifted-rosenbrock-4").at(U), rtol=0.01)


def test_ackley_s_funnel_does_not_feel_the_rotation_but_its_ripple_does() -> None:
    """On a sphere around the minimum the rotated values are those of other points of the same sphere."""
    shifted, rotated = formula("shifted-ackley-2"), formula("rotated-ackley-2")
    c = np.array(shifted.optimizers[0])
    angles = np.linspace(0.0, 2.0 * np.pi, 20_001)
    ring = c + 3.3 * np.column_stack([np.cos(angles), np.sin(angles)])
    assert np.ptp(shifted.function(ring)) > 0.5
    np.testing.assert_allclose(np.ptp(shifted.function(ring)), np.ptp(rotated.function(ring)), rtol=1e-4)


def test_the_slope_leads_out_of_the_box_at_a_border_minimum() -> None:
    """slope-d has a gradient in its corner; a border variant is flat there but still has its minimum in the border."""
    corner = np.array(formula("slope-3").optimizers[0])
    inward = 1e-4 * np.diag(np.where(corner == 0.0, 1.0, -1.0))
    np.testing.assert_allclose(formula("slope-3").at(corner + inward), 1e-4 / 3.0, rtol=0.01)
    u = formula("border-levy-4").to_unit(np.array(formula("border-levy-4").optimizers[0]))
    assert ((u < 1e-12) | (u > 1.0 - 1e-12)).sum() == 2


def test_idle_parameters_of_an_embedded_problem_do_nothing() -> None:
    problem = formula("embedded-hartmann-25")
    U = np.random.default_rng(0).random((1, 25))
    values = []
    for j in range(25):
        V = U.copy()
        V[0, j] = 1.0 - V[0, j]
        values.append(problem.at(V)[0])
    assert np.sum(np.array(values) != problem.at(U)[0]) == 6


def test_a_draw_looks_like_the_prior() -> None:
    """Over many draws: mean 0, variance 1 and the kernel's correlation at a distance of one lengthscale."""
    x = np.full((1, 4), 0.3)
    step = np.array([[0.4, 0.0, 0.0, 0.0]])  # 0.2 sqrt(4), one lengthscale
    pairs = np.array([draw(4, k)(np.concatenate([x, x + step])) for k in range(400)])
    assert abs(pairs.mean()) < 0.15
    assert abs(pairs.var() - 1.0) < 0.2
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(np.exp(-0.5), abs=0.1)


def test_the_gradient_of_a_draw_agrees_with_differences() -> None:
    function, x, h = draw(3, 0), np.array([0.2, 0.5, 0.9]), 1e-6
    value, gradient = function.with_gradient(x)
    assert value == pytest.approx(function(x[None])[0], rel=1e-12)
    numeric = (function(x + h * np.eye(3)) - function(x - h * np.eye(3))) / (2.0 * h)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5)


def test_another_search_finds_the_same_minimum_of_a_draw() -> None:
    problem = formula("gp-3-2")
    function = draw(3, 2)
    again = function(lowest(function, 3, starts=30, seed=9)[None])[0]
    assert again == pytest.approx(problem.optimum, abs=1e-9)


def test_draws_differ_by_number_and_are_found_once() -> None:
    U = np.random.default_rng(0).random((5, 2))
    assert not np.allclose(formula("gp-2-0").at(U), formula("gp-2-1").at(U))
    assert find("gp-2-0") is find("gp-2-0")


def box(name: str) -> BlackBox:
    task = find(name)
    assert isinstance(task, BlackBox)
    return task


def test_mixed_ackley_has_all_three_kinds_and_its_minimum_where_it_says() -> None:
    task = box("mixed-ackley-6")
    kinds = [type(task.space[name]) for name in task.space]
    assert kinds == [nonstop.Float, nonstop.Int, nonstop.Categorical] * 2
    best = dict(zip(task.space, [mixed.FLOAT, mixed.INT, mixed.CHOICE] * 2, strict=True))
    assert task.objective(best) == pytest.approx(task.optimum, abs=1e-12)
    colours = ("red", "green", "blue", "white", "black")
    for n, first, second in itertools.product(range(-10, 11), colours, colours):
        params = {**best, "n2": n, "c3": first, "c6": second}
        if params != best:
            assert task.objective(params) > 1.0
    assert task.objective({**best, "x1": mixed.FLOAT + 1e-3}) > 1e-4


def test_integer_rosenbrock_is_rosenbrock_on_integers() -> None:
    task = box("integer-rosenbrock-2")
    values = {(a, b): task.objective({"n1": a, "n2": b}) for a, b in itertools.product(range(-5, 11), repeat=2)}
    assert values[1, 1] == task.optimum == 0.0
    assert sorted(values.values())[1] > 0.0
    assert values[2, 3] == 100.0 + 1.0


def test_a_study_can_run_a_mixed_problem() -> None:
    task = box("mixed-ackley-3")
    study = nonstop.create_study(space=task.space, rule="ucb", seed=0)
    for _ in range(12):
        trial = study.ask()
        assert trial.params is not None
        study.tell(trial, task.objective(trial.params))
    assert 0.0 <= task.regret(study.best_value) < 25.0
