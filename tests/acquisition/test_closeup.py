"""Close-ups: which part of the cube they show, that what is proposed there is a point of the cube, and when there are
none."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonstop import Categorical, Choice, Float, Int, LogEI, Space, Surrogate, Turns, propose
from nonstop.acquisition.aim import Aim
from nonstop.acquisition.closeup import CloseUp, close_up
from nonstop.acquisition.data import Data
from nonstop.acquisition.rule import Rule, View
from nonstop.acquisition.rules import DEFAULT_RULE, RULES, rule_of
from nonstop.acquisition.sought import Sought, modelled
from nonstop.acquisition.taken import APART
from nonstop.space.cube import Cube
from nonstop.space.embedding import embedding_of
from nonstop.space.encoding import cube_of, encode
from nonstop.surrogate.model import NONSTOP
from nonstop.types import Array

FEW = replace(NONSTOP, max_points=30)  # fewer than there are results
WITHOUT = replace(FEW, close_ups=False)
PEAK = np.array([0.3, 0.7])
SEEDS = range(24)
RULE = rule_of(DEFAULT_RULE)


def bowl(X: Array) -> Array:
    return np.asarray(-np.square(X[:, :2] - PEAK).sum(axis=1))


def results(n: int = 80, seed: int = 0) -> tuple[Array, Array]:
    """Half of them anywhere, half near the peak."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.random((n // 2, 2)), (PEAK + 0.05 * rng.normal(size=(n - n // 2, 2))).clip(0.0, 1.0)])
    return X, bowl(X)


def data_of(X: Array, y: Array, cube: Cube | None = None, busy: Array | None = None, aim: Aim | None = None) -> Data:
    return Data.of(aim, X, y, busy, None, None, None, cube, None, noisy=False)


def sought_of(data: Data, surrogate: Surrogate = FEW) -> Sought:
    models = modelled(surrogate, data.aim, data.X, data.Y, (None,) * len(data.Y), embedding_of(data.cube))
    kept = data.aim.kept(data.Y)[models[0].rows]
    return Sought.of(data.aim, models, kept, surrogate.incumbent, np.random.default_rng(0))


def shown(data: Data, surrogate: Surrogate = FEW, rule: Rule = RULE) -> list[CloseUp | None]:
    sought = sought_of(data, surrogate)
    return [close_up(data, sought, surrogate, rule, np.random.default_rng(seed)) for seed in SEEDS]


def the_close_up(data: Data) -> CloseUp:
    (first, *_) = [near for near in shown(data) if near is not None]
    return first


# What it shows


