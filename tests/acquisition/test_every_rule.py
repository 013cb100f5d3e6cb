"""What holds for every rule: names, determinism, gradients, and busy points in awkward places."""

from __future__ import annotations

import numpy as np
import pytest

import nonstop
from nonstop.acquisition.adaptive import Adaptive
from nonstop.acquisition.believer import ConstantLiar, KrigingBeliever
from nonstop.acquisition.expected import Expected
from nonstop.acquisition.initial import UncertaintyFirst
from nonstop.acquisition.penalized import Penalized
from nonstop.acquisition.rule import Chooser
from nonstop.acquisition.standard import UCB, LogEI
from nonstop.acquisition.taken import APART
from nonstop.acquisition.thompson import Thompson
from nonstop.surrogate.kernels.names import KERNELS
from nonstop.types import Array
from tests.helpers.oracles import random_gp, slopes
from tests.helpers.rules import RULES, acquisition_of

every_name = pytest.mark.parametrize("name", RULES)
#: The rule that each wrapper is without busy points.
PLAIN = {"kb-ucb": "ucb", "kb-logei": "logei", "e-logei": "logei", "lp-ucb": "ucb", "llp-ucb": "ucb"}
PLAIN |= {"adaptive-ucb": "ucb", "adaptive-logei": "logei"}
PLAIN |= {"cl-min": "logei", "cl-mean": "logei", "cl-max": "logei"}
SMOOTH: list[Chooser] = [
    Thompson(),
    KrigingBeliever(UCB()),
    KrigingBeliever(LogEI()),
    ConstantLiar(LogEI(), "min"),
    Expected(LogEI(), samples=50),
    Penalized(UCB()),
    Penalized(UCB(), local=True),
    Penalized(LogEI()),
    UncertaintyFirst(UCB(), points=1000),
]


def data(n: int = 25, d: int = 3, seed: int = 0) -> tuple[Array, Array]:
    X = np.random.default_rng(seed).random((n, d))
    return X, -np.square(X - 0.4).sum(axis=1) + 0.1 * np.sin(9.0 * X[:, 0])


@every_name
def test_same_seed_same_point(name: str) -> None:
    X, y = data()
    busy = np.random.default_rng(1).random((4, 3))
    one = nonstop.propose(X, y, busy=busy, rule=name, seed=5)
    other = nonstop.propose(X, y, busy=busy, rule=name, seed=5)
    assert one.x.tobytes() == other.x.tobytes()
    assert ((one.x >= 0.0) & (one.x <= 1.0)).all()


@pytest.mark.parametrize("name", PLAIN)
def test_without_busy_points_a_wrapper_is_the_plain_rule(name: str) -> None:
    X, y = data()
    wrapped, plain = nonstop.propose(X, y, rule=name, seed=3), nonstop.propose(X, y, rule=PLAIN[name], seed=3)
    assert wrapped.x.tobytes() == plain.x.tobytes()
    assert wrapped.value == plain.value


@every_name
@pytest.mark.parametrize("where", ["one", "twice", "on data", "at the best", "corner", "many"])
def test_busy_points_in_awkward_places(name: str, where: str) -> None:
    X, y = data()
    point = np.random.default_rng(2).random((1, 3))
    busy = {
        "one": point,
        "twice": np.concatenate([point, point, point + 1e-9]),
        "on data": X[:3],
        "at the best": np.repeat(X[[np.argmax(y)]], 2, axis=0),
        "corner": np.zeros((1, 3)),
        "many": np.random.default_rng(3).random((40, 3)),
    }[where]
    x = nonstop.propose(X, y, busy=busy, rule=name, seed=1).x
    assert np.isfinite(x).all()
    assert np.abs(busy - x).max(axis=1).min() >= APART


@every_name
@pytest.mark.parametrize("y", [[0.3], [1.0, 1.0, 1.0], [0.0, 1e300, -1e300]], ids=["one datum", "flat", "huge"])
def test_data_that_say_little(name: str, y: list[float]) -> None:
    X = np.random.default_rng(4).random((len(y), 2))
    busy = np.random.default_rng(5).random((2, 2))
    assert np.isfinite(nonstop.propose(X, y, busy=busy, rule=name, seed=0).x).all()


@every_name
def test_through_a_study_of_a_mixed_space(name: str) -> None:
    space = nonstop.Space(
        {"x": nonstop.Float(-1.0, 1.0), "n": nonstop.Int(1, 4), "kind": nonstop.Categorical(["a", "b", "c"])}
    )
    study = nonstop.create_study(space=space, rule=name, seed=0, initial=4)
    running = [study.ask() for _ in range(3)]
    for _ in range(5):
        trial = running.pop(0)
        params = trial.params
        assert params is not None
        x, n = params["x"], params["n"]
        assert isinstance(x, float)
        assert isinstance(n, int)
        study.tell(trial, x**2 + n)
        running.append(study.ask())
    for trial in study.trials:
        assert trial.params is not None
        space.validate(trial.params)


@pytest.mark.parametrize("rule", SMOOTH, ids=repr)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("n", "d", "b"), [(1, 1, 1), (20, 2, 3), (60, 8, 7)])
def test_gradients(rule: Chooser, kernel: str, n: int, d: int, b: int) -> None:
    gp = random_gp(n, n, d, kernel, noise=1e-2)
    rng = np.random.default_rng(6)
    acquisition = acquisition_of(rule, gp, rng.random((b, d)), seed=7)
    P = rng.random((5, d))
    value, gradient = acquisition.value_and_gradient(P)
    np.testing.assert_allclose(value, acquisition.value(P), rtol=1e-8, atol=1e-9)
    for i, p in enumerate(P):
        numeric = slopes(lambda x: float(acquisition.value(x[None])[0]), p, 1e-3)
        np.testing.assert_allclose(gradient[i], numeric, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(numeric).max())))


@pytest.mark.parametrize("rule", SMOOTH, ids=repr)
def test_the_screen_ranks_like_the_value(rule: Chooser) -> None:
    """The best points by value are in the shortlist by screen."""
    gp = random_gp(8, 200, 5, noise=1e-3)
    rng = np.random.default_rng(9)
    acquisition = acquisition_of(rule, gp, rng.random((7, 5)))
    P = rng.random((4000, 5))
    best = np.argsort(-acquisition.value(P))[:5]
    assert set(best.tolist()) <= set(np.argsort(-acquisition.screen(P))[:512].tolist())


@pytest.mark.parametrize("wrapper", [KrigingBeliever, ConstantLiar, Adaptive, Penalized, Expected])
@pytest.mark.parametrize("inner", ["ucb", LogEI, Thompson()], ids=["a name", "a class", "a chooser"])
def test_wrappers_take_standard_rules_only(wrapper: type, inner: object) -> None:
    with pytest.raises(nonstop.RuleError, match="wraps"):
        wrapper(inner)
