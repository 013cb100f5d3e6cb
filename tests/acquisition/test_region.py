"""Known constraints: feasible points are found and spread, and the maximum is found on the border of the region."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import NonlinearConstraint, minimize

import nonstop
from nonstop.acquisition.border import nearest_to_zero, slide
from nonstop.acquisition.inside import feasible_moves, filling, retracted, scattered
from nonstop.acquisition.maximize import Terrain, maximize
from nonstop.errors import SpaceError
from nonstop.space.axes import Axis, Continuous, Levels, OneHot
from nonstop.space.cube import Condition, Cube, Region
from nonstop.space.holding import held
from nonstop.types import Array
from tests.helpers.cubes import Ball, HalfSpaces, Nowhere, random_cube, random_region
from tests.helpers.rules import RULES


def box(d: int, region: Region) -> Cube:
    return Cube((Continuous(),) * d, region=region)


def all_ones(d: int) -> tuple[float, ...]:
    return (1.0,) * d


#: A ten-thousandth of the box each, or less: a slab, a ball, a corner; and without a margin.
THIN = {
    "slab": box(3, HalfSpaces((all_ones(3), (-1.0,) * 3), (1.5001, -1.5))),
    "ball": box(4, Ball((0.3, 0.6, 0.5, 0.2), 0.067)),
    "corner": box(2, HalfSpaces(((-1.0, 0.0), (0.0, -1.0)), (-0.99, -0.99))),
    "blind": box(2, HalfSpaces(((-1.0, 0.0), (0.0, -1.0)), (-0.99, -0.99), blind=True)),
    "tiny": box(4, Ball((0.3, 0.6, 0.5, 0.2), 0.01)),  # 5e-8 of the box, found by its margin
}


@pytest.mark.parametrize("cube", THIN.values(), ids=THIN)
def test_thin_regions_are_found_and_filled(cube: Cube) -> None:
    X = filling(cube, 3, 0, 40)
    assert cube.holds(X).all()
    assert len(np.unique(X, axis=0)) == 40
    # Spread like a uniform sample of the region: as far apart as its extent allows.
    sample = scattered(cube, np.random.default_rng(0), 2000)
    assert cube.holds(sample).all()
    assert (np.ptp(X, axis=0) > 0.6 * np.ptp(sample, axis=0)).all()


@pytest.mark.parametrize("cube", THIN.values(), ids=THIN)
@pytest.mark.parametrize("rule", ["kb-ucb+kb-ucb+kb-logei", "aegis", "ts", "random", "lp-ucb"])
def test_thin_regions_are_searched(cube: Cube, rule: str) -> None:
    X = filling(cube, 0, 0, 8)
    for seed in range(3):
        x = nonstop.propose(X, -np.square(X - 0.4).sum(axis=1), rule=rule, seed=seed, cube=cube).x
        assert cube.holds(x[None])[0]
        assert (x != X).any(axis=1).all()


def test_a_ball_is_sampled_evenly() -> None:
    """In d dimensions, half of the volume is farther than 2^(-1/d) of the radius from the centre."""
    centre, radius = np.array([0.3, 0.6, 0.5]), 0.03
    sample = scattered(box(3, Ball(tuple(centre), radius)), np.random.default_rng(1), 4000)
    outer = np.linalg.norm(sample - centre, axis=1) > radius * 0.5 ** (1.0 / 3.0)
    assert 0.44 < outer.mean() < 0.56
    assert (np.abs((sample > centre).mean(axis=0) - 0.5) < 0.06).all()


def test_a_wide_region_keeps_the_feasible_points_of_the_sequence() -> None:
    free, cube = Cube.continuous(2), box(2, HalfSpaces((all_ones(2),), (1.0,)))
    everything = filling(free, 7, 0, 400)
    expected = everything[cube.holds(everything)]
    assert np.array_equal(filling(cube, 7, 0, 100), expected[:100])
    assert np.array_equal(filling(cube, 7, 60, 40), expected[60:100])
    assert np.array_equal(filling(cube, 7, 99, 1)[0], expected[99])


@pytest.mark.parametrize("cube", THIN.values(), ids=THIN)
def test_the_start_is_a_function_of_seed_and_number(cube: Cube) -> None:
    whole = filling(cube, 5, 0, 20)
    assert np.array_equal(filling(cube, 5, 7, 6), whole[7:13])
    assert not np.array_equal(filling(cube, 6, 0, 20), whole)
    late = filling(cube, 5, 1000, 3)
    assert np.array_equal(late[1], filling(cube, 5, 1001, 1)[0])
    assert cube.holds(late).all()


@pytest.mark.parametrize("region", [Nowhere(), Nowhere(blind=False)], ids=["blind", "with a margin"])
@pytest.mark.parametrize("rule", ["ucb", "random", "aegis"])
def test_a_region_that_seems_empty(region: Region, rule: str) -> None:
    cube = box(2, region)
    X = np.random.default_rng(0).random((5, 2))
    for n in (0, 5):
        with pytest.raises(SpaceError, match=r"seem to leave no point: 13\d\d\d\d points were tried"):
            nonstop.propose(X[:n], X[:n, 0], cube=cube, rule=rule)
    with pytest.raises(SpaceError, match="points were tried"):
        filling(replace(cube, parts=(Levels(4), OneHot(3))), 0, 0, 1)


def test_fixed_values_that_leave_nothing() -> None:
    cube = box(2, HalfSpaces((all_ones(2),), (0.5,)))
    x = nonstop.propose([[0.1, 0.1]], [1.0], cube=cube, fixed=[0.5, np.nan]).x
    assert x.tolist() == [0.5, 0.0], "one point is left"
    with pytest.raises(SpaceError, match="the constraints and the fixed values seem to leave no point"):
        nonstop.propose([[0.1, 0.1]], [1.0], cube=cube, fixed=[0.6, np.nan])


def test_retracted_points_are_feasible_and_on_the_way() -> None:
    cube = box(2, HalfSpaces((all_ones(2),), (1.0,)))
    rng = np.random.default_rng(0)
    origins, targets = 0.5 * rng.random((50, 2)), rng.random((50, 2))
    found = retracted(cube, origins, targets)
    assert cube.holds(found).all()
    assert np.array_equal(found[cube.holds(targets)], targets[cube.holds(targets)])
    off = (found - origins)[:, 0] * (targets - origins)[:, 1] - (found - origins)[:, 1] * (targets - origins)[:, 0]
    assert np.abs(off).max() < 1e-12
    corner = np.array([[0.5, 0.5]])
    assert np.array_equal(retracted(cube, corner, np.array([[0.9, 0.9]])), corner)


class Quadratic:
    """-(x - c)' M (x - c), to be maximised."""

    def __init__(self, c: Array, M: Array) -> None:
        self.c, self.M = c, M

    def value(self, P: Array) -> Array:
        D = P - self.c
        value: Array = -np.einsum("ij,jk,ik->i", D, self.M, D)
        return value

    screen = value

    def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
        return self.value(P), -2.0 * (P - self.c) @ self.M


