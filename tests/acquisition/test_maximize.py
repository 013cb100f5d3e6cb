"""The maximiser against dense grids, against SciPy from many starts, and against enumeration."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from nonstop.acquisition.maximize import Terrain, _screen, _together, among, keys, maximize
from nonstop.acquisition.rule import Acquisition, Choice, Score
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB, LogEI, Mean
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.types import Array
from tests.helpers.oracles import random_gp, smooth

RULES: list[Score] = [UCB(), LogEI(), Mean()]
every = pytest.mark.parametrize("rule", RULES, ids=repr)


def terrain_of(gp: GP, cube: Cube, taken: Array | None = None) -> Terrain:
    order = np.argsort(-gp.y, kind="stable")[:8]
    return Terrain(cube, gp.lengthscales, gp.X[order], np.empty((0, cube.dim)) if taken is None else taken)


def search(acquisition: Acquisition, gp: GP, cube: Cube, taken: Array | None = None, seed: int = 0) -> Choice:
    choice = maximize(acquisition, terrain_of(gp, cube, taken), np.random.default_rng(seed))
    assert choice.x.shape == (cube.dim,)
    assert np.array_equal(cube.snap(choice.x[None])[0], choice.x)
    assert choice.value == pytest.approx(acquisition.value(choice.x[None])[0], rel=1e-6, abs=1e-7)
    return choice


@every
@pytest.mark.parametrize("seed", range(5))
def test_a_line_against_a_grid(rule: Score, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((3 + 4 * seed, 1))
    gp = GP.of(X, smooth(X, rng), Hyperparameters((0.07,), 1e-4))
    acquisition = Scored(rule, gp, float(gp.y.max()), len(gp.X))
    best = acquisition.value(np.linspace(0.0, 1.0, 20_001)[:, None]).max()
    assert search(acquisition, gp, Cube.continuous(1)).value >= best - 1e-6


@every
@pytest.mark.parametrize("seed", range(3))
def test_a_square_against_a_grid(rule: Score, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((25, 2))
    gp = GP.of(X, smooth(X, rng), Hyperparameters((0.1, 0.15), 1e-4))
    acquisition = Scored(rule, gp, float(gp.y.max()), len(gp.X))
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 301)] * 2), axis=-1).reshape(-1, 2)
    assert search(acquisition, gp, Cube.continuous(2)).value >= acquisition.value(grid).max() - 1e-6


def many_starts(acquisition: Acquisition, gp: GP, count: int) -> float:
    """The best that L-BFGS-B finds from `count` starts, half of them around the best observations."""
    d = gp.X.shape[1]
    rng = np.random.default_rng(9)

    def negative(x: Array) -> tuple[float, Array]:
        value, gradient = acquisition.value_and_gradient(x[None])
        return -float(value[0]), -gradient[0]

    near = gp.X[np.argsort(-gp.y)[: len(gp.y) // 3 + 1]]
    local = np.clip(near[rng.integers(len(near), size=count // 2)] + 0.05 * rng.normal(size=(count // 2, d)), 0.0, 1.0)
    starts = np.concatenate([rng.random((count - len(local), d)), local])
    # Screening keeps the test short without losing the strength of the many starts: three quarters are hopeless.
    starts = starts[np.argsort(-acquisition.value(starts))[: count // 4]]
    found = [minimize(negative, s, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * d).fun for s in starts]
    return -float(min(found))


@pytest.mark.parametrize("rule", [UCB(), LogEI()], ids=repr)
def test_as_good_as_two_hundred_starts(rule: Score) -> None:
    gaps = []
    for seed in range(30):
        d = 3 + seed % 8
        gp = random_gp(seed, 10 + 7 * (seed % 9), d, ("rbf", "matern52")[seed % 2], noise=(1e-4, 1e-2)[seed % 3 == 0])
        acquisition = Scored(rule, gp, float(gp.y.max()), len(gp.X))
        choice = search(acquisition, gp, Cube.continuous(d), seed=seed)
        gaps.append(many_starts(acquisition, gp, 200) - choice.value)
    assert sum(gap < 1e-3 for gap in gaps) >= 29, np.round(gaps, 4).tolist()


def test_a_needle_next_to_the_incumbent_in_high_dimension() -> None:
    """The hill around the best of many clustered points in d = 20 is far too small for a global screen alone."""
    rng = np.random.default_rng(0)
    d = 20
    X = np.concatenate([rng.random((100, d)), np.clip(0.5 + 0.03 * rng.normal(size=(100, d)), 0.0, 1.0)])
    y = -np.square(X - 0.5).sum(axis=1)
    gp = GP.of(X, (y - y.mean()) / y.std(), Hyperparameters((1.5,) * d, 1e-4))
    acquisition = Scored(LogEI(), gp, float(gp.y.max()), len(gp.X))
    assert search(acquisition, gp, Cube.continuous(d)).value > many_starts(acquisition, gp, 200) - 1e-3


def mixed_grid(cube: Cube, levels: int) -> Array:
    """Every combination of the discrete axes with a grid on the continuous ones."""
    axes = [
        np.linspace(0.0, 1.0, levels)[:, None] if isinstance(part, Continuous) else part.at(np.arange(part.size))
        for part in cube.parts
    ]
    return np.array([np.concatenate(rows) for rows in product(*axes)])


MIXED = [
    (Cube((Continuous(), Levels(5), OneHot(3))), 1001),
    (Cube((OneHot(4), Levels(12), Continuous())), 501),
    (Cube((Levels(3), Continuous(), OneHot(2), Continuous())), 81),
    (Cube((Levels(30, first=1), OneHot(3), Continuous())), 301),
]


@pytest.mark.parametrize("rule", [UCB(), LogEI()], ids=repr)
@pytest.mark.parametrize("case", range(len(MIXED)))
def test_mixed_cubes_against_enumeration(rule: Score, case: int) -> None:
    cube, levels = MIXED[case]
    grid = mixed_grid(cube, levels)
    for seed in range(4):
        rng = np.random.default_rng([case, seed])
        X = cube.spread(rng.random((6 + 6 * seed, cube.axes)))
        gp = GP.of(X, smooth(X, rng), Hyperparameters((0.4,) * cube.dim, 1e-3))
        acquisition = Scored(rule, gp, float(gp.y.max()), len(gp.X))
        assert search(acquisition, gp, cube, seed=seed).value >= acquisition.value(grid).max() - 1e-6


def test_long_integer_axes() -> None:
    """Too many points to enumerate: three integers of a thousand values each, on a smooth hill."""
    cube = Cube((Levels(1000), Levels(1000), Levels(1000)))
    rng = np.random.default_rng(0)
    X = cube.spread(rng.random((30, 3)))
    y = -np.square(X - [0.3123, 0.7234, 0.5678]).sum(axis=1)
    gp = GP.of(X, (y - y.mean()) / y.std(), Hyperparameters((1.0,) * 3, 1e-4))
    acquisition = Scored(Mean(), gp, float(gp.y.max()), len(gp.X))
    relaxed = many_starts(acquisition, gp, 100)
    assert search(acquisition, gp, cube).value > relaxed - 1e-4


class Counted:
    """An acquisition that counts the points it is asked about: a cheap estimate, a value, or a value with gradient."""

    def __init__(self, inner: Acquisition) -> None:
        self.inner = inner
        self.estimates = self.values = 0

    def screen(self, P: Array) -> Array:
        self.estimates += len(P)
        return self.inner.screen(P)

    def value(self, P: Array) -> Array:
        self.values += len(P)
        return self.inner.value(P)

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        self.values += 2 * len(P)
        return self.inner.value_and_gradient(P)


LARGE = [
    Cube((Levels(10**6),) * 56),
    Cube((Levels(10**6),) * 10 + (Continuous(),) * 10),
    Cube((Levels(20),) * 30),
    Cube((Levels(2),) * 56),
    Cube((OneHot(4),) * 12),
    Cube((Levels(90),) * 2),
    Cube((Levels(9), OneHot(5), Continuous())),
]


@pytest.mark.parametrize("case", range(len(LARGE)))
def test_discrete_cubes_take_about_as_many_evaluations_as_continuous_ones(case: int) -> None:
    """With 56 wide integers, which moved one at a time, it was more than a hundred times as many."""
    cube, rng = LARGE[case], np.random.default_rng(case)
    X = cube.spread(rng.random((30, cube.axes)))
    gp = GP.of(X, smooth(X, rng), Hyperparameters((0.5 * cube.dim**0.5,) * cube.dim, 1e-3))
    counts = []
    for shape in (cube, Cube.continuous(cube.dim)):
        acquisition = Counted(Scored(UCB(), gp, float(gp.y.max()), len(gp.X)))
        maximize(acquisition, terrain_of(gp, shape), np.random.default_rng(0))
        counts.append((acquisition.estimates, acquisition.values))
    discrete, continuous = counts
    assert discrete[0] <= 10 * continuous[0]
    assert discrete[1] <= 10 * continuous[1]


@pytest.mark.parametrize("rule", [UCB(), LogEI()], ids=repr)
def test_the_best_of_many_points_against_all_of_them(rule: Score) -> None:
    """A cube whose points are ranked by an estimate before the best thousand are evaluated."""
    cube, rng = Cube((Levels(90), Levels(90))), np.random.default_rng(1)
    everything = cube.enumerate(8100)
    assert everything is not None
    for n in (5, 20, 60):
        X = cube.spread(rng.random((n, 2)))
        gp = GP.of(X, smooth(X, rng), Hyperparameters((0.2, 0.3), 1e-3))
        acquisition = Scored(rule, gp, float(gp.y.max()), n)
        free = everything[~among(everything, keys(X))]
        choice = search(acquisition, gp, cube, X)
        assert choice.value == pytest.approx(acquisition.value(free).max(), abs=1e-12)


def test_moves_are_made_together() -> None:
    """The first two, four and all five moves, of each axis the first one, by hand."""
    cube = Cube((Levels(5), OneHot(3), Levels(5), Levels(5), Levels(5)))
    point = cube.snap(np.array([[0.5, 1.0, 0.0, 0.0, 0.5, 0.5, 0.5]]))[0]
    near = np.tile(point, (7, 1))
    near[0, 4] = near[3, 0] = near[5, 6] = 0.7
    near[1, 1:4], near[2, 1:4] = [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]
    near[4, 4] = near[6, 5] = 0.3
    assert _together(cube, point, near).tolist() == [
        [0.5, 0.0, 0.0, 1.0, 0.7, 0.5, 0.5],
        [0.7, 0.0, 0.0, 1.0, 0.7, 0.5, 0.7],
        [0.7, 0.0, 0.0, 1.0, 0.7, 0.3, 0.7],
    ]
    assert _together(cube, point, near[:2]).tolist() == [[0.5, 0.0, 0.0, 1.0, 0.7, 0.5, 0.5]]
    for few in (near[:0], near[:1], near[1:3]):  # the last two are of the same axis
        assert _together(cube, point, few).shape == (0, 7)


def test_among_against_brute_force() -> None:
    rng = np.random.default_rng(0)
    for d in (1, 3):
        points: Array = 0.5 * rng.integers(-1, 2, (40, d)).astype(np.float64)
        others: Array = -0.5 * rng.integers(0, 2, (12, d)).astype(np.float64)
        points[points == 0.0] = -0.0  # the same number as 0.0
        expected = [any((point == other).all() for other in others) for point in points]
        assert among(points, keys(others)).tolist() == expected
        assert among(np.asfortranarray(points), keys(others[::-1])).tolist() == expected
        assert not among(points, keys(others[:0])).any()
        assert among(points[:0], keys(others)).shape == (0,)


@dataclass(frozen=True)
class Given:
    """An acquisition by numbers: one value for each point of a discrete cube."""

    cube: Cube
    values: Array

    def screen(self, P: Array) -> Array:
        return self.value(P)

    def value(self, P: Array) -> Array:
        everything = self.cube.enumerate(10_000)
        assert everything is not None
        place = {row.tobytes(): value for row, value in zip(everything, self.values, strict=True)}
        return np.array([place[row.tobytes()] for row in np.ascontiguousarray(P)])

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:  # noqa: ARG002
        raise AssertionError("a discrete cube has no gradient")


SMALL = Cube((Levels(2), Levels(3), OneHot(4)))


def test_discrete_cubes_are_searched_completely_in_order() -> None:
    rng = np.random.default_rng(0)
    everything = SMALL.enumerate(100)
    assert everything is not None
    values = rng.permutation(24).astype(float)
    gp = random_gp(0, 5, SMALL.dim)
    for taken in range(24):
        order = np.argsort(-values)
        choice = search(Given(SMALL, values), gp, SMALL, everything[order[:taken]])
        assert np.array_equal(choice.x, everything[order[taken]])
        assert choice.value == values[order[taken]]


def test_a_discrete_cube_that_is_exhausted_still_answers() -> None:
    everything = SMALL.enumerate(100)
    values = np.arange(24.0)
    choice = search(Given(SMALL, values), random_gp(0, 5, SMALL.dim), SMALL, everything)
    assert choice.value == 23.0


def test_values_that_are_not_finite_are_not_chosen() -> None:
    values = np.full(24, np.nan)
    values[[3, 7, 9]] = [1.0, -np.inf, np.inf]
    assert search(Given(SMALL, values), random_gp(0, 5, SMALL.dim), SMALL).value == 1.0


def test_others_are_the_runners_up() -> None:
    gp = random_gp(1, 20, 3)
    acquisition = Scored(UCB(), gp, 0.0, len(gp.X))
    choice = search(acquisition, gp, Cube.continuous(3))
    values = acquisition.value(choice.others)
    assert len(values) >= 16
    assert (np.diff(values) <= 1e-7).all()
    assert values.max() <= choice.value + 1e-7


def test_the_same_generator_gives_the_same_bits() -> None:
    gp = random_gp(2, 30, 4)
    acquisition = Scored(UCB(), gp, 0.0, len(gp.X))
    cube = Cube.continuous(4)
    first = search(acquisition, gp, cube, seed=5)
    search(acquisition, gp, cube, seed=6)
    assert search(acquisition, gp, cube, seed=5).x.tobytes() == first.x.tobytes()


def test_without_centers() -> None:
    gp = random_gp(3, 10, 2)
    acquisition = Scored(UCB(), gp, 0.0, len(gp.X))
    terrain = Terrain(Cube.continuous(2), gp.lengthscales, np.empty((0, 2)), np.empty((0, 2)))
    assert maximize(acquisition, terrain, np.random.default_rng(0)).value > many_starts(acquisition, gp, 40) - 1e-6


class Coarse:
    """An acquisition with many ties, and a memory of what it was asked."""

    def __init__(self, holes: float) -> None:
        self.holes = holes
        self.asked: list[Array] = []

    def estimate(self, P: Array) -> Array:
        heights = np.round(8.0 * P.sum(axis=1))
        return np.where(P[:, 0] < self.holes, np.nan, heights)

    def screen(self, P: Array) -> Array:
        self.asked.append(P)
        return self.estimate(P)

    def value(self, P: Array) -> Array:
        return self.estimate(P)

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        return self.estimate(P), np.zeros_like(P)


@pytest.mark.parametrize("holes", [0.0, 0.2, 0.99, 2.0])
def test_the_shortlist_is_what_sorting_all_candidates_would_give(holes: float) -> None:
    """Of equal candidates the first; those without a value only where nothing else is left."""
    acquisition, gp = Coarse(holes), random_gp(0, 12, 3)
    terrain = Terrain(Cube.continuous(3), gp.lengthscales, gp.X[:8], np.empty((0, 3)))
    shortlist = _screen(acquisition, terrain, np.random.default_rng(5))
    everything = np.concatenate(acquisition.asked)
    best = everything[np.argsort(-acquisition.estimate(everything), kind="stable")[: len(shortlist)]]
    assert len(shortlist) == 256
    assert np.array_equal(shortlist, best)
