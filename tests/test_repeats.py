"""A proposal says how often the rule chose a point that was taken, and can be that point itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nonstop import DataError, propose
from nonstop.acquisition.rules import RULES

RNG = np.random.default_rng(0)
X = RNG.random((15, 2))
Y = X.sum(axis=1)  # a slope: its best point is a corner
CORNER = np.ones((1, 2))


def test_a_standard_rule_that_chose_a_busy_point_is_asked_again() -> None:
    free = propose(X, Y, rule="ucb", surrogate="paper")
    assert np.array_equal(free.x, CORNER[0])
    assert (free.repeated, free.replaced, free.first_nearest_busy) == (0, False, math.inf)
    moved = propose(X, Y, CORNER, "ucb", surrogate="paper")
    assert moved.repeated >= 1
    assert moved.first_nearest_busy == 0.0, "what the rule wanted"
    assert moved.nearest_busy >= 5e-4, "what it got"
    assert moved.believed == 1


def test_a_busy_point_that_nobody_wants_changes_nothing() -> None:
    far = propose(X, Y, np.zeros((1, 2)), "ucb", surrogate="paper")
    assert (far.repeated, far.replaced) == (0, False)
    assert far.first_nearest_busy == far.nearest_busy == pytest.approx(math.sqrt(2.0))


def test_a_runner_up_is_said_to_be_one() -> None:
    """Without noise the mean stays the same when it is believed, so belief never moves its maximum."""
    found = propose(X, Y, CORNER, "mean", surrogate="paper")
    assert found.replaced
    assert found.repeated == 2, "the first time, and once the corner is believed"
    assert math.isnan(found.value)


@pytest.mark.parametrize("rule", sorted(name for name in RULES if name != "random" and not name.startswith("ehvi")))
def test_with_repeats_the_rules_own_choice_is_returned(rule: str) -> None:
    """Busy is what the rule chose before."""
    once = propose(X, Y, None, rule, 3, surrogate="paper")
    guarded = propose(X, Y, once.x[None], rule, 3, surrogate="paper")
    free = propose(X, Y, once.x[None], rule, 3, surrogate="paper", repeats=True)
    assert not free.replaced
    assert free.first_nearest_busy == free.nearest_busy
    assert guarded.nearest_busy >= 5e-4
    assert guarded.first_nearest_busy == pytest.approx(free.nearest_busy, abs=1e-9)
    assert (guarded.repeated > 0) == (free.repeated > 0)
    if not guarded.repeated:
        assert np.array_equal(guarded.x, free.x)


def test_a_random_point_may_be_taken_too() -> None:
    first = propose(X, Y, None, "random", 7)
    again = propose(X, Y, first.x[None], "random", 7)
    assert (again.repeated, again.replaced, again.first_nearest_busy) == (1, True, 0.0)
    same = propose(X, Y, first.x[None], "random", 7, repeats=True)
    assert np.array_equal(same.x, first.x)


def test_repeats_is_true_or_false() -> None:
    with pytest.raises(DataError, match="repeats must be True or False"):
        propose(X, Y, repeats=1)  # type: ignore[arg-type]
