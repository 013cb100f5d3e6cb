"""propose(): what it refuses, what it promises, and that it is a pure function."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nonstop
from nonstop import UCB, Choice, DataError, Hyperparameters, RuleError, Surrogate, View, propose
from nonstop.acquisition.taken import APART
from nonstop.numerics.linalg import NotPositiveDefiniteError
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
from nonstop.surrogate.gp import GP
from nonstop.surrogate.likelihood import Likelihood
from nonstop.types import Array

MODELLED = ["ucb", "logei", "mean"]
every_rule = pytest.mark.parametrize("rule", [*MODELLED, "random"])
modelled = pytest.mark.parametrize("rule", MODELLED)
SMALL = Cube((Levels(2), Levels(3), OneHot(4)))


def data(seed: int = 0, n: int = 15, d: int = 3) -> tuple[Array, Array]:
    X = np.random.default_rng(seed).random((n, d))
    return X, -np.square(X - 0.4).sum(axis=1) + np.sin(9.0 * X[:, 0])


def linear(d: int, n: int = 12) -> tuple[Array, Array]:
    """The best point is the corner (1, …, 1), whatever the model believes."""
    X = np.random.default_rng(d).random((n, d))
    return X, X.sum(axis=1)


def apart(points: Array) -> float:
    """The smallest distance between two rows, in the largest coordinate."""
    D = np.abs(points[:, None] - points[None]).max(axis=2)
    return float((D + np.eye(len(points))).min())


# What it answers


@every_rule
@pytest.mark.parametrize("n", [0, 1, 2, 20])
def test_a_finite_point_of_the_cube(rule: str, n: int) -> None:
    X, y = data(n=n)
    proposal = propose(X, y, rule=rule)
    assert proposal.x.shape == (3,)
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()
    assert proposal.believed == 0
    assert proposal.nearest_busy == math.inf
    assert proposal.seconds >= proposal.fit_seconds >= 0.0
    expected = "random" if rule == "random" else "model" if n else "quasi-random"
    assert proposal.rung == expected
    assert (proposal.hyperparameters is None) == (expected != "model")


def test_what_it_says_about_the_point_is_true() -> None:
    X, y = data()
    proposal = propose(X, y, rule=UCB(3.0), busy=[[0.1, 0.2, 0.3], [0.9, 0.9, 0.9]])
    assert proposal.value == pytest.approx(proposal.mean + math.sqrt(3.0) * proposal.sd, rel=1e-6)
    assert 0.0 < proposal.sd <= 1.0
    expected = min(np.linalg.norm(proposal.x - 0.9), np.linalg.norm(proposal.x - [0.1, 0.2, 0.3]))
    assert proposal.nearest_busy == pytest.approx(expected)
    assert proposal.hyperparameters is not None
    assert len(proposal.hyperparameters.lengthscales) == 3


def test_lists_and_integers_will_do() -> None:
    assert propose([[0, 1], [1, 0], [0, 0]], [1, 2, 3]).x.shape == (2,)


def test_it_optimises() -> None:
    """Thirty proposals in a row find the peak of a smooth hill."""
    rng = np.random.default_rng(0)
    peak = np.array([0.3, 0.7])
    X = rng.random((5, 2))
    for seed in range(25):
        X = np.vstack([X, propose(X, -np.square(X - peak).sum(axis=1), seed=seed).x])
    assert np.abs(X - peak).max(axis=1).min() < 0.01


def test_it_maximises_and_not_minimises() -> None:
    X, y = linear(2)
    assert propose(X, y, rule="mean").x.tolist() == [1.0, 1.0]
    assert propose(X, -y, rule="mean").x.tolist() == [0.0, 0.0]


# What it refuses

GOOD: dict[str, Any] = {"X": [[0.1, 0.2], [0.3, 0.5]], "y": [1.0, 2.0]}
BAD: list[tuple[dict[str, Any], str]] = [
    ({"X": [0.1, 0.2], "y": [1.0, 2.0]}, r"X must be of shape \(n, d\)"),
    ({"X": [], "y": []}, r"X must be of shape"),
    ({"X": np.empty((0, 0)), "y": []}, r"X must be of shape"),
    ({"X": np.zeros((2, 2, 2)), "y": [1.0, 2.0]}, r"X must be of shape"),
    ({"y": [[1.0], [2.0]]}, r"y must be one-dimensional"),
    ({"y": 1.0}, r"y must be one-dimensional"),
    ({"y": [1.0, 2.0, 3.0]}, r"X has 2 rows but y has 3"),
    ({"X": [[0.1, 0.2], [0.3, 1.5]]}, r"X must lie in \[0, 1\]: row 1"),
    ({"X": [[-0.1, 0.2], [0.3, 0.5]]}, r"X must lie in \[0, 1\]: row 0"),
    ({"X": [[0.1, 0.2], [math.nan, 0.5]]}, r"X must lie in \[0, 1\]: row 1"),
    ({"X": [[0.1, math.inf], [0.1, 0.5]]}, r"X must lie in \[0, 1\]: row 0"),
    ({"busy": [0.1, 0.2]}, r"busy must be of shape \(n, 2\)"),
    ({"busy": [[0.1, 0.2, 0.3]]}, r"busy must be of shape \(n, 2\), not \(1, 3\)"),
    ({"busy": [[0.1, 1.2]]}, r"busy must lie in"),
    ({"busy": [[0.1, math.nan]]}, r"busy must lie in"),
    ({"believed": [[0.1]]}, r"believed must be of shape"),
    ({"avoid": [[2.0, 0.0]]}, r"avoid must lie in"),
    ({"cube": Cube.continuous(3)}, r"X must be of shape \(n, 3\), not \(2, 2\)"),
    ({"seed": -1}, r"seed must be an integer"),
    ({"seed": 1.5}, r"seed must be an integer"),
    ({"seed": True}, r"seed must be an integer"),
    ({"seed": None}, r"seed must be an integer"),
    ({"seed": "0"}, r"seed must be an integer"),
    ({"warm": Hyperparameters((1.0,), 0.1)}, r"warm has 1 lengthscales"),
    ({"X": [["a", "b"], ["c", "d"]]}, r"X must be"),
    ({"y": ["a", "b"]}, r"y must be"),
    ({"y": [None, "x"]}, r"y must be"),
    ({"X": [[0.1, 0.2], [0.3]]}, r"X must be"),
    ({"busy": "all"}, r"busy must be"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_data(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        propose(**(GOOD | arguments))


@pytest.mark.parametrize("rule", ["ubc", "", 3, object(), UCB])
def test_bad_rules(rule: Any) -> None:
    with pytest.raises(RuleError):
        propose([[0.1]], [1.0], rule=rule)


def test_unknown_names_are_told_the_known_ones() -> None:
    with pytest.raises(RuleError, match=r"unknown rule 'ubc'.*ucb, logei"):
        propose([[0.1]], [1.0], rule="ubc")
    with pytest.raises(RuleError, match=r"unknown surrogate 'tree'.*paper"):
        propose([[0.1]], [1.0], surrogate="tree")


def test_bad_arguments_are_refused_without_data_too() -> None:
    with pytest.raises(RuleError):
        propose(np.empty((0, 2)), [], rule="ubc")
    with pytest.raises(DataError):
        propose(np.empty((0, 2)), [], seed=-1)


# Purity

SCRIPT = """
import numpy as np, nonstop
from nonstop.space.axes import Continuous, Levels, OneHot
from nonstop.space.cube import Cube
rng = np.random.default_rng(0)
X = rng.random((40, 4)); y = np.sin(7 * X).sum(axis=1)
cube = Cube((Continuous(), Levels(7), OneHot(3)))
M = cube.spread(rng.random((12, 3)))
for rule in ("random", "mean", "logei", "ucb"):
    print(nonstop.propose(X, y, busy=X[:2], rule=rule, seed=5).x.tobytes().hex())
    print(nonstop.propose(M, M.sum(axis=1) + M[:, 0], believed=M[:2], rule=rule, seed=7, cube=cube).x.tobytes().hex())