def best_inside(f: Quadratic, region: HalfSpaces | Ball, d: int) -> float:
    """What SLSQP finds from some starts, with each constraint on its own."""

    def slacks(x: Array) -> Array:
        if isinstance(region, Ball):
            return region._slack(x[None])
        return np.array(region.offsets) - np.array(region.normals) @ x

    found = [
        minimize(  # type: ignore[call-overload]
            lambda x: -float(f.value(x[None])[0]),
            start,
            jac=lambda x: -f.value_and_gradient(x[None])[1][0],
            bounds=[(0.0, 1.0)] * d,
            constraints=NonlinearConstraint(slacks, 0.0, np.inf),
            method="SLSQP",
            tol=1e-14,
        )
        for start in np.random.default_rng(0).random((6, d))
    ]
    return max(-float(each.fun) for each in found if slacks(each.x).min() > -1e-9)


def regions(d: int) -> dict[str, HalfSpaces | Ball]:
    rng = np.random.default_rng(d)
    normals = rng.standard_normal((3, d))
    normals = np.where((normals.sum(axis=1) > 0.0)[:, None], normals, -normals)  # the peak at 0.7 is outside of all
    offsets = normals.sum(axis=1) * 0.45
    halves = [HalfSpaces(tuple(map(tuple, normals[:k].tolist())), tuple(offsets[:k].tolist())) for k in (1, 2, 3)]
    named: dict[str, HalfSpaces | Ball] = dict(zip(("one plane", "two planes", "three planes"), halves, strict=True))
    return named | {"ball": Ball((0.4,) * d, 0.25), "outside of a ball": Ball((0.6,) * d, 0.4, outside=True)}


