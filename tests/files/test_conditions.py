"""Conditions told from the trials that have a parameter."""

from __future__ import annotations

from typing import Any

import pytest

from nonstop.errors import SpaceError
from nonstop.files.conditions import tree_of
from nonstop.space import Categorical, Float, Int, Parameter, Space

KINDS: dict[str, Parameter] = {
    "model": Categorical(["svm", "forest", "none"]),
    "kernel": Categorical(["rbf", "poly"]),
    "C": Float(0.0, 1.0),
    "degree": Int(1, 5),
    "trees": Int(1, 9),
    "lr": Float(0.0, 1.0),
    "scale": Categorical([True, False]),
    "mean": Float(0.0, 1.0),
}


def rows() -> list[dict[str, Any]]:
    """Every combination of two choices that have nothing to do with each other, one of which has a choice inside."""
    found = []
    for scale in (True, False):
        scaling: dict[str, Any] = {"lr": 0.5, "scale": scale, **({"mean": 0.1} if scale else {})}
        found += [
            {**scaling, "model": "svm", "kernel": "rbf", "C": 0.5},
            {**scaling, "model": "svm", "kernel": "poly", "C": 0.5, "degree": 2},
            {**scaling, "model": "forest", "trees": 3},
            {**scaling, "model": "none"},
        ]
    return found


def test_a_tree_is_told_from_its_rows() -> None:
    space, remarks = tree_of(rows(), KINDS.__getitem__)
    kernel = Categorical({"rbf": None, "poly": Space({"degree": KINDS["degree"]})})
    assert space == Space(
        {
            "lr": KINDS["lr"],
            "scale": Categorical({True: Space({"mean": KINDS["mean"]}), False: None}),
            "model": Categorical(
                {
                    "svm": Space({"kernel": kernel, "C": KINDS["C"]}),
                    "forest": Space({"trees": KINDS["trees"]}),
                    "none": None,
                }
            ),
        }
    )
    assert "trees: there when model is forest, as in all trials" in remarks
    assert "mean: there when scale is True, as in all trials" in remarks
    for row in rows():
        assert space.validate(row) == row


def test_without_conditions_nothing_is_nested() -> None:
    plain = [{"lr": 0.1, "scale": True}, {"lr": 0.2, "scale": False}]
    space, remarks = tree_of(plain, KINDS.__getitem__)
    assert (space, remarks) == (Space({"lr": KINDS["lr"], "scale": KINDS["scale"]}), [])


def test_what_no_choice_explains_is_refused() -> None:
    with pytest.raises(SpaceError, match="'mean' is in 1 of 2 trials, and no choice explains in which"):
        tree_of([{"scale": True, "mean": 0.5}, {"scale": True}], KINDS.__getitem__)
