"""propose() with several outcomes: goals, bounds, several objectives."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nonstop import UCB, DataError, Hyperparameters, RuleError, Turns, UncertaintyFirst, propose, propose_batch
from nonstop.acquisition.rules import DEFAULT_OF_MANY, DEFAULT_OF_SEVERAL, DEFAULT_RULE
from nonstop.acquisition.rules import RULES as EVERY
from nonstop.acquisition.taken import APART
from nonstop.numerics.hypervolume import hypervolume
from nonstop.outcomes.bound import Bound
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Condition, Cube
from nonstop.surrogate.model import NONSTOP
from nonstop.types import Array
from tests.helpers.cubes import HalfSpaces
from tests.helpers.rules import RULES

SINGLE = {"e-logei", "lp-ucb", "llp-ucb"}  # rules that cannot be applied to a scalarisation
GOALS = ["minimize", "maximize", "<= 0.6", ">= -1.0"]


def data(seed: int = 0, n: int = 25, d: int = 3) -> tuple[Array, Array]:
    """Two objectives that contradict each other and two outcomes with a bound."""
    X = np.random.default_rng(seed).random((n, d))
    return X, np.column_stack(
        [np.square(X - 0.2).sum(axis=1), -np.square(X - 0.8).sum(axis=1), X.mean(axis=1), np.sin(9.0 * X[:, 0])]
    )


# One objective


@pytest.mark.parametrize("rule", [*RULES, DEFAULT_RULE])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_single_objective_gives_the_point_of_the_short_form(rule: str, sign: float) -> None:
    X, Y = data()
    busy, failed = X[:3] * 0.9, X[3:5] * 0.8
    y = Y[:, 0] * sign
    short = propose(X, y, busy, rule, 3, failed=failed)
    goal = "maximize" if sign > 0.0 else "minimize"
    long = propose(X, sign * y[:, None], busy, rule, 3, failed=failed, goals=[goal])
    assert short.x.tobytes() == long.x.tobytes()
    assert repr((short.value, short.mean, short.sd, short.rung)) == repr((long.value, long.mean, long.sd, long.rung))
    assert short.predictions == ()
    assert len(long.predictions) == (rule != "random")


def test_what_is_predicted() -> None:
    X, Y = data()
    proposal = propose(X, Y[:, [2, 0]], goals=["<= 0.6", "minimize"])
    bound, objective = proposal.predictions
    assert (proposal.mean, proposal.sd, proposal.hyperparameters) == (
        objective.mean,
        objective.sd,
        objective.hyperparameters,
    )
    assert bound.mean > 0.0  # inside the bound
    assert proposal.feasible == pytest.approx(0.5 * math.erfc(-bound.mean / bound.sd / math.sqrt(2.0)))
    several = propose(X, Y, goals=GOALS)
    assert math.isnan(several.mean)
    assert math.isnan(several.sd)
    assert several.hyperparameters == several.predictions[0].hyperparameters
    assert len(several.predictions) == 4


def test_warm_hyperparameters_of_every_outcome() -> None:
    X, Y = data()
    first = propose(X, Y, goals=GOALS)
    warm = [prediction.hyperparameters for prediction in first.predictions]
    again = propose(X, Y, goals=GOALS, warm=warm)
    assert [prediction.hyperparameters for prediction in again.predictions] == warm
    assert again.x.tobytes() == first.x.tobytes()
    some = propose(X, Y, goals=GOALS, warm=[None, warm[1], None, None])
    np.testing.assert_allclose(some.predictions[0].hyperparameters.lengthscales, warm[0].lengthscales)


# What it refuses

ONE = Hyperparameters((1.0, 1.0), 1e-3)
BAD: list[tuple[dict[str, Any], str]] = [
    ({"goals": []}, r"at least one objective"),
    ({"goals": ["<= 1", ">= 0"]}, r"at least one objective"),
    ({"goals": "minimize"}, r"goals must be a list"),
    ({"goals": 3}, r"goals must be a list"),
    ({"goals": ["minimize", "least"]}, r"goals\[1\] must be 'minimize', 'maximize' or a bound such as"),
    ({"goals": ["minimize", "< 3"]}, r"goals\[1\] must be"),
    ({"goals": ["minimize", 3.0]}, r"goals\[1\] must be"),
    ({"goals": ["minimize"]}, r"Y must be of shape \(n, 1\), a column for each of the goals, not \(2, 2\)"),
    ({"goals": ["minimize", "<= 1"], "y": [1.0, 2.0]}, r"Y must be of shape \(n, 2\).*not \(2,\)"),
    ({"goals": ["minimize", "<= 1"], "y": [[1.0, 2.0]]}, r"X has 2 rows but y has 1"),
    ({"goals": None}, r"y must be one-dimensional.*give goals"),
    ({"goals": ["minimize", "<= 1"], "warm": ONE}, r"warm must be 2 nonstop.Hyperparameters"),
    ({"goals": ["minimize", "<= 1"], "warm": [ONE]}, r"warm must be 2 nonstop.Hyperparameters.*not 1"),
    ({"goals": ["minimize", "<= 1"], "warm": [ONE, 3]}, r"warm must be nonstop.Hyperparameters"),
]


@pytest.mark.parametrize(("bad", "message"), BAD, ids=lambda value: str(value)[:40])
def test_it_says_what_is_wrong(bad: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"X": [[0.1, 0.2], [0.3, 0.5]], "y": [[1.0, 2.0], [2.0, 0.5]]}
    with pytest.raises(DataError, match=message):
        propose(**{**good, **bad})


@pytest.mark.parametrize("rule", sorted(SINGLE))
def test_a_rule_for_one_objective_says_so(rule: str) -> None:
    X, Y = data()
    message = f"the rule {rule} works with one objective only, not with 2: use kb-ucb"
    for form in (rule, f"ucb+{rule}", Turns((UCB(), EVERY[rule]))):  # type: ignore[arg-type]
        for n in (0, 25):
            with pytest.raises(RuleError, match=message):
                propose(X[:n], Y[:n], rule=form, goals=GOALS)
    propose(X, Y[:, [0, 2]], rule=rule, goals=["minimize", "<= 0.6"])  # bounds are fine


def test_ehvi_needs_two_or_three_objectives() -> None:
    X, Y = data()
    for count in (1, 4):
        message = f"the rule ehvi works with two or three objectives only, not with {count}: use kb-ucb, kb-logei or ts"
        with pytest.raises(RuleError, match=message):
            propose(X, Y[:, :count], rule="ehvi", goals=["minimize"] * count)
    with pytest.raises(RuleError, match="two or three objectives"):
        propose(X, Y[:, 0], rule=UncertaintyFirst(EVERY["ehvi"], 3))  # type: ignore[arg-type]


# What it promises, with every rule


@pytest.mark.parametrize("rule", [name for name in [*EVERY, DEFAULT_RULE] if name not in SINGLE])
def test_all_together(rule: str) -> None:
    """Two objectives, two bounds, failures, busy and believed points."""
    X, Y = data()
    Y[3, 1], Y[4, 2] = math.nan, math.inf
    busy, believed = X[:4] * 0.9, X[5:7] * 0.8
    given: dict[str, Any] = {"rule": rule, "goals": GOALS, "believed": believed, "failed": X[8:10] * 0.7, "seed": 5}
    proposal = propose(X, Y, busy, **given)
    again = propose(X, Y, busy, **given)
    assert proposal.x.tobytes() == again.x.tobytes()
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()
    for point in (*busy, *believed, *X[3:5]):
        assert np.abs(proposal.x - point).max() >= APART
    assert 0.0 <= proposal.feasible <= 1.0
    assert rule == "random" or proposal.rung == "model"


@pytest.mark.parametrize("objectives", [2, 3])
@pytest.mark.parametrize("rule", ["ucb", "ts", "ehvi", DEFAULT_RULE])
@pytest.mark.parametrize("kind", ["mixed", "discrete", "conditional", "region", "fixed"])
def test_in_every_kind_of_space(rule: str, kind: str, objectives: int) -> None:
    rng = np.random.default_rng(1)
    cubes = {
        "mixed": Cube((Continuous(), Levels(20), OneHot(3))),
        "discrete": Cube((Levels(3), OneHot(3), Levels(4))),
        "conditional": Cube((OneHot(2), Continuous(), Continuous()), (None, Condition(0, frozenset({1})), None)),
        "region": replace(Cube.continuous(3), region=HalfSpaces(((1.0, 1.0, 0.0),), (0.9,))),
        "fixed": Cube.continuous(3),
    }
    cube = cubes[kind]
    X = cube.spread(rng.random((30, cube.axes)))
    Y = np.column_stack([X[:, 0], np.square(X - 0.5).sum(axis=1), np.square(X - 0.2).sum(axis=1), X.sum(axis=1)])
    Y = Y[:, [*range(objectives), 3]]
    fixed = [0.3, math.nan, math.nan] if kind == "fixed" else None
    goals = [*["maximize", "minimize", "minimize"][:objectives], ">= 0.5"]
    given: dict[str, Any] = {"goals": goals, "cube": cube, "fixed": fixed}
    x = propose(X, Y, X[:2], rule, failed=X[-3:], **given).x
    np.testing.assert_allclose(cube.snap(x[None])[0], x)
    assert cube.holds(x[None]).all()
    assert kind != "fixed" or x[0] == 0.3
    assert kind != "discrete" or not (x == X).all(axis=1).any()


def test_columns_of_bounds_may_stand_anywhere() -> None:
    X, Y = data()
    one = propose(X, Y, goals=GOALS, seed=4)
    other = propose(X, Y[:, [2, 0, 3, 1]], goals=[GOALS[i] for i in (2, 0, 3, 1)], seed=4)
    np.testing.assert_allclose(one.x, other.x, atol=1e-3)
    np.testing.assert_allclose(
        [p.mean for p in one.predictions], [other.predictions[i].mean for i in (1, 3, 0, 2)], atol=1e-2
    )


def test_a_minimised_objective_is_the_maximised_opposite() -> None:
    X, Y = data()
    one = propose(X, Y[:, :2], goals=["minimize", "maximize"], seed=4)
    other = propose(X, Y[:, :2] * [-1.0, -1.0], goals=["maximize", "minimize"], seed=4)
    assert one.x.tobytes() == other.x.tobytes()


def test_a_bound_may_be_an_object_and_either_side_is_the_same() -> None:
    X, Y = data()
    text = propose(X, Y[:, [0, 2]], goals=["minimize", "<= 0.6"])
    bound = propose(X, Y[:, [0, 2]], goals=["minimize", Bound("<=", 0.6)])
    mirrored = propose(X, Y[:, [0, 2]] * [1.0, -1.0], goals=["minimize", ">= -0.6"])
    assert text.x.tobytes() == bound.x.tobytes() == mirrored.x.tobytes()


def test_other_seeds_seek_other_parts_of_the_front() -> None:
    X, Y = data(n=40, d=2)
    points = [propose(X, Y[:, :2], rule="mean", goals=GOALS[:2], seed=seed).x for seed in range(12)]
    along = np.mean(points, axis=1)  # the front is the segment from (0.2, 0.2) to (0.8, 0.8)
    np.testing.assert_allclose(points, along[:, None] * np.ones(2), atol=0.1)
    assert np.ptp(along) > 0.3


def test_a_batch() -> None:
    X, Y = data()
    batch = propose_batch(X, Y, 3, "kb-ucb", goals=GOALS)
    assert batch[0].x.tobytes() == propose(X, Y, rule="kb-ucb", goals=GOALS).x.tobytes()
    assert min(np.abs(a.x - b.x).max() for i, a in enumerate(batch) for b in batch[:i]) >= APART


# Bounds


def test_rows_that_are_not_finite_in_any_column_failed() -> None:
    X, Y = data()
    broken = Y.copy()
    broken[[1, 2, 3], [0, 2, 3]] = math.nan, math.inf, -math.inf
    rest = np.delete(np.arange(len(X)), [1, 2, 3])
    one = propose(X, broken, goals=GOALS)
    other = propose(X[rest], Y[rest], goals=GOALS, failed=X[[1, 2, 3]])
    assert one.x.tobytes() == other.x.tobytes()


def test_before_anything_is_feasible_the_bounds_are_all_that_counts() -> None:
    """The objective pulls to the left, and only the right end is within the bound."""
    X = np.linspace(0.0, 0.7, 12)[:, None]
    Y = np.column_stack([X[:, 0], X[:, 0]])
    for rule in ("ucb", "logei", "kb-ucb", "ts", "e-logei"):
        proposal = propose(X, Y, rule=rule, goals=["minimize", ">= 0.9"])
        assert proposal.x[0] > 0.85, rule


@pytest.mark.parametrize("rule", ["ucb", "logei", "kb-logei", "e-logei", "ts", DEFAULT_RULE])
def test_bounds_are_kept(rule: str) -> None:
    """The objective grows to the right, the bound is at 0.6."""
    X = np.random.default_rng(0).random((30, 2))
    Y = np.column_stack([X[:, 0] + 0.1 * np.sin(5.0 * X[:, 1]), X[:, 0]])
    points = np.array([propose(X, Y, rule=rule, goals=["maximize", "<= 0.6"], seed=seed).x for seed in range(4)])
    assert (points[:, 0] > 0.5).all()
    assert (points[:, 0] < 0.63).all()


def test_a_busy_point_outside_the_bounds_is_no_value_to_beat() -> None:
    """Busy points far beyond the bound promise the largest values; LogEI must not think that they will be reached."""
    X = np.random.default_rng(0).random((30, 1))
    Y = np.column_stack([X[:, 0], X[:, 0]])
    goals, busy = ["maximize", "<= 0.5"], np.array([[0.93], [0.97]])
    plain = propose(X, Y, rule="logei", goals=goals)
    for rule in ("kb-logei", "e-logei"):
        proposal = propose(X, Y, busy, rule, goals=goals)
        assert proposal.value == pytest.approx(plain.value, abs=0.5), rule


# Data that say little


@pytest.mark.parametrize("rule", ["logei", "ts", "ehvi", "aegis", DEFAULT_RULE])
@pytest.mark.parametrize("kind", ["one", "none", "flat", "tiny", "huge", "twice", "infeasible", "feasible", "ties"])
def test_data_that_say_little(kind: str, rule: str) -> None:
    X, Y = data(n=12)
    if kind in ("one", "none"):
        X, Y = X[: kind == "one"], Y[: kind == "one"]
    elif kind == "flat":
        Y = np.ones_like(Y)
    elif kind in ("tiny", "huge"):
        Y = Y * [1e-12, 1e12, 1e300, 1e-300] if kind == "tiny" else Y * [1e300, 1e-300, 1e-12, 1e12]
    elif kind == "twice":
        X, Y = np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0)
    elif kind in ("infeasible", "feasible"):
        Y[:, 2:] = [[9.0, -9.0]] if kind == "infeasible" else [[-9.0, 9.0]]
    elif kind == "ties":
        Y = np.round(Y)
    proposal = propose(X, Y, X[:1] * 0.5, rule, goals=GOALS)
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()
    assert proposal.rung in (("quasi-random",) if kind == "none" else ("model", "jitter"))


VALUES = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-12, 1e12, -1e300, 1e308, math.nan, math.inf])


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 6), st.integers(1, 2), st.sampled_from(["kb-ucb", "logei", "ehvi", "ts"]))
def test_no_values_make_it_raise(drawn: st.DataObject, n: int, d: int, rule: str) -> None:
    Y = drawn.draw(arrays(np.float64, (n, 4), elements=VALUES))
    X = np.random.default_rng(n).random((n, d))
    proposal = propose(X, Y, rule=rule, goals=GOALS, surrogate=drawn.draw(st.sampled_from(["nonstop", "paper"])))
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(1, 8))
def test_no_values_of_three_objectives_make_it_raise(drawn: st.DataObject, n: int) -> None:
    Y = drawn.draw(arrays(np.float64, (n, 4), elements=VALUES))
    X = np.random.default_rng(n).random((n, 2))
    goals = ["minimize", "maximize", "minimize", "<= 0.6"]
    proposal = propose(X, Y, X[:2] * 0.5, rule="ehvi", goals=goals)
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()


def test_more_results_than_a_model_takes() -> None:
    X, Y = data(n=60)
    proposal = propose(X, Y, goals=GOALS, surrogate=replace(NONSTOP, max_points=20))
    assert proposal.rung == "model"


# It works


def searched(function: Callable[[Array], Array], goals: list[str], d: int, rule: str, count: int) -> Array:
    """The outcomes of `count` evaluations one after the other, after eight at random."""
    X = np.random.default_rng(2).random((8, d))
    Y = function(X)
    warm: Any = None
    while len(X) < 8 + count:
        proposal = propose(X, Y, rule=rule, goals=goals, seed=len(X), warm=warm)
        warm = [prediction.hyperparameters for prediction in proposal.predictions] or None
        X, Y = np.vstack([X, proposal.x]), np.vstack([Y, function(proposal.x[None])])
    return Y


def gramacy(X: Array) -> Array:
    """Gramacy et al. 2016: the least feasible value is 0.5998."""
    a, b = X.T
    wave = 0.5 * np.sin(2.0 * np.pi * (a**2 - 2.0 * b)) + a + 2.0 * b - 1.5
    return np.column_stack([a + b, wave, a**2 + b**2 - 1.5])


def zdt1(X: Array) -> Array:
    g = 1.0 + 9.0 * X[:, 1:].mean(axis=1)
    return np.column_stack([X[:, 0], g * (1.0 - np.sqrt(X[:, 0] / g))])


def test_a_constrained_problem_is_solved() -> None:
    Y = searched(gramacy, ["minimize", ">= 0.0", "<= 0.0"], 2, DEFAULT_RULE, 25)
    blind = gramacy(np.random.default_rng(2).random((1000, 2)))

    def best(Y: Array) -> float:
        return float(Y[(Y[:, 1] >= 0.0) & (Y[:, 2] <= 0.0), 0].min())

    assert 0.599 < best(Y) < best(blind)


@pytest.mark.parametrize("rule", [DEFAULT_OF_SEVERAL, DEFAULT_OF_MANY, "ehvi"])
def test_two_objectives_are_solved(rule: str) -> None:
    Y = searched(zdt1, ["minimize", "minimize"], 3, rule, 30)
    blind = zdt1(np.random.default_rng(2).random((1000, 3)))
    corner = np.array([-1.1, -1.1])
    assert hypervolume(-Y, corner) > hypervolume(-blind, corner) + 0.1


def sphere(X: Array) -> Array:
    """DTLZ2 with three objectives: the front is a part of the unit sphere."""
    a, b = X[:, :2].T * math.pi / 2.0
    radius = 1.0 + np.square(X[:, 2:] - 0.5).sum(axis=1)
    return np.column_stack([radius * np.cos(a) * np.cos(b), radius * np.cos(a) * np.sin(b), radius * np.sin(a)])


def test_three_objectives_are_solved() -> None:
    Y = searched(sphere, ["minimize"] * 3, 4, DEFAULT_OF_SEVERAL, 40)
    blind = sphere(np.random.default_rng(2).random((48 * 4, 4)))
    corner = np.full(3, -1.1)
    assert hypervolume(-Y, corner) > hypervolume(-blind, corner)