def test_the_nearest_of_all_results_in_the_box_that_they_span() -> None:
    X, y = results()
    near = the_close_up(data_of(X, y))
    back = near.outside(near.data.X)
    assert back.shape == (16 + 4 * 2, 2)
    np.testing.assert_allclose(near.data.X.min(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(near.data.X.max(axis=0), 1.0, atol=1e-12)
    rows = [int(np.abs(X - x).sum(axis=1).argmin()) for x in back]
    np.testing.assert_allclose(X[rows], back, atol=1e-12)
    np.testing.assert_array_equal(near.data.Y[0], y[rows])
    assert rows == sorted(set(rows))
    gp = sought_of(data_of(X, y)).models[0].gp
    center = gp.X[gp.at_data().argmax()]
    distances = np.square((X - center) / gp.lengthscales).sum(axis=1)
    assert distances[rows].max() <= np.delete(distances, rows).min()


@pytest.mark.parametrize(("d", "size"), [(2, 24), (20, 96), (21, 56), (100, 56)])
def test_it_holds_fewer_results_where_columns_are_many(d: int, size: int) -> None:
    """And there are none until there are more than 1.5 times as many."""
    X = np.random.default_rng(0).random((size * 3 // 2 + 1, d))
    assert len(the_close_up(data_of(X, bowl(X))).data.X) == size
    assert not any(shown(data_of(X[1:], bowl(X[1:]))))


def test_busy_points_outside_of_the_box_are_not_seen() -> None:
    X, y = results()
    near = the_close_up(data_of(X, y, busy=np.array([[0.31, 0.69], [0.95, 0.05]])))
    np.testing.assert_allclose(near.outside(near.data.busy), [[0.31, 0.69]], atol=1e-12)
    np.testing.assert_allclose(near.outside(near.data.taken.points), [[0.31, 0.69]], atol=1e-12)
    np.testing.assert_allclose(near.data.taken.tolerance * near.span, APART)


def test_failures_and_points_to_avoid_are_seen_inside_the_box() -> None:
    X, y = results()
    failed, avoid = np.array([[0.32, 0.71], [0.9, 0.1]]), np.array([[0.29, 0.7], [0.1, 0.1]])
    near = the_close_up(Data.of(None, X, y, None, None, avoid, failed, None, None, noisy=False))
    np.testing.assert_allclose(near.outside(near.data.failed), failed[:1], atol=1e-12)
    np.testing.assert_allclose(near.outside(near.data.avoid), avoid[:1], atol=1e-12)


def test_a_box_is_never_too_narrow_and_never_outside_of_the_cube() -> None:
    """All of the nearest results are copies of one, in a corner."""
    rng = np.random.default_rng(0)
    X = np.concatenate([np.tile([1.0, 0.0], (40, 1)), rng.random((40, 2))])
    near = the_close_up(data_of(X, -np.square(X - [1.0, 0.0]).sum(axis=1)))
    np.testing.assert_allclose(near.span, 0.01)
    np.testing.assert_allclose(near.low, [0.99, 0.0])


def test_other_columns_stay_as_they_are() -> None:
    space = Space({"a": Float(0.0, 1.0), "n": Int(0, 9), "c": Categorical(["u", "v", "w"])})
    rng = np.random.default_rng(0)
    params = [{"a": rng.random(), "n": int(rng.integers(10)), "c": "uvw"[rng.integers(3)]} for _ in range(80)]
    X = np.array([encode(space, each) for each in params])
    near = the_close_up(data_of(X, -np.square(X[:, 0] - 0.3), cube_of(space)))
    flexible = cube_of(space).flexible
    assert (near.low[~flexible] == 0.0).all()
    assert (near.span[~flexible] == 1.0).all()
    snapped = cube_of(space).snap(near.data.X)
    np.testing.assert_array_equal(snapped[:, ~flexible], near.data.X[:, ~flexible])


def test_it_is_around_a_result_that_keeps_the_bounds() -> None:
    """The best values are beyond the bound."""
    X, y = results()
    aim = Aim.of(["maximize", "<= 0.2"])
    Y = np.column_stack([y, X[:, 0]])
    sought = sought_of(data_of(X, Y, aim=aim))
    assert sought.believed_best[0] <= 0.2
    near = the_close_up(data_of(X, Y, aim=aim))
    assert (near.low <= sought.believed_best + 1e-12).all()
    assert (sought.believed_best <= near.low + near.span + 1e-12).all()


def test_without_a_result_that_keeps_the_bounds_it_is_around_the_one_that_violates_them_least() -> None:
    X, y = results()
    sought = sought_of(data_of(X, np.column_stack([y, X[:, 0]]), aim=Aim.of(["maximize", "<= -1.0"])))
    assert sought.believed_best[0] == pytest.approx(sought.posterior.X[:, 0].min())


# When there is one


def test_about_half_of_the_proposals_are_made_in_one() -> None:
    assert 6 <= sum(near is not None for near in shown(data_of(*results()))) <= 18


def test_none_while_there_are_few_results() -> None:
    """One and a half times as many as a close-up shows."""
    assert any(shown(data_of(*results(37))))
    X, y = results(36)
    assert shown(data_of(X, y)) == [None] * len(SEEDS)
    for seed in range(4):
        assert (
            propose(X, y, seed=seed, surrogate=FEW).x.tobytes()
            == propose(X, y, seed=seed, surrogate=WITHOUT).x.tobytes()
        )


def test_none_unless_the_surrogate_says_so() -> None:
    """The paper's does not: nothing may move its proposals."""
    data = data_of(*results())
    assert shown(data, WITHOUT) == [None] * len(SEEDS)
    assert shown(data, Surrogate(max_points=30)) == [None] * len(SEEDS)


def test_none_where_a_box_is_no_cube_of_the_same_kind() -> None:
    X, y = results()
    discrete = cube_of(Space({"n": Int(0, 9), "m": Int(0, 9)}))
    bounded = cube_of(Space({"a": Float(0.0, 1.0), "b": Float(0.0, 1.0)}, "a + b <= 1.9"))
    assert shown(data_of(discrete.snap(X), y, discrete)) == [None] * len(SEEDS)
    assert shown(data_of(X[bounded.holds(X)], y[bounded.holds(X)], bounded)) == [None] * len(SEEDS)
    held = Data.of(None, X, y, None, None, None, None, None, [0.4, np.nan], noisy=False)
    assert shown(held) == [None] * len(SEEDS)
    several = data_of(X, np.column_stack([y, X[:, 0]]), aim=Aim.of(["maximize", "minimize"]))
    assert shown(several) == [None] * len(SEEDS)


# What is proposed


def test_many_proposals_are_closer_to_the_peak_than_without() -> None:
    """A ripple hides the peak from a model of few results whose mean is that of the good ones: the one of the
    surroundings sees it."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.random((400, 2)), (PEAK + 0.02 * rng.normal(size=(100, 2))).clip(0.0, 1.0)])
    y = bowl(X) * 10.0 + 0.3 * np.cos(40.0 * (X - PEAK)).sum(axis=1)

    def regret(surrogate: Surrogate) -> float:
        points = np.array([propose(X, y, rule="logei", seed=seed, surrogate=surrogate).x for seed in range(12)])
        return float(np.median(np.square(points - PEAK).sum(axis=1)))

    assert regret(replace(FEW, mean="zero")) < 0.5 * regret(replace(WITHOUT, mean="zero"))


def test_the_same_bytes_from_the_same_arguments() -> None:
    X, y = results()
    for seed in SEEDS:
        twice = [propose(X, y, [[0.3, 0.7]], seed=seed, surrogate=FEW).x.tobytes() for _ in range(2)]
        assert twice[0] == twice[1]


@given(st.integers(0, 10_000), st.sampled_from(["ucb", "kb-logei", "ts", "kb-ucb+kb-logei"]), st.floats(1e-4, 0.2))
def test_a_proposal_is_in_the_cube_and_apart_from_busy_points(seed: int, rule: str, spread: float) -> None:
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.random((15, 2)), (PEAK + spread * rng.normal(size=(35, 2))).clip(0.0, 1.0)])
    busy = (PEAK + spread * rng.normal(size=(4, 2))).clip(0.0, 1.0)
    proposal = propose(X, bowl(X), busy, rule, seed, believed=busy[:1], avoid=X[-3:], surrogate=FEW)
    assert ((proposal.x >= 0.0) & (proposal.x <= 1.0)).all()
    assert (np.abs(np.concatenate([busy, X[-3:]]) - proposal.x).max(axis=1) >= APART - 1e-12).all()
    assert np.isfinite([proposal.mean, proposal.sd]).all()


def test_proposals_in_a_mixed_cube_encode_params() -> None:
    space = Space({"a": Float(0.0, 1.0), "n": Int(0, 9), "c": Categorical(["u", "v", "w"])})
    cube, rng = cube_of(space), np.random.default_rng(0)
    X = cube.spread(rng.random((60, 3)))
    for seed in range(8):
        x = propose(X, -np.square(X[:, 0] - 0.3) + X[:, 1], seed=seed, cube=cube, surrogate=FEW).x
        np.testing.assert_allclose(cube.snap(x[None])[0], x, atol=1e-12)


@dataclass(frozen=True)
class Witness:
    """Remembers what it was shown."""

    close_ups: ClassVar[bool] = True
    seen: list[tuple[int, int]] = field(default_factory=list)

    def choose(self, view: View) -> Choice:
        self.seen.append((view.results, len(view.gp.X)))
        return Choice(np.array([0.5, 0.5]), 0.0, np.empty((0, 2)))


def test_a_rule_sees_how_many_results_there_are_and_has_its_turn() -> None:
    one, two = Witness(), Witness()
    X, y = results(80)
    for n in range(60, 80):
        propose(X[:n], y[:n], rule=Turns((one, two)), seed=n, surrogate=FEW)
    assert [results for results, _ in one.seen] == list(range(60, 80, 2))
    assert [results for results, _ in two.seen] == list(range(61, 80, 2))
    assert {held for _, held in one.seen} == {held for _, held in two.seen} == {24, 30}


class Particular(Witness):
    """A rule that means certain places."""

    close_ups = False


def test_only_rules_to_which_all_places_are_alike_see_close_ups() -> None:
    data = data_of(*results())
    for name in RULES.keys() - {"random", "ehvi"}:  # one needs no model, one is for several objectives
        assert any(shown(data, rule=rule_of(name))), name
    assert any(shown(data, rule=Turns((LogEI(), Witness()))))
    for rule in (Particular(), Turns((LogEI(), Particular())), Turns((Turns((Particular(),)), Witness()))):
        assert shown(data, rule=rule) == [None] * len(SEEDS)
    rule = Particular()
    X, y = results()
    for seed in SEEDS:
        propose(X, y, rule=rule, seed=seed, surrogate=FEW)
    assert {held for _, held in rule.seen} == {30}


def test_what_is_proposed_in_a_close_up_is_described_as_the_whole_model_sees_it() -> None:
    X, y = results()
    witness = Witness()
    for seed in SEEDS:
        proposal = propose(X, y, rule=witness, seed=seed, surrogate=FEW)
        plain = propose(X, y, rule=Witness(), seed=seed, surrogate=WITHOUT)
        assert proposal.hyperparameters == plain.hyperparameters
    assert {held for _, held in witness.seen} == {24, 30}
