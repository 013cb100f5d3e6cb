"""Which queries a rule would repeat, and what becomes of a run that lets it."""

from __future__ import annotations

import numpy as np
import pytest

from nonstop_bench.case import Case
from nonstop_bench.run import run
from tests.bench.made import there


@pytest.mark.parametrize("rule", ["ucb", "logei"])
def test_what_the_guard_does_is_in_the_record(rule: str) -> None:
    """On a slope the maximum is a corner, for every worker the same."""
    guarded = run(Case("slope-2", rule=rule, q=4, horizon=4.0))
    unguarded = run(Case("slope-2", rule=rule, q=4, horizon=4.0, guard=False))
    chosen = np.isfinite(there(guarded.first_delta))
    assert chosen.sum() > 5
    assert np.array_equal(np.isfinite(there(guarded.repeated)), ~np.isnan(guarded.lengthscale)), "one for each proposal"
    fired = there(guarded.repeated) > 0
    assert fired.any()
    assert (there(guarded.first_delta)[fired] < 1e-3).all(), "what the rule wanted"
    assert np.nanmin(guarded.delta) >= 5e-4, "what it got"
    assert np.array_equal(guarded.delta[chosen & ~fired], there(guarded.first_delta)[chosen & ~fired])
    assert (there(guarded.replaced)[fired] <= there(guarded.repeated)[fired]).all()
    assert np.nanmin(unguarded.delta) == 0.0, "busy points are queried again"
    assert np.nanmax(there(unguarded.replaced)) == 0.0
    assert np.nansum(there(unguarded.repeated)) > 0
    assert np.array_equal(
        unguarded.delta[chosen[: len(unguarded.delta)]], there(unguarded.first_delta)[chosen], equal_nan=True
    )


def test_a_run_whose_guard_never_fires_is_the_same_without_it() -> None:
    guarded = run(Case("hartmann-3", rule="ts", q=3, horizon=4.0))
    assert np.nansum(there(guarded.repeated)) == 0.0
    unguarded = run(Case("hartmann-3", rule="ts", q=3, horizon=4.0, guard=False))
    assert np.array_equal(there(guarded.points), there(unguarded.points))


def test_the_guard_of_a_discrete_space_can_be_off() -> None:
    """With it, taken points are no candidates; without it, a rule may query the same one again and again."""
    cases = [Case("integer-rosenbrock-4", rule="mean", q=4, horizon=8.0, guard=guard) for guard in (True, False)]
    guarded, unguarded = (run(case) for case in cases)
    assert np.nansum(there(guarded.repeated)) == 0.0
    assert len(np.unique(there(guarded.points), axis=0)) == len(there(guarded.points))
    assert np.nansum(there(unguarded.repeated)) > 0.0
    assert len(np.unique(there(unguarded.points), axis=0)) < len(there(unguarded.points))
