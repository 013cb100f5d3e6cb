"""Every rule in cubes with conditions, regions and fixed values: valid, deterministic, and every branch is tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonstop
from nonstop.acquisition.branches import neglected_branch
from nonstop.acquisition.inside import filling, scattered
from nonstop.acquisition.maximize import Terrain, maximize
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB, LogEI
from nonstop.space.axes import Axis, Continuous, Levels, OneHot
from nonstop.space.cube import Condition, Cube
from nonstop.space.embedding import embedding_of
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.types import Array
from tests.helpers.cubes import random_cube, random_region
from tests.helpers.oracles import smooth
from tests.helpers.rules import RULES

EVERY = [*RULES, "kb-ucb+kb-ucb+kb-logei"]


def check(seed: int, rule: str, discrete: bool, constrained: bool, fixing: bool) -> None:
    """A proposal in a random cube, from random data, is valid, as fixed as it should be, and the same again."""
    rng = np.random.default_rng(seed)
    cube = random_cube(rng, most=6, discrete=discrete)
    if constrained:
        cube = replace(cube, region=random_region(rng, cube))
    n = int(rng.integers(0, 25))
    P = scattered(cube, rng, n + 12)
    assert cube.holds(P).all()
    assert np.array_equal(cube.snap(P), P)
    some = (rng.random(cube.axes) < 0.4)[cube.owners] & cube.active(P[-1:])[0]
    fixed = np.where(some, P[-1], np.nan) if fixing else None
    y = np.sin(5.0 * P[:n]).sum(axis=1) + 0.1 * rng.standard_normal(n)
    failed = P[n : n + int(rng.integers(0, 5))]
    busy, believed = P[n + 5 : n + 5 + int(rng.integers(0, 5))], P[n + 10 : n + 10 + int(rng.integers(0, 3))]
    one, other = (
        nonstop.propose(
            P[:n], y, busy, rule, seed, believed=believed, failed=failed, cube=cube, fixed=fixed, noisy=bool(seed % 2)
        )
        for _ in range(2)
    )
    assert np.array_equal(cube.snap(one.x[None])[0], one.x)
    assert cube.holds(one.x[None])[0]
    if fixed is not None:
        kept = some & cube.active(one.x[None])[0]
        assert np.array_equal(one.x[kept], fixed[kept])
    assert one.x.tobytes() == other.x.tobytes()


@pytest.mark.parametrize("rule", EVERY)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32), discrete=st.booleans(), constrained=st.booleans(), fixing=st.booleans())
def test_every_proposal_is_valid(rule: str, seed: int, discrete: bool, constrained: bool, fixing: bool) -> None:
    check(seed, rule, discrete, constrained, fixing)


def tree(branches: int, each: int) -> Cube:
    """A choice of branches, each with its own floats."""
    parts: list[Axis] = [OneHot(branches), *[Continuous()] * (branches * each)]
    own = [Condition(0, frozenset({branch})) for branch in range(branches) for _ in range(each)]
    return Cube(tuple(parts), (None, *own))


def branch_of(x: Array, branches: int) -> int:
    return int(x[:branches].argmax())


@pytest.mark.parametrize("rule", ["ucb", "logei", "ts", "lp-ucb", "aegis", "kb-ucb+kb-ucb+kb-logei"])
def test_every_branch_is_tried_early(rule: str) -> None:
    """From one trial, in a branch that is better than all others."""
    cube = tree(5, 2)
    X = np.array([cube.spread(np.full((1, cube.axes), 0.3))[0]])
    while len(X) < 9:
        first = X[:, 1] == 1.0
        y = np.where(first, 3.0, 0.0) - np.square(X[:, 5:] - 0.4).sum(axis=1)
        X = np.concatenate([X, [nonstop.propose(X, y, rule=rule, seed=len(X), cube=cube).x]])
    assert {branch_of(x, 5) for x in X} == set(range(5))


def test_branches_inside_branches_are_tried_too() -> None:
    parts: tuple[Axis, ...] = (OneHot(2), OneHot(3), Continuous(), Continuous())
    cube = Cube(parts, (None, Condition(0, frozenset({1})), Condition(1, frozenset({2})), None))
    X = cube.spread(np.array([[0.1, 0.0, 0.0, 0.5]]))
    for _ in range(3):
        assert neglected_branch(cube, np.tile(X, (2, 1))) is None, "every second time, all of the cube is searched"
        narrower = neglected_branch(cube, X)
        assert narrower is not None
        X = np.concatenate([X, X[:1], narrower.spread(np.full((1, 4), 0.5))])
    assert len(np.unique(X[:, :5], axis=0)) == 4, "no choice, and each of the three that the second one brings"
    assert neglected_branch(cube, np.concatenate([X, X[:2]])) is None


def test_a_branch_with_few_trials_for_its_parameters_is_searched() -> None:
    """Every fourth time, until there are eight trials for each of them."""
    cube = tree(2, 3)
    rich, poor = (cube.spread(np.random.default_rng(0).random((23, cube.axes)) * 0.5 + half) for half in (0.0, 0.5))
    tried = np.concatenate([rich, rich[:14], poor[:22]])
    assert len(tried) % 4 == 3
    narrower = neglected_branch(cube, tried)
    assert narrower is not None
    assert narrower.spread(np.zeros((1, cube.axes)))[0, :2].tolist() == [0.0, 1.0]
    assert neglected_branch(cube, tried[:-2]) is None
    assert neglected_branch(cube, np.concatenate([tried, poor[:4]])) is None, "26 trials are enough"


def test_the_start_gives_every_branch_its_share() -> None:
    cube = tree(6, 2)
    counts = np.bincount([branch_of(x, 6) for x in filling(cube, 0, 0, 60)], minlength=6)
    assert counts.min() >= 8
    assert counts.max() <= 12


@pytest.mark.parametrize("rule", [UCB(), LogEI()], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_against_a_grid(rule: UCB | LogEI, seed: int) -> None:
    """In each branch of two floats, a grid; the maximiser finds as much as all of them."""
    cube = tree(3, 2)
    rng = np.random.default_rng(seed)
    X = cube.spread(rng.random((25, cube.axes)))
    lengthscales = tuple(rng.uniform(0.3, 1.0, cube.dim).tolist())
    gp = GP.of(X, smooth(X, rng), Hyperparameters(lengthscales, 1e-4), "matern52", embedding_of(cube))
    acquisition = Scored(rule, gp, float(gp.y.max()), len(X))
    terrain = Terrain(cube, gp.lengthscales, X[np.argsort(-gp.y)[:8]], np.empty((0, cube.dim)), candidates=128)
    found = maximize(acquisition, terrain, rng)
    u = np.linspace(0.0, 1.0, 101)
    square = np.stack(np.meshgrid(u, u), axis=-1).reshape(-1, 2)
    best = -np.inf
    for branch in range(3):
        P = np.full((len(square), cube.axes), 0.5)
        P[:, 0] = (branch + 0.5) / 3
        P[:, 1 + 2 * branch : 3 + 2 * branch] = square
        best = max(best, float(acquisition.value(cube.spread(P)).max()))
    assert found.value >= best - 1e-5


def test_a_conditional_space_is_optimised() -> None:
    """Three branches with their own optimum, the best of them at 0: found in 45 evaluations."""
    parts: tuple[Axis, ...] = (OneHot(3), Continuous(), Continuous(), Continuous(), Levels(12), OneHot(2))
    levels = (None, {0}, {0}, {1}, {1}, {2})
    cube = Cube(parts, tuple(None if it is None else Condition(0, frozenset(it)) for it in levels))

    def f(x: Array) -> float:
        if x[0]:
            return -float((x[3] - 0.3) ** 2 + (x[4] - 0.8) ** 2)
        return -0.1 - (float((x[5] - 0.5) ** 2 + (x[6] - 0.4) ** 2) if x[1] else 0.5 * x[7])

    X = filling(cube, 0, 0, 9)
    while len(X) < 45:
        y = [f(x) for x in X]
        X = np.concatenate([X, [nonstop.propose(X, y, seed=len(X), cube=cube).x]])
    assert max(f(x) for x in X) > -1e-4


def test_no_axes_at_all() -> None:
    cube = Cube(())
    for rule in ("ucb", "random", "aegis", "kb-ucb+kb-ucb+kb-logei"):
        for n in (0, 3):
            found = nonstop.propose(np.empty((n, 0)), [1.0] * n, np.empty((2, 0)), rule, cube=cube)
            assert found.x.shape == (0,)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_single_point(n: int) -> None:
    cube = Cube((OneHot(1), Levels(1)))
    X = np.tile([1.0, 0.5], (n, 1))
    assert nonstop.propose(X, np.ones(n), cube=cube).x.tolist() == [1.0, 0.5]