@pytest.mark.parametrize("blind", [False, True], ids=["margin", "blind"])
@pytest.mark.parametrize("name", regions(2))
@pytest.mark.parametrize("d", [2, 5])
def test_the_maximum_is_found_on_the_border(d: int, name: str, blind: bool) -> None:
    rng = np.random.default_rng(d)
    A = rng.standard_normal((d, d))
    f = Quadratic(np.full(d, 0.7), A @ A.T / d + 0.1 * np.eye(d))
    region = replace(regions(d)[name], blind=blind)
    terrain = Terrain(box(d, region), np.full(d, 0.5), np.empty((0, d)), np.empty((0, d)), candidates=128)
    choice = maximize(f, terrain, np.random.default_rng(0))
    assert region.holds(choice.x[None])[0]
    assert region.holds(choice.others).all()
    # Without a margin, the normals of a corner are not told apart as well.
    assert choice.value > best_inside(f, region, d) - (1e-3 if blind and "planes" in name else 1e-5)


def test_the_shortest_vector_that_satisfies_inequalities() -> None:
    assert nearest_to_zero(np.array([[1.0, 1.0]]), np.array([2.0])) == pytest.approx([1.0, 1.0])
    assert nearest_to_zero(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])) == pytest.approx([1.0, 0.0])
    assert nearest_to_zero(np.array([[1.0, 0.0]]), np.array([-1.0])) == pytest.approx([0.0, 0.0])
    assert nearest_to_zero(np.array([[1.0], [-1.0]]), np.array([1.0, 1.0])) == pytest.approx([0.0]), "there is none"
    assert nearest_to_zero(np.array([[0.0, 0.0]]), np.array([1.0])) == pytest.approx([0.0, 0.0]), "no direction"
    assert nearest_to_zero(np.empty((0, 2)), np.empty(0)) == pytest.approx([0.0, 0.0])


def shortest(A: Array, b: Array, tolerance: float) -> Array:
    """By brute force: the shortest of the feasible points that are nearest to zero on some of the planes."""
    sets = [list(rows) for c in range(1, A.shape[1] + 1) for rows in combinations(range(len(A)), c)]
    points: list[Array] = [np.zeros(A.shape[1])]
    points += [np.asarray(np.linalg.lstsq(A[rows], b[rows])[0], dtype=float) for rows in sets]
    return min((z for z in points if (A @ z >= b - tolerance).all()), key=np.linalg.norm)


@given(k=st.integers(1, 4), cuts=st.integers(1, 4), apart=st.sampled_from([0.0, 1e-15, 1e-9, 1e-4, 1.0]),
       scale=st.sampled_from([1e-8, 1.0, 1e6]), seed=st.integers(0, 2**32 - 1))  # fmt: skip
def test_the_shortest_vector_is_that_of_brute_force(k: int, cuts: int, apart: float, scale: float, seed: int) -> None:
    """Also with cuts in the same or nearly the same direction, where SciPy 1.13 calls the matrix singular."""
    rng = np.random.default_rng(seed)
    first = rng.standard_normal(k)
    A = np.concatenate([first + apart * rng.standard_normal((cuts, k)), np.eye(k), -np.eye(k)])
    inside = rng.standard_normal(k)
    b = scale * (A @ inside - rng.exponential(size=len(A)) * (rng.random(len(A)) < 0.7))
    z, best = nearest_to_zero(A, b), shortest(A, b, 1e-9 * scale)
    assert (A @ z >= b - 1e-6 * scale).all()
    assert np.linalg.norm(z) <= np.linalg.norm(best) + 1e-6 * scale


@dataclass(frozen=True)
class Bend:
    """Strongly curved where the climb begins and linear after that. The curvature of the model must fall by many orders
    of magnitude, and the rounding errors that it had when it was large stay."""

    slope: Array
    direction: Array
    curvature: float

    def value(self, X: Array) -> Array:
        return self.value_and_gradient(X)[0]

    screen = value

    def value_and_gradient(self, X: Array) -> tuple[Array, Array]:
        before = np.maximum(0.3 - X @ self.direction, 0.0)[:, None]
        value = X @ self.slope - 0.5 * self.curvature * before[:, 0] ** 2
        return value, self.slope + self.curvature * before * self.direction


