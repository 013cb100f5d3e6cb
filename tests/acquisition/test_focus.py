"""More results than the models can hold: which ones they hold, and what that is good for."""

from dataclasses import replace

import numpy as np
import pytest

import nonstop
from nonstop.acquisition.aim import Aim
from nonstop.acquisition.focus import modelled, overlooked
from nonstop.acquisition.rule import Choice, View
from nonstop.acquisition.schedule import Schedule
from nonstop.acquisition.standard import UCB
from nonstop.acquisition.turns import Turns
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.space.embedding import PLAIN
from nonstop.surrogate.model import NONSTOP, Surrogate
from nonstop.types import Array

FEW = replace(NONSTOP, max_points=100)
AIM = Aim.of(None)
CENTER = np.array([0.3, 0.6])


def bowl(X: Array) -> Array:
    return np.asarray(-np.square(X - CENTER).sum(axis=1))


def data(n: int, noise: float = 0.0, seed: int = 0) -> tuple[Array, Array]:
    """Half of the points anywhere, half of them around the best one."""
    rng = np.random.default_rng(seed)
    near = CENTER + 0.1 * rng.standard_normal((n // 2, 2))
    X = rng.permutation(np.concatenate([rng.random((n - n // 2, 2)), near.clip(0.0, 1.0)]))
    return X, bowl(X) + noise * rng.standard_normal(n)


def test_up_to_the_limit_all_are_held() -> None:
    X, y = data(100)
    (model,) = modelled(FEW, AIM, X, y[None], (None,), PLAIN)
    assert model.rows.tolist() == list(range(100))
    assert not len(overlooked((model,), AIM, X, CENTER, 100))


@pytest.mark.parametrize("n", [101, 150, 1000])
def test_beyond_it_fewer_are_held(n: int) -> None:
    X, y = data(n)
    (model,) = modelled(FEW, AIM, X, y[None], (None,), PLAIN)
    rows = model.rows
    assert 20 <= len(rows) <= 41
    assert (np.diff(rows) > 0).all()
    assert {int(y.argmax()), 0, n - 1} <= set(rows.tolist())
    assert np.array_equal(model.gp.X, X[rows])
    assert model.results == n
    # Of what is closest to the best point, more is held than of all.
    nearest = np.argsort(np.square(X - CENTER).sum(axis=1))[:10]
    assert np.isin(nearest, rows).mean() >= 0.5


def test_the_noise_is_not_taken_for_the_function() -> None:
    """A model of the best values of many, which are the lucky ones, has the least lengthscales there may be."""
    X, y = data(3000, noise=0.3)
    (model,) = modelled(replace(NONSTOP, max_points=500), AIM, X, y[None], (None,), PLAIN)
    assert min(model.hyperparameters.lengthscales) > 0.1
    believed = model.gp.X[model.gp.at_data().argmax()]
    assert np.abs(believed - CENTER).max() < 0.25


def test_the_hyperparameters_are_renewed_before_all_data_have_grown_much() -> None:
    X, y = data(1010)
    (model,) = modelled(FEW, AIM, X[:1000], y[None, :1000], (None,), PLAIN)
    (same,) = modelled(FEW, AIM, X[:1000], y[None, :1000], (model.hyperparameters,), PLAIN)
    assert same.hyperparameters == model.hyperparameters
    (later,) = modelled(FEW, AIM, X, y[None], (model.hyperparameters,), PLAIN)
    assert later.hyperparameters.results == 1010


def test_what_is_next_to_a_choice_is_taken_in() -> None:
    X, y = data(1000)
    models = modelled(FEW, AIM, X, y[None], (None,), PLAIN)
    x = np.array([0.9, 0.1])
    more = overlooked(models, AIM, X, x, 100)
    assert 16 <= len(more) <= 64
    assert not np.isin(more, models[0].rows).any()
    grown = tuple(model.with_rows(X, y, more) for model in models)
    assert len(grown[0].gp.X) == len(models[0].rows) + len(more)
    assert not len(overlooked(grown, AIM, X, x, 100))
    mean, variance = grown[0].gp.moments(x[None])
    truth = float(grown[0].output.forward(bowl(x[None]))[0])
    assert abs(float(mean[0]) - truth) < 0.05
    assert variance < models[0].gp.moments(x[None])[1]


def test_there_is_no_room_for_more() -> None:
    X, y = data(1000)
    models = modelled(FEW, AIM, X, y[None], (None,), PLAIN)
    held = len(models[0].rows)
    assert not len(overlooked(models, AIM, X, np.array([0.9, 0.1]), held))
    assert len(overlooked(models, AIM, X, np.array([0.9, 0.1]), held + 5)) == 5


@pytest.mark.parametrize("most", [1, 2, 3, 5, 8])
def test_hardly_any_are_held(most: int) -> None:
    X, y = data(30)
    proposal = nonstop.propose(X, y, surrogate=Surrogate(max_points=most))
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()


class Witness:
    """A rule that writes down how many results there are, and what the GP held when it last was asked."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []

    def choose(self, view: View) -> Choice:
        self.seen.append((view.results, len(view.gp.X)))
        return Choice(np.array([0.9, 0.1]), 0.0, np.empty((0, 2)))


def test_the_view_has_all_results_and_the_rule_is_asked_again() -> None:
    X, y = data(1000)
    rule = Witness()
    nonstop.propose(X, y, rule=rule, surrogate=FEW)
    (first, held), *later = rule.seen
    assert first == 1000
    assert held <= 41
    assert [results for results, _ in later] == [1000] * len(later)
    assert 1 <= len(later) <= 3
    assert later[0][1] > held


def test_turns_and_schedules_go_on() -> None:
    X, y = data(1010)
    rules = Witness(), Witness(), Witness()
    for n in (1000, 1001, 1002):
        nonstop.propose(X[:n], y[:n], rule=Turns(rules), surrogate=FEW)
    assert [{results for results, _ in rule.seen} for rule in rules] == [{1002}, {1000}, {1001}]
    beta = [nonstop.propose(X[:n], y[:n], rule=UCB(Schedule()), surrogate=FEW).value for n in (1000, 1010)]
    fixed = nonstop.propose(X, y, rule=UCB(Schedule().at(1010, 2)), surrogate=FEW).value
    assert beta[1] == fixed
    assert beta[0] != fixed


def many(cube: Cube, n: int, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = cube.spread(rng.random((n, cube.axes)))
    return X, np.sin(5.0 * X).sum(axis=1) + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("kind", ["continuous", "mixed", "discrete"])
@pytest.mark.parametrize("rule", [None, "logei", "ts", "random"])
def test_the_same_bytes_again_whatever_the_space(kind: str, rule: str | None) -> None:
    parts: dict[str, tuple[Continuous | Levels | OneHot, ...]] = {
        "continuous": (Continuous(),) * 3,
        "mixed": (Continuous(), Levels(7), OneHot(3)),
        "discrete": (Levels(60), OneHot(3), Levels(30)),
    }
    cube = Cube(parts[kind])
    X, y = many(cube, 400, seed=1)
    busy, failed = cube.spread(np.random.default_rng(2).random((40, cube.axes))).reshape(2, 20, -1)
    failed = np.concatenate([failed, many(cube, 300, seed=3)[0]])
    first, again = (nonstop.propose(X, y, busy, rule, 5, failed=failed, cube=cube, surrogate=FEW) for _ in range(2))
    assert first.x.tobytes() == again.x.tobytes()
    warm = first.hyperparameters
    once, twice = (nonstop.propose(X, y, busy, rule, 6, cube=cube, surrogate=FEW, warm=warm) for _ in range(2))
    assert once.x.tobytes() == twice.x.tobytes()


def test_several_outcomes() -> None:
    X, y = data(400)
    Y = np.stack([y, -np.square(X - 0.8).sum(axis=1), X[:, 0]], axis=1)
    goals = ["maximize", "maximize", "<= 0.9"]
    first, again = (nonstop.propose(X, Y, goals=goals, surrogate=FEW) for _ in range(2))
    assert first.x.tobytes() == again.x.tobytes()
    assert len(first.predictions) == 3
    assert first.x[0] < 0.95


def test_the_best_is_found_among_many() -> None:
    """Noisy, with far more results than are held: what is proposed is close to the best point."""
    X, y = data(2000, noise=0.1)
    points, warm = [], None
    for seed in range(6):
        proposal = nonstop.propose(
            X, y, rule="kb-logei", seed=seed, surrogate=replace(NONSTOP, max_points=300), warm=warm
        )
        warm = proposal.hyperparameters
        points.append(proposal.x)
    assert np.median(np.abs(np.array(points) - CENTER).max(axis=1)) < 0.25
