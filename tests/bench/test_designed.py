"""The designed experiment is balanced, and its tasks are where they should be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from nonstop_bench import designed
from nonstop_bench.designed import CELLS, FACTORS, SHAPE, case_of, levels_of
from nonstop_bench.presets import preset
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.placed import LEVELS, center


def signs() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """(cells, 7): -1 or 1 for every factor and the shape."""
    rows = [(*levels_of(case), case.problem.startswith(SHAPE.high)) for case in CELLS]
    return np.where(np.array(rows), 1.0, -1.0)


def test_every_factor_is_balanced_and_clear_of_every_pair() -> None:
    """Resolution IV: columns are orthogonal to each other and to products of two."""
    S = signs()
    np.testing.assert_array_equal(S.T @ S, len(CELLS) * np.eye(7))
    pairs = np.stack([S[:, i] * S[:, j] for i, j in combinations(range(7), 2)], axis=1)
    assert not (S.T @ pairs).any()


def test_a_cell_knows_its_levels() -> None:
    assert len(set(CELLS)) == 32
    assert all(case_of(levels_of(case)) == case for case in CELLS)
    assert len(levels_of(CELLS[0])) == len(FACTORS)


def test_the_preset_runs_every_rule_on_every_cell_with_the_same_seeds() -> None:
    cases = preset(designed.NAME).cases()
    assert len(cases) == 32 * 6 * designed.SEEDS
    assert set(Counter(case.rule for case in cases).values()) == {32 * designed.SEEDS}
    bare = preset(designed.BARE).cases()
    assert {case.rule for case in bare} == set(designed.PLAIN)
    assert {replace(case, guard=True) for case in bare} <= set(cases)
    assert not any(case.guard for case in bare)


@pytest.mark.parametrize("shape", ["rippled", "funnel"])
@pytest.mark.parametrize("place", ["vertex", "inside"])
def test_the_grid_has_the_values_of_the_cube(shape: str, place: str) -> None:
    cube, grid = find(f"{shape}-{place}-3"), find(f"{shape}-{place}-grid-3")
    best = center(place, 3)
    for steps in [np.round(LEVELS * best), *np.random.default_rng(0).integers(0, LEVELS + 1, (20, 3))]:
        on_grid = grid.objective({f"n{j + 1}": int(n) for j, n in enumerate(steps)})
        in_cube = cube.objective({f"x{j + 1}": float(n) / LEVELS for j, n in enumerate(steps)})
        assert on_grid == pytest.approx(in_cube, abs=1e-12)
        assert 0.0 <= on_grid <= 1.0
    at_best = grid.objective({f"n{j + 1}": int(n) for j, n in enumerate(np.round(LEVELS * best))})
    assert at_best == pytest.approx(grid.optimum, abs=1e-12)
