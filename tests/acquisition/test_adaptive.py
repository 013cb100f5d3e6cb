"""The adaptive rule is the plain one far from busy points, and the believer next to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import nonstop
from nonstop.acquisition.adaptive import Adaptive, nearest
from nonstop.acquisition.believer import KrigingBeliever
from nonstop.acquisition.rule import Acquisition, Choice
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.standard import UCB, LogEI
from nonstop.errors import RuleError
from tests.helpers.oracles import random_gp
from tests.helpers.rules import view_of


def test_distances_are_in_lengthscales() -> None:
    points = np.array([[0.0, 0.0], [0.5, 0.9]])
    # the nearer one: (0.5 - 0.4) / 0.1 = 1 and (0.9 - 0.2) / 0.7 = 1
    assert nearest(np.array([0.4, 0.2]), points, np.array([0.1, 0.7])) == pytest.approx(1.0)
    assert nearest(np.array([0.5, 0.9]), points, np.array([0.1, 0.7])) == 0.0


@pytest.mark.parametrize("inner", [UCB(), LogEI()], ids=["ucb", "logei"])
@pytest.mark.parametrize(("off", "believes"), [(0.0, True), (0.099, True), (0.101, False), (3.0, False)])
def test_it_believes_next_to_a_busy_point_only(inner: UCB | LogEI, off: float, believes: bool) -> None:
    """What it asks to be maximised: the plain posterior first, and the conditioned one if a busy point was near."""
    gp = random_gp(0, 20, 3)
    heard: list[Acquisition] = []

    def listen(acquisition: Acquisition) -> Choice:
        heard.append(acquisition)
        return Choice(gp.X[0], 0.0, gp.X[1:])

    busy = np.stack([gp.X[0] + off * gp.lengthscales, gp.X[0] + 100.0])
    Adaptive(inner).choose(replace(view_of(gp, busy), maximize=listen))
    assert [len(each.gp.X) for each in heard if isinstance(each, Scored)] == ([20, 22] if believes else [20])


def test_far_from_busy_points_the_proposal_is_the_plain_one() -> None:
    X = np.random.default_rng(0).random((25, 3))
    y = -np.square(X - 0.4).sum(axis=1)
    plain = nonstop.propose(X, y, rule="ucb", seed=3)
    busy = np.array([[1.0, 0.0, 1.0]])
    adaptive = nonstop.propose(X, y, busy, rule="adaptive-ucb", seed=3)
    assert plain.nearest_busy == np.inf
    assert adaptive.x.tobytes() == plain.x.tobytes()


@pytest.mark.parametrize("name", ["ucb", "logei"])
def test_next_to_a_busy_point_it_leaves(name: str) -> None:
    """The plain rule's own maximum is busy: the adaptive rule goes where the believer goes."""
    X = np.random.default_rng(1).random((25, 2))
    y = np.sin(5.0 * X[:, 0]) + np.cos(3.0 * X[:, 1])
    busy = nonstop.propose(X, y, rule=name, seed=0).x[None]
    adaptive = nonstop.propose(X, y, busy, rule=f"adaptive-{name}", seed=1)
    believer = nonstop.propose(X, y, busy, rule=f"kb-{name}", seed=1)
    np.testing.assert_allclose(adaptive.x, believer.x, atol=2e-3)
    assert adaptive.value == pytest.approx(believer.value, abs=1e-3)


def test_a_fraction_of_nothing_never_believes_and_of_everything_always_does() -> None:
    gp = random_gp(2, 15, 2)
    busy = np.random.default_rng(3).random((4, 2))
    never, always = Adaptive(UCB(), 0.0).choose(view_of(gp, busy)), Adaptive(UCB(), 1e9).choose(view_of(gp, busy))
    plain, believer = UCB(), KrigingBeliever(UCB())
    assert never.x.tobytes() == view_of(gp, busy).maximize(Scored(plain, gp, float(gp.y.max()), 15)).x.tobytes()
    np.testing.assert_allclose(always.x, believer.choose(view_of(gp, busy)).x, atol=2e-3)


def test_a_batch_has_no_near_twins() -> None:
    X = np.random.default_rng(5).random((20, 2))
    y = np.sin(9.0 * X[:, 0]) * np.cos(7.0 * X[:, 1])
    plain, adaptive = (_gap(nonstop.propose_batch(X, y, 6, rule=rule)) for rule in ("ucb", "adaptive-ucb"))
    assert adaptive > 5.0 * plain


def _gap(batch: tuple[nonstop.Proposal, ...]) -> float:
    points = np.array([each.x for each in batch])
    return float(np.linalg.norm(points[:, None] - points, axis=2)[np.triu_indices(len(points), 1)].min())


@pytest.mark.parametrize("fraction", [-0.1, float("nan"), float("inf"), "0.1", None, True])
def test_a_fraction_is_a_number(fraction: object) -> None:
    with pytest.raises(RuleError, match="fraction must be a finite number >= 0"):
        Adaptive(UCB(), fraction)  # type: ignore[arg-type]


def test_with_several_objectives() -> None:
    X = np.random.default_rng(5).random((20, 2))
    Y = np.stack([X[:, 0], -np.square(X - 0.5).sum(axis=1)], axis=1)
    found = nonstop.propose(X, Y, X[:2] + 0.01, "adaptive-logei", goals=["maximize", "maximize"])
    assert np.isfinite(found.x).all()