@pytest.mark.parametrize("seed", range(20))
def test_rounding_errors_of_the_curvature_end_no_climb(seed: int) -> None:
    rng = np.random.default_rng(seed)
    slope, direction = rng.uniform(0.1, 1.0, (2, 3))
    f = Bend(slope, direction / direction.sum(), 10.0 ** rng.uniform(6, 16))
    cube = box(3, Ball((0.5, 0.5, 0.5), 0.45))
    start = np.full(3, 0.29)
    x, value = slide(f, cube, start, np.ones(3, dtype=bool), np.full(3, 0.02), 1e-12)
    assert cube.holds(x[None])[0]
    assert value == f.value(x[None])[0] > f.value(start[None])[0]


def regret(cube: Cube, peak: Array, best: float, seed: int, n: int) -> float:
    weights = np.linspace(1.0, 2.0, cube.dim)

    def f(x: Array) -> float:
        return -float((weights * (x - peak) ** 2).sum())

    X = list(filling(cube, seed, 0, 3 * cube.dim))
    y = [f(x) for x in X]
    warm = None
    while len(X) < n:
        found = nonstop.propose(X, y, seed=100 * seed + len(X), cube=cube, warm=warm)
        warm = found.hyperparameters
        X.append(found.x)
        y.append(f(found.x))
        assert cube.holds(found.x[None])[0]
    return best - max(y)


REGIONS: dict[str, HalfSpaces | Ball] = {
    "linear": HalfSpaces((all_ones(2),), (1.0,)),
    "blind": HalfSpaces((all_ones(2),), (1.0,), blind=True),
    "curved": Ball((0.3, 0.3), 0.3),
    "two at once": HalfSpaces(((1.0, 0.0), (0.3, 1.0)), (0.55, 0.765)),
}


@pytest.mark.parametrize("name", REGIONS)
def test_the_regret_is_that_of_the_unconstrained_twin(name: str) -> None:
    """At most twice as large, or too small to matter: the median of three runs."""
    weights = np.linspace(1.0, 2.0, 2)
    best = best_inside(Quadratic(np.full(2, 0.8), np.diag(weights)), REGIONS[name], 2)
    twin = [regret(Cube.continuous(2), np.full(2, 0.45), 0.0, seed, 20) for seed in range(3)]
    ours = [regret(box(2, REGIONS[name]), np.full(2, 0.8), best, seed, 20) for seed in range(3)]
    assert np.median(ours) <= max(2.0 * float(np.median(twin)), 1e-6)


@dataclass(frozen=True)
class Sum:
    """The levels of two integers of ten add up to seven (or at most to seven)."""

    exactly: bool = True

    def holds(self, X: Array) -> NDArray[np.bool_]:
        total = Levels(10).index(X[:, :1]) + Levels(10).index(X[:, 1:2])
        kept: NDArray[np.bool_] = total == 7 if self.exactly else total <= 7
        return kept

    def margin(self, X: Array) -> Array | None:  # noqa: ARG002
        return None


@pytest.mark.parametrize("rule", RULES)
def test_a_thin_discrete_region_is_exhausted(rule: str) -> None:
    cube = Cube((Levels(10), Levels(10)), region=Sum())
    X = filling(cube, 0, 0, 2)
    while len(X) < 8:
        found = nonstop.propose(X, -X[:, 0], rule=rule, cube=cube).x
        assert cube.holds(found[None])[0]
        X = np.concatenate([X, [found]])
    assert len(np.unique(X, axis=0)) == 8 == cube.size


def test_moves_of_two_axes_at_once() -> None:
    """From a point of a + b == 7 no single move is feasible, two at once are; and together with a continuous axis."""
    parts: tuple[Axis, ...] = (Levels(10), Levels(10), Continuous())
    cube = Cube(parts, region=Sum())
    x = np.array([0.35, 0.45, 0.3])
    assert cube.holds(x[None])[0]
    assert not len(cube.neighbours(x))
    assert sorted(map(tuple, feasible_moves(cube, x).round(6).tolist())) == [(0.25, 0.55, 0.3), (0.45, 0.35, 0.3)]
    f = Quadratic(np.array([0.85, 0.0, 0.77]), np.eye(3))
    for region in (Sum(), Sum(exactly=False)):
        terrain = Terrain(replace(cube, region=region), np.ones(3), x[None], np.empty((0, 3)), candidates=1)
        found = maximize(f, terrain, np.random.default_rng(0)).x
        assert found == pytest.approx([0.75, 0.05, 0.77], abs=1e-3)


