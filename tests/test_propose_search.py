"""What propose() makes of its arguments before and after the search: found missing by mutants."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from nonstop import DataError, propose
from nonstop.acquisition.maximize import Terrain
from nonstop.numerics.quasirandom import halton
from nonstop.numerics.seeds import seed_of
from nonstop.propose import propose_batch
from nonstop.space.cube import Cube
from nonstop.types import Array

module = import_module("nonstop.propose")  # the package has a function of the same name


def hill(n: int = 20, d: int = 2) -> tuple[Array, Array]:
    X = np.random.default_rng(1).random((n, d))
    return X, -np.square(X - 0.4).sum(axis=1)


@pytest.mark.parametrize("values", [11, 13])
def test_points_and_values_are_as_many(values: int) -> None:
    with pytest.raises(DataError, match=f"X has 12 rows but y has {values} values"):
        propose(hill(12)[0], np.zeros(values))


def test_the_search_begins_around_the_best_results(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Terrain] = []
    real = module.maximize

    def recorded(acquisition: Any, terrain: Terrain, rng: np.random.Generator) -> Any:
        seen.append(terrain)
        return real(acquisition, terrain, rng)

    monkeypatch.setattr(module, "maximize", recorded)
    X, y = hill()
    propose(X, y, rule="ucb")
    np.testing.assert_array_equal(seen[0].centers, X[np.argsort(-y)[:8]])


def test_a_standard_rule_believes_in_points_from_the_same_data() -> None:
    """Not only does it keep the smallest distance: the model is sure of their surroundings, and looks elsewhere."""
    X, y = hill(6, 1)
    first = propose(X, y, rule="ucb")
    second = propose(X, y, rule="ucb", believed=[first.x])
    assert second.believed == 1
    assert abs(second.x - first.x).max() > 0.01


def test_a_point_that_is_busy_and_believed_is_believed_by_the_rule_only() -> None:
    X, y = hill()
    busy = [[0.2, 0.7]]
    once, twice = propose(X, y, busy, "kb-ucb"), propose(X, y, busy, "kb-ucb", believed=busy)
    assert twice.believed == 0
    np.testing.assert_array_equal(twice.x, once.x)


def test_without_data_as_many_quasi_random_points_are_skipped_as_there_are_points() -> None:
    sequence = halton(4, Cube.continuous(2).axes, 5, start=0)
    for known in range(4):
        elsewhere = np.full((known, 2), 0.987)
        np.testing.assert_array_equal(propose(np.empty((0, 2)), [], elsewhere, seed=5).x, sequence[known])


def test_each_point_of_a_batch_has_a_seed_of_its_own() -> None:
    X, y = hill()
    first, second = propose_batch(X, y, 2, "random", seed=4)
    np.testing.assert_array_equal(second.x, propose(X, y, [first.x], "random", seed_of(4, 1)).x)
