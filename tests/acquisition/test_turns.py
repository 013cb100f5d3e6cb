"""Rules that take turns."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import nonstop
from nonstop.acquisition.believer import KrigingBeliever
from nonstop.acquisition.rule import Choice, View
from nonstop.acquisition.rules import rule_of
from nonstop.acquisition.standard import UCB, LogEI, Mean, Random
from nonstop.acquisition.turns import Turns
from nonstop.errors import RuleError
from nonstop.types import Array


@dataclass(frozen=True)
class Witness:
    """Chooses the middle, and remembers how often it was asked."""

    asked: list[int] = field(default_factory=list)

    def choose(self, view: View) -> Choice:
        self.asked.append(len(view.gp.X))
        return Choice(np.full(view.gp.X.shape[1], 0.5), 0.0, np.empty((0, view.gp.X.shape[1])))


def data(n: int) -> tuple[Array, Array]:
    X = np.random.default_rng(0).random((n, 2))
    return X, -np.square(X - 0.4).sum(axis=1)


def test_each_new_point_is_the_next_ones_turn() -> None:
    one, two, three = Witness(), Witness(), Witness()
    for n in range(6, 12):
        nonstop.propose(*data(n), rule=Turns((one, two, three)))
    assert (one.asked, two.asked, three.asked) == ([6, 9], [7, 10], [8, 11])


def test_busy_and_believed_points_count() -> None:
    one, two = Witness(), Witness()
    X, y = data(6)
    nonstop.propose(X, y, busy=[[0.1, 0.1]], rule=Turns((one, two)))
    nonstop.propose(X, y, busy=[[0.1, 0.1], [0.9, 0.9]], rule=Turns((one, two)))
    nonstop.propose(X, y, believed=[[0.1, 0.1]], rule=Turns((one, two)))
    assert (one.asked, two.asked) == ([6], [6, 7])


@pytest.mark.parametrize(("n", "rule"), [(6, "mean"), (7, "kb-ucb")])
def test_a_turn_is_what_the_rule_would_do_alone(n: int, rule: str) -> None:
    X, y = data(n)
    turn = nonstop.propose(X, y, rule=Turns((Mean(), KrigingBeliever(UCB()))), seed=4)
    assert turn.x.tobytes() == nonstop.propose(X, y, rule=rule, seed=4).x.tobytes()


def test_names_with_a_plus_between_them() -> None:
    assert rule_of("kb-ucb + logei") == Turns((KrigingBeliever(UCB()), LogEI()))
    assert rule_of("ucb") == UCB()
    with pytest.raises(RuleError, match=r"unknown rule 'ubc': use one of ucb, .*some of them with"):
        rule_of("logei+ubc")
    with pytest.raises(RuleError, match="unknown rule ''"):
        rule_of("logei+")


@pytest.mark.parametrize("rules", [(), [UCB()], (UCB(), Random()), (UCB, LogEI()), ("ucb",)])
def test_what_cannot_take_turns(rules: object) -> None:
    with pytest.raises(RuleError, match="Turns"):
        Turns(rules)  # type: ignore[arg-type]


def test_random_search_takes_no_turns() -> None:
    with pytest.raises(RuleError, match="Turns: a rule is an object with a method score"):
        rule_of("ucb+random")


def test_turns_change_although_the_model_takes_no_more_points() -> None:
    one, two, three = Witness(), Witness(), Witness()
    for n in (21, 22, 23):
        nonstop.propose(*data(n), rule=Turns((one, two, three)), surrogate=nonstop.Surrogate(max_points=20))
    assert (one.asked, two.asked, three.asked) == ([20], [20], [20])


def test_a_believed_point_that_is_busy_counts_once() -> None:
    one, two = Witness(), Witness()
    X, y = data(6)
    nonstop.propose(X, y, busy=[[0.1, 0.1]], believed=[[0.1, 0.1], [0.9, 0.9]], rule=Turns((one, two)))
    assert (one.asked, two.asked) == ([7], [])