def test_constraints_across_discrete_and_continuous_axes() -> None:
    """Of the choice, only the second allows large x; the maximum is on the border that belongs to the choice."""
    region = HalfSpaces(((0.2, -0.4, 1.0, 0.5),), (0.6,))
    cube = Cube((OneHot(2), Continuous(), Levels(4)), region=region)
    rng = np.random.default_rng(0)
    X = scattered(cube, rng, 15)
    found = [nonstop.propose(X, 2.0 * X[:, 2] + X[:, 3], cube=cube, rule=rule).x for rule in ("mean", "ucb")]
    for x in found:
        assert region.holds(x[None])[0]
        assert x[1] == 1.0
        assert region._slack(x[None])[0] < 1e-6 or x[2] == 1.0


@pytest.mark.parametrize("rule", ["ucb", "kb-logei", "ts", "aegis"])
def test_constraints_and_failures_together(rule: str) -> None:
    """Evaluations fail for x > 0.6, and x + y <= 1.2 is known: both are kept away from."""
    cube = box(2, HalfSpaces((all_ones(2),), (1.2,)))
    X = filling(cube, 0, 0, 30)
    good = X[:, 0] <= 0.6
    outside = 0
    for seed in range(5):
        found = nonstop.propose(
            X[good], X[good].sum(axis=1) + X[good, 0], failed=X[~good], cube=cube, rule=rule, seed=seed
        )
        assert cube.holds(found.x[None])[0]
        outside += found.x[0] > 0.65
    assert outside <= 1


class Careless:
    """A rule of a user's own that does not know of constraints."""

    def choose(self, view: nonstop.View) -> nonstop.Choice:  # noqa: ARG002
        return nonstop.Choice(np.array([0.9, 0.9]), 1.0, np.array([[0.95, 0.95], [0.2, 0.3]]))


class CarelessDrawer:
    def draw(self, cube: Cube, rng: np.random.Generator) -> Array:
        return 0.9 + 0.1 * rng.random((3, cube.dim))


def test_rules_that_overlook_a_constraint_are_overruled() -> None:
    cube = box(2, HalfSpaces((all_ones(2),), (1.0,)))
    assert nonstop.propose([[0.1, 0.1]], [1.0], rule=Careless(), cube=cube).x.tolist() == [0.2, 0.3]
    x = nonstop.propose([[0.1, 0.1]], [1.0], rule=CarelessDrawer(), cube=cube).x
    assert cube.holds(x[None])[0]
    fixed = nonstop.propose([[0.1, 0.1]], [1.0], rule=Careless(), fixed=[0.4, np.nan]).x
    assert fixed[0] == 0.4


@pytest.mark.parametrize("seed", range(40))
def test_held_axes_in_a_region(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cube = random_cube(rng)
    cube = replace(cube, region=random_region(rng, cube))
    x = scattered(cube, rng, 1)[0]
    given = np.where((rng.random(cube.axes) < 0.4)[cube.owners] & cube.active(x[None])[0], x, np.nan)
    smaller = held(cube, given)
    try:
        X = np.concatenate([filling(smaller, seed, 0, 20), scattered(smaller, rng, 20)])
    except SpaceError:
        pytest.fail("x itself is feasible") if np.isnan(given).all() else None
        return
    assert cube.holds(X).all()
    assert np.array_equal(cube.snap(X), X)
    kept = ~np.isnan(given) & cube.active(X)
    assert np.array_equal(X[kept], np.tile(given, (40, 1))[kept])


def test_a_branch_without_feasible_points_is_not_tried() -> None:
    cube = Cube(
        (OneHot(3), Continuous()), (None, Condition(0, frozenset({1}))), HalfSpaces(((0.0, 0.0, 1.0, 0.0),), (0.5,))
    )
    X = filling(cube, 0, 0, 1)
    while len(X) < 8:
        X = np.concatenate([X, [nonstop.propose(X, X[:, 3], cube=cube).x]])
    assert X[:, :3].sum(axis=0).astype(bool).tolist() == [True, True, False]
