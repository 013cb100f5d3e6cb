"""Proposals from the same results, one after the other, keep clear of each other: for every rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop import Choice, View, propose, propose_batch
from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.acquisition.taken import APART, SAME
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.types import Array
from tests.helpers.rules import RULES


@dataclass(frozen=True)
class Optimist:
    """A user's standard rule."""

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        return mean + 0.1 * sd, np.ones_like(mean), np.full_like(sd, 0.1)


@dataclass(frozen=True)
class Stubborn:
    """A user's rule that always chooses the same point, and names no other."""

    def choose(self, view: View) -> Choice:
        return Choice(np.full(view.cube.dim, 0.5), 1.0, np.empty((0, view.cube.dim)))


@dataclass(frozen=True)
class Crowded:
    """A user's rule whose runners-up are all next to its choice."""

    def choose(self, view: View) -> Choice:
        others = 0.5 + 1e-5 * view.rng.standard_normal((50, view.cube.dim))
        return Choice(np.full(view.cube.dim, 0.5), 1.0, others)


EVERY: list[str | Rule] = [
    *RULES,
    DEFAULT_RULE,
    Optimist(),
    Stubborn(),
    Crowded(),
    nonstop.Turns((Optimist(), Stubborn())),
]
every_rule = pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule if isinstance(rule, str) else repr(rule))


def clustered(d: int, n: int = 60) -> tuple[Array, Array]:
    """Half of the points lie close to the optimum of a quadratic."""
    rng = np.random.default_rng(d)
    X = rng.random((n, d))
    X[n // 2 :] = np.clip(0.4 + 0.01 * rng.standard_normal((n - n // 2, d)), 0.0, 1.0)
    return X, -np.square(X - 0.4).sum(axis=1)


def closest(points: Array) -> float:
    """The smallest distance between two rows, in the largest coordinate."""
    D = np.abs(points[:, None] - points[None]).max(axis=2)
    return float((D + np.eye(len(points))).min())


@every_rule
@pytest.mark.parametrize("d", [1, 2, 6])
@pytest.mark.parametrize("surrogate", ["nonstop", "paper"])
def test_eight_in_a_row(rule: str | Rule, d: int, surrogate: str) -> None:
    X, y = clustered(d)
    points, warm = np.empty((0, d)), None
    for seed in range(8):
        proposal = propose(X, y, busy=points, rule=rule, seed=seed, surrogate=surrogate, warm=warm)
        points, warm = np.vstack([points, proposal.x]), proposal.hyperparameters
    assert closest(points) >= APART


@pytest.mark.parametrize("where", ["busy", "believed", "avoid"])
@pytest.mark.parametrize("rule", ["ucb", "mean", "kb-logei", "lp-ucb", "ts", "random"])
def test_whatever_the_reason(where: str, rule: str) -> None:
    """Points that are busy, believed or failed are kept clear of alike, even the next to them."""
    X, y = clustered(2)
    points, rng = np.empty((0, 2)), np.random.default_rng(0)
    for _ in range(8):
        arguments: dict[str, Any] = {where: points}
        x = propose(X, y, rule=rule, seed=3, **arguments).x
        assert not len(points) or np.abs(points - x).max(axis=1).min() >= APART
        points = np.vstack([points, np.clip(x + 1e-5 * rng.standard_normal(2), 0.0, 1.0)])


@pytest.mark.parametrize("rule", ["ucb", "kb-logei", "mean", "random", DEFAULT_RULE])
def test_discrete_columns_tell_queries_apart(rule: str) -> None:
    """In a mixed space, the same reals with another choice are another query."""
    cube = Cube((Continuous(), Levels(4), OneHot(3)))
    rng = np.random.default_rng(0)
    X = cube.spread(rng.random((20, cube.axes)))
    points = np.empty((0, cube.dim))
    for seed in range(8):
        x = propose(X, X.sum(axis=1), busy=points, rule=rule, seed=seed, cube=cube).x
        apart = (np.abs(points - x) >= np.where(cube.flexible, APART, SAME)).any(axis=1)
        assert apart.all()
        points = np.vstack([points, x])


def test_a_line_that_is_almost_full() -> None:
    """Nine tenths of a line are taken: what is left is found."""
    busy = np.linspace(0.0, 0.9, 1200)[:, None]
    X = np.random.default_rng(0).random((10, 1))
    for rule in ("ucb", "kb-ucb", "random", Stubborn()):
        x = propose(X, -X[:, 0], busy=busy, rule=rule).x
        assert np.abs(busy - x).max(axis=1).min() >= APART


def test_when_nothing_is_free_there_is_a_proposal_all_the_same() -> None:
    busy = np.linspace(0.0, 1.0, 3000)[:, None]
    for rule in ("ucb", "random", Stubborn()):
        x = propose([[0.5]], [1.0], avoid=busy, rule=rule).x
        assert 0.0 <= x[0] <= 1.0


@pytest.mark.parametrize("rule", ["ucb", "kb-logei", "mean"])
def test_a_batch_keeps_clear_of_itself(rule: str) -> None:
    X, y = clustered(2)
    assert closest(np.array([proposal.x for proposal in propose_batch(X, y, 6, rule)])) >= APART


def test_a_free_point_is_not_moved() -> None:
    X, y = clustered(2)
    alone = propose(X, y, rule="ucb")
    beside = np.clip(alone.x + np.array([1.01 * APART, 0.0]), 0.0, 1.0)
    assert propose(X, y, busy=[beside], rule="ucb").x.tobytes() == alone.x.tobytes()