print(nonstop.propose(np.empty((0, 5)), [], seed=3).x.tobytes().hex())
"""


def in_a_process(hash_seed: str) -> str:
    # The test's own settings of BLAS must not reach the child: purity may not depend on them.
    environment = {"PYTHONHASHSEED": hash_seed, "PATH": ""}
    command = [sys.executable, "-W", "error", "-c", SCRIPT]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_same_bytes_in_any_process() -> None:
    first, second = in_a_process("1"), in_a_process("4242")
    assert len(first.split()) == 9
    assert first == second


@every_rule
def test_the_same_bytes_after_other_calls(rule: str) -> None:
    X, y = data()
    first = propose(X, y, rule=rule, seed=11)
    propose(*data(1, 30, 5), rule="ucb", seed=12)
    np.random.seed(0)  # noqa: NPY002
    again = propose(X.copy(), y.copy(), rule=rule, seed=11)
    assert again.x.tobytes() == first.x.tobytes()
    assert again.value == pytest.approx(first.value, rel=0.0, abs=0.0, nan_ok=True)
    assert again.hyperparameters == first.hyperparameters


def test_memory_layout_does_not_matter() -> None:
    X, y = data(2, 20, 4)
    first = propose(X, y)
    assert propose(np.asfortranarray(X), y).x.tobytes() == first.x.tobytes()
    assert propose(X.tolist(), y.tolist()).x.tobytes() == first.x.tobytes()
    assert propose(np.repeat(X, 2, axis=0)[::2], y).x.tobytes() == first.x.tobytes()


@every_rule
@pytest.mark.parametrize("cube", [None, SMALL], ids=["continuous", "discrete"])
def test_arguments_are_not_changed(rule: str, cube: Cube | None) -> None:
    rng = np.random.default_rng(0)
    spread = (cube or Cube.continuous(3)).spread
    axes = cube.axes if cube else 3
    arrays = {name: spread(rng.random((3, axes))) for name in ("busy", "believed", "avoid")}
    X, y = spread(rng.random((10, axes))), rng.normal(size=10)
    y[3] = math.nan
    before = {name: array.copy() for name, array in [*arrays.items(), ("X", X), ("y", y)]}
    for array in (X, y, *arrays.values()):
        array.flags.writeable = False
    proposal = propose(X, y, rule=rule, cube=cube, **arrays)  # type: ignore[arg-type]
    for name, array in [*arrays.items(), ("X", X), ("y", y)]:
        assert np.array_equal(array, before[name], equal_nan=True)
    assert proposal.x.flags.writeable
    assert not any(np.shares_memory(proposal.x, array) for array in (X, *arrays.values()))


def test_seeds_matter_only_a_little_to_a_model_and_much_to_chance() -> None:
    X, y = data()
    models = np.array([propose(X, y, seed=s).x for s in range(5)])
    assert np.ptp(models, axis=0).max() < 1e-3
    chance = np.array([propose(X, y, rule="random", seed=s).x for s in range(5)])
    assert apart(chance) > 1e-3


def test_random_search_does_not_repeat_what_the_caller_drew_with_the_same_seed() -> None:
    X = np.random.default_rng(0).random((40, 2))
    assert np.abs(propose(X, X.sum(axis=1), rule="random", seed=0).x - X).max(axis=1).min() > 1e-6


# Busy points


@pytest.mark.parametrize("rule", [*MODELLED, "random"])
def test_busy_points_are_ignored(rule: str) -> None:
    X, y = data()
    alone = propose(X, y, rule=rule, seed=1)
    for seed in range(5):
        busy = np.random.default_rng([seed, 1]).random((1 + 3 * seed, 3))
        assert propose(X, y, busy=busy, rule=rule, seed=1).x.tobytes() == alone.x.tobytes()
    near = alone.x + np.where(alone.x > 0.5, -2e-6, 2e-6)  # unless they are almost there
    assert np.abs(propose(X, y, busy=[near], rule=rule, seed=1).x - near).max() >= APART


@every_rule
@pytest.mark.parametrize("where", ["busy", "avoid", "believed"])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_reserved_corner_is_not_proposed_again(rule: str, where: str, d: int) -> None:
    X, y = linear(d)
    first = propose(X, y, rule=rule)
    second = propose(X, y, rule=rule, **{where: [first.x]})  # type: ignore[arg-type]
    assert np.abs(second.x - first.x).max() >= APART


@modelled
def test_a_reserved_corner_is_replaced_by_something_as_good(rule: str) -> None:
    X, y = linear(3)
    first = propose(X, y, rule=rule)
    second = propose(X, y, rule=rule, busy=[first.x])
    assert second.x.sum() > 2.5


@pytest.mark.parametrize("rule", ["ucb", "logei"])
@pytest.mark.parametrize("where", ["believed", "busy", "both"])
@pytest.mark.parametrize("kind", ["hill", "linear", "constant", "single"])
def test_ten_in_a_row_from_the_same_data_are_distinct(rule: str, where: str, kind: str) -> None:
    X, y = {"hill": data(0, 12, 2), "linear": linear(2), "constant": (data(0, 6, 2)[0], np.ones(6)),
            "single": (np.full((1, 2), 0.5), np.ones(1))}[kind]  # fmt: skip
    points = np.empty((0, 2))
    for i in range(10):
        arrays: dict[str, Any] = {name: points for name in ("believed", "busy") if where in (name, "both")}
        points = np.vstack([points, propose(X, y, rule=rule, seed=i, **arrays).x])
    assert apart(points) >= APART


def test_believed_points_are_counted_and_lower_the_spread() -> None:
    X, y = data()
    first = propose(X, y)
    second = propose(X, y, believed=[first.x])
    assert second.believed == 1
    assert np.abs(second.x - first.x).max() > 1e-3


def test_belief_does_not_raise_the_incumbent() -> None:
    """`best` is the largest observed value, even if the model believes in larger ones; also among thinned data."""
    seen: list[float] = []

    @dataclass(frozen=True)
    class Watch:
        def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:
            seen.append(best)
            return mean, np.ones_like(mean), np.zeros_like(sd)

    X, y = linear(1, 30)
    for model in (Surrogate(), Surrogate(max_points=10)):
        seen.clear()
        propose(X, y, rule=Watch(), surrogate=model)
        alone = set(seen)
        seen.clear()
        propose(X, y, rule=Watch(), surrogate=model, believed=[[1.0]])
        assert set(seen) == alone
        assert len(alone) == 1


# Values that cannot be modelled


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@every_rule
def test_values_that_are_not_finite_are_failures(value: float, rule: str) -> None:
    X, y = data()
    expected = propose(X, y, rule=rule, seed=3, failed=[[0.2, 0.9, 0.6]])
    assert expected.hyperparameters == propose(X, y, rule=rule, seed=3).hyperparameters  # the model of y has none of it
    with_holes = propose(np.vstack([X, [[0.2, 0.9, 0.6]]]), [*y, value], rule=rule, seed=3)
    assert with_holes.x.tobytes() == expected.x.tobytes()
    assert with_holes.hyperparameters == expected.hyperparameters


@every_rule
def test_a_point_that_failed_is_not_proposed_again(rule: str) -> None:
    X, y = linear(2)
    for seed in range(4):
        x = propose(X, y, rule=rule, seed=seed).x
        failed = X[~np.isfinite(y)]
        assert not len(failed) or np.abs(failed - x).max(axis=1).min() >= APART
        X, y = np.vstack([X, x]), np.append(y, math.nan)


def test_only_failures_still_fill_the_cube() -> None:
    X = np.empty((0, 2))
    for _ in range(12):
        proposal = propose(X, np.full(len(X), math.nan), seed=5)
        assert proposal.rung == "quasi-random"
        X = np.vstack([X, proposal.x])
    assert apart(X) > 1e-3


# Equivariance


@modelled
@pytest.mark.parametrize("a", [2.0**-1000, 2.0**-30, 0.25, 2.0, 2.0**40, 2.0**1000])
def test_powers_of_two_change_no_bit(rule: str, a: float) -> None:
    X, y = data()
    assert propose(X, a * y, rule=rule).x.tobytes() == propose(X, y, rule=rule).x.tobytes()


@modelled
@pytest.mark.parametrize(("a", "b"), [(1.0, 100.0), (3.7, -5.0), (1e-200, 0.0), (1e250, 1e250), (1.0, 1e6)])
def test_scale_and_offset_do_not_matter(rule: str, a: float, b: float) -> None:
    X, y = data()
    np.testing.assert_allclose(propose(X, a * y + b, rule=rule).x, propose(X, y, rule=rule).x, atol=2e-3)


# Discrete cubes


@every_rule
@pytest.mark.parametrize("failing", [False, True])
def test_a_discrete_space_is_exhausted_before_anything_repeats(rule: str, failing: bool) -> None:
    rng = np.random.default_rng(0)
    X, y = np.empty((0, SMALL.dim)), np.empty(0)
    for i in range(24):
        proposal = propose(X, y, rule=rule, seed=i, cube=SMALL)
        assert np.array_equal(SMALL.snap(proposal.x[None])[0], proposal.x)
        X = np.vstack([X, proposal.x])
        y = np.append(y, math.nan if failing and i % 3 else rng.normal())
        assert len(np.unique(X, axis=0)) == i + 1
    last = propose(X, y, rule=rule, cube=SMALL).x
    assert np.array_equal(SMALL.snap(last[None])[0], last)


@every_rule
@pytest.mark.parametrize("where", ["busy", "avoid", "believed"])
def test_reserved_points_of_a_discrete_space_are_left_alone(rule: str, where: str) -> None:
    everything = SMALL.enumerate(100)
    assert everything is not None
    rng = np.random.default_rng(0)
    order = rng.permutation(24)
    X, reserved, (last,) = everything[order[:10]], everything[order[10:23]], everything[order[23:]]
    arguments: dict[str, Any] = {where: reserved}
    for seed in range(5):
        proposal = propose(X, rng.normal(size=10), rule=rule, seed=seed, cube=SMALL, **arguments)
        assert proposal.x.tolist() == last.tolist()


def test_a_space_without_a_single_value_is_exhausted_too() -> None:
    cube = Cube((Levels(200),))
    X = np.empty((0, 1))
    for _ in range(200):
        X = np.vstack([X, propose(X, np.full(len(X), math.nan), cube=cube, seed=1).x])
    assert len(np.unique(X)) == 200
    assert propose(X, np.full(200, math.nan), cube=cube).x.shape == (1,)


@modelled
def test_noisy_studies_may_repeat(rule: str) -> None:
    everything = SMALL.enumerate(100)
    assert everything is not None
    y = np.zeros(24)
    y[5] = 10.0
    rows = np.delete(np.arange(24), 11)
    quiet = propose(everything[rows], y[rows], rule=rule, cube=SMALL)
    noisy = propose(everything[rows], y[rows], rule=rule, cube=SMALL, noisy=True)
    assert np.array_equal(quiet.x, everything[11])
    assert np.array_equal(noisy.x, everything[5])


def test_noisy_studies_may_repeat_a_busy_point() -> None:
    everything = SMALL.enumerate(100)
    assert everything is not None
    y = np.zeros(24)
    y[5] = 10.0
    for busy in (everything[[1, 2, 3]], everything[[4, 5, 6]]):
        assert np.array_equal(propose(everything, y, busy=busy, cube=SMALL, noisy=True).x, everything[5])


@every_rule
def test_mixed_spaces_give_feasible_points(rule: str) -> None:
    cube = Cube((Continuous(), Levels(6), OneHot(3), Levels(40, first=1), Continuous()))
    rng = np.random.default_rng(0)
    for n in (0, 1, 5, 20):
        X = cube.spread(rng.random((n, cube.axes)))
        busy = cube.spread(rng.random((3, cube.axes)))
        proposal = propose(X, rng.normal(size=n), busy=busy, rule=rule, cube=cube)
        assert np.array_equal(cube.snap(proposal.x[None])[0], proposal.x)


# Rules of one's own


@dataclass(frozen=True)
class Worst:
    """One method: the least mean."""

    def score(self, mean: Array, sd: Array, best: float) -> tuple[Array, Array, Array]:  # noqa: ARG002
        return -mean, -np.ones_like(mean), np.zeros_like(sd)


@dataclass(frozen=True)
class Middle:
    """One method: always the middle, whatever is known."""

    def choose(self, view: View) -> Choice:
        assert view.best == view.gp.y.max()
        return Choice(np.full(view.cube.dim, 0.5), 7.0, np.empty((0, view.cube.dim)))


@dataclass(frozen=True)
class AwayFromBusy:
    """Looks at busy points and uses the maximiser."""

    def choose(self, view: View) -> Choice:
        busy = view.busy

        class Distance:
            def screen(self, P: Array) -> Array:
                return self.value(P)

            def value(self, P: Array) -> Array:
                return self.value_and_gradient(P)[0]

            def value_and_gradient(self, P: Array) -> tuple[Array, Array]:
                return np.square(P - busy[0]).sum(axis=1), 2.0 * (P - busy[0])

        return view.maximize(Distance())


def test_a_rule_with_score() -> None:
    X, y = linear(2)
    assert propose(X, y, rule=Worst()).x.tolist() == [0.0, 0.0]


def test_a_rule_with_choose() -> None:
    X, y = linear(2)
    proposal = propose(X, y, rule=Middle(), surrogate="paper")
    assert proposal.x.tolist() == [0.5, 0.5]
    assert proposal.value == 7.0
    assert propose(X, y, rule=AwayFromBusy(), busy=[[0.9, 0.1]]).x.tolist() == [0.0, 1.0]


def test_a_rule_that_insists_is_overruled() -> None:
    X, y = linear(2)
    proposal = propose(X, y, rule=Middle(), busy=[[0.5, 0.5]], surrogate="paper")
    assert np.abs(proposal.x - 0.5).max() >= APART


# The ladder


def test_the_rung_of_jitter() -> None:
    """Duplicates and hardly any noise: the matrix is singular until it is helped."""
    model = Surrogate(noise_bounds=(1e-19, 1e-18))
    X = np.repeat(np.random.default_rng(0).random((4, 2)), 5, axis=0)
    proposal = propose(X, X.sum(axis=1), surrogate=model)
    assert proposal.rung in ("jitter", "previous")
    assert np.isfinite(proposal.x).all()


def test_the_rung_of_previous_hyperparameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Likelihood, "value_and_slope", lambda self, theta: (math.inf, np.zeros(len(theta))))  # noqa: ARG005
    X, y = data()
    warm = Hyperparameters((0.3, 0.4, 0.5), 1e-3)
    proposal = propose(X, y, warm=warm)
    assert proposal.rung == "previous"
    assert proposal.hyperparameters == warm
    proposal = propose(X, y)
    assert proposal.rung == "previous"
    assert proposal.hyperparameters is not None


def test_the_last_rung(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise NotPositiveDefiniteError("on purpose")

    monkeypatch.setattr(GP, "of", refuse)
    X, y = data()
    proposal = propose(X, y)
    assert proposal.rung == "quasi-random"
    assert proposal.hyperparameters is None
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()


def test_a_warm_start_changes_little() -> None:
    X, y = data(0, 25, 3)
    cold = propose(X, y)
    warm = propose(X, y, warm=cold.hyperparameters)
    np.testing.assert_allclose(warm.x, cold.x, atol=5e-3)


def test_hyperparameters_serve_until_the_data_have_grown() -> None:
    X, y = data(0, 45, 3)
    old = propose(X[:40], y[:40]).hyperparameters
    assert old is not None
    assert old.results == 40
    for n, serves in ((40, True), (43, True), (44, False), (45, False)):  # refit: a tenth
        made = propose(X[:n], y[:n], warm=old).hyperparameters
        assert made is not None
        assert (made == old) is serves
        assert made.results == (40 if serves else n)


def test_the_paper_estimates_anew_every_time() -> None:
    X, y = data(0, 41, 3)
    old = propose(X[:40], y[:40], surrogate="paper").hyperparameters
    made = propose(X, y, surrogate="paper", warm=old).hyperparameters
    assert made is not None
    assert old is not None
    assert made.results == 41
    assert made.lengthscales != old.lengthscales


def test_hyperparameters_of_unknown_origin_are_only_a_start() -> None:
    X, y = data(0, 40, 3)
    made = propose(X, y, warm=Hyperparameters((0.3, 0.4, 0.5), 1e-3)).hyperparameters
    best = propose(X, y).hyperparameters
    assert made is not None
    assert best is not None
    np.testing.assert_allclose(made.lengthscales, best.lengthscales, rtol=0.05)


@pytest.mark.parametrize("surrogate", ["paper", "nonstop"])
def test_hyperparameters_of_far_more_data_are_only_a_start(surrogate: str) -> None:
    X, y = data(0, 40, 3)
    old = propose(X, y, surrogate=surrogate).hyperparameters
    made = propose(X[:20], y[:20], surrogate=surrogate, warm=old).hyperparameters
    assert made is not None
    assert made.results == 20


def test_thinned_data_grow_too() -> None:
    """Of 60 results the model keeps 20, but they have grown all the same."""
    model = Surrogate(max_points=20, refit=0.5)
    X, y = data(0, 60, 3)
    old = propose(X[:30], y[:30], surrogate=model).hyperparameters
    made = propose(X, y, surrogate=model, warm=old).hyperparameters
    assert made is not None
    assert made.results == 60


def test_threads_do_not_change_the_answer() -> None:
    X, y = data(0, 40, 3)
    np.testing.assert_allclose(propose(X, y, threads=None).x, propose(X, y, threads=1).x, atol=1e-4)


def test_the_start_is_even() -> None:
    """Proposals without data, each believed by the next, fill the cube evenly."""
    X = np.empty((0, 2))
    for _ in range(16):
        X = np.vstack([X, propose(np.empty((0, 2)), [], busy=X, seed=4).x])
    assert sorted((X[:, 0] * 16).astype(int).tolist()) == list(range(16))


def test_public_names() -> None:
    assert nonstop.propose is propose
    assert isinstance(propose([[0.5]], [1.0]), nonstop.Proposal)
