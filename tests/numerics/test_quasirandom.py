"""Halton points: pure, even, apart from each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from nonstop.numerics.quasirandom import halton, pattern, primes


@pytest.mark.parametrize("d", [1, 2, 17, 100])
def test_a_prefix_is_a_prefix(d: int) -> None:
    whole = halton(40, d, seed=3)
    assert np.array_equal(whole[:5], halton(5, d, seed=3))
    assert np.array_equal(whole[7:20], halton(13, d, seed=3, start=7))
    assert np.array_equal(whole[39:], halton(1, d, seed=3, start=39))


def test_more_dimensions_do_not_change_the_first() -> None:
    assert np.array_equal(halton(20, 5, seed=1)[:, :3], halton(20, 3, seed=1))


@pytest.mark.parametrize(("n", "d"), [(1, 1), (4096, 1), (2048, 3), (500, 100)])
@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_inside_the_cube_without_duplicates(n: int, d: int, seed: int) -> None:
    points = halton(n, d, seed)
    assert points.shape == (n, d)
    assert points.min() >= 0.0
    assert points.max() < 1.0
    assert len(np.unique(points[:, 0])) == n
    assert len(np.unique(points, axis=0)) == n


def test_far_along_the_sequence() -> None:
    points = halton(100, 10, seed=0, start=10**12)
    assert points.min() >= 0.0
    assert points.max() < 1.0
    assert len(np.unique(points, axis=0)) == 100


@pytest.mark.parametrize("base_index", [0, 1, 2, 9])
def test_every_cell_of_a_base_is_hit_equally(base_index: int) -> None:
    """The defining property: base^2 consecutive points fall one each into the base^2 equal intervals."""
    base = primes(base_index + 1)[-1]
    column = halton(base**2, base_index + 1, seed=5)[:, -1]
    assert sorted((column * base**2).astype(int).tolist()) == list(range(base**2))


@pytest.mark.parametrize(("n", "d"), [(64, 2), (256, 2), (256, 5), (300, 10)])
def test_more_even_than_chance(n: int, d: int) -> None:
    ours = [qmc.discrepancy(halton(n, d, seed), method="CD") for seed in range(10)]
    chance = [qmc.discrepancy(np.random.default_rng(seed).random((n, d)), method="CD") for seed in range(10)]
    assert max(ours) < min(chance)


def test_high_dimensions_do_not_march_in_step() -> None:
    """Without scrambling, the columns of large neighbouring bases are almost equal for the first points."""
    points = halton(100, 60, seed=0)
    correlation = np.corrcoef(points.T)
    assert np.abs(correlation - np.eye(60)).max() < 0.6


def test_seeds_differ() -> None:
    starts = np.array([halton(1, 4, seed)[0] for seed in range(50)])
    assert len(np.unique(starts, axis=0)) == 50


def test_each_point_is_uniform_over_seeds() -> None:
    first = np.array([halton(1, 2, seed)[0] for seed in range(2000)])
    np.testing.assert_allclose(first.mean(axis=0), 0.5, atol=0.03)
    np.testing.assert_allclose(first.var(axis=0), 1.0 / 12.0, atol=0.01)


def test_primes() -> None:
    assert primes(10) == (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)
    assert primes(100)[-1] == 541


def test_the_pattern_is_one_sequence_that_nobody_can_change() -> None:
    points = pattern(64, 3)
    assert np.array_equal(points, halton(1024, 3, seed=0)[:64])
    with pytest.raises(ValueError, match="read-only"):
        points += 0.5
