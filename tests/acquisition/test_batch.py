"""Synchronous batches."""

from __future__ import annotations

import numpy as np
import pytest

import nonstop
from nonstop.acquisition.taken import APART
from nonstop.errors import DataError
from nonstop.propose import propose_batch


@pytest.mark.parametrize("rule", ["kb-ucb", "kb-logei", "e-logei"])
def test_a_batch_is_distinct_and_starts_with_the_plain_proposal(rule: str) -> None:
    X = np.random.default_rng(0).random((20, 2))
    y = np.sin(6.0 * X).sum(axis=1)
    batch = propose_batch(X, y, 4, rule, seed=3)
    points = np.array([proposal.x for proposal in batch])
    apart = np.abs(points[:, None] - points[None]).max(axis=2) + np.eye(4)
    assert apart.min() >= APART
    np.testing.assert_array_equal(points[0], nonstop.propose(X, y, rule=rule, seed=3).x)
    again = propose_batch(X, y, 4, rule, seed=3)
    np.testing.assert_array_equal(points, [proposal.x for proposal in again])


def test_an_empty_batch() -> None:
    with pytest.raises(DataError, match="size must be an integer from 1"):
        propose_batch([[0.5]], [0.0], 0)
