"""The statistics against closed forms, SciPy, invariances and a small simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nonstop_bench import statistics
from nonstop_bench.statistics import Estimate, compared, holm

small = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


def test_a_clear_case() -> None:
    """All differences are -1: every seed is won, and only one of 2^n sign patterns is as extreme on each side."""
    b = np.arange(10.0) * 10.0
    found = compared(b - 1.0, b)
    assert (found.n, found.wins, found.ties, found.win_share) == (10, 10, 0, 1.0)
    assert found.difference == Estimate(-1.0, -1.0, -1.0)
    assert found.wilcoxon == pytest.approx(2.0 / 2**10)
    assert found.a12.value == pytest.approx((10 * 9 / 2 + 10) / 100)


def test_the_same_twice_is_a_tie() -> None:
    a = np.arange(7.0)
    found = compared(a, a)
    assert (found.wins, found.ties, found.win_share) == (0, 7, 0.5)
    assert found.difference == Estimate(0.0, 0.0, 0.0)
    assert (found.a12.value, found.wilcoxon, found.mann_whitney) == (0.5, 1.0, 1.0)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_seeds_have_no_interval(n: int) -> None:
    """One seed is not certainty: a bootstrap of it would be a point."""
    found = compared(np.zeros(n), np.ones(n))
    assert found.difference == Estimate(-1.0, -math.inf, math.inf)
    assert found.a12 == Estimate(1.0, 0.0, 1.0)
    assert statistics.mean(np.ones(n)) == Estimate(1.0, -math.inf, math.inf)
    assert not found.difference.excludes(0.0)


def test_columns_must_match() -> None:
    with pytest.raises(ValueError, match="the same seeds"):
        compared([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="the same seeds"):
        compared([], [])


@settings(max_examples=60, deadline=None)
@given(small)
def test_wilcoxon_by_all_signs(differences: list[int]) -> None:
    """With ties and zeros: the share of the 2^m sign patterns whose rank sum is as extreme, doubled."""
    d = np.array(differences, dtype=np.float64)
    kept = d[d != 0.0]
    ranks = stats.rankdata(np.abs(kept))
    sums = [sum(r for r, on in zip(ranks, signs, strict=True) if on) for signs in _signs(len(kept))]
    w = ranks[kept > 0.0].sum()
    tails = np.mean([s <= w for s in sums]), np.mean([s >= w for s in sums])
    assert statistics.wilcoxon(d) == pytest.approx(min(1.0, 2.0 * min(tails)))


def _signs(count: int) -> list[tuple[bool, ...]]:
    return list(itertools.product([False, True], repeat=count))


@pytest.mark.parametrize("n", [5, 20, 50])
def test_wilcoxon_is_scipys_where_there_are_no_ties(n: int) -> None:
    d = np.random.default_rng(n).normal(0.3, 1.0, n)
    assert statistics.wilcoxon(d) == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=12))
def test_what_may_not_matter(pairs: list[tuple[int, int]]) -> None:
    """The order of seeds, the unit of the regret, and which rule is named first."""
    a, b = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
    found, swapped, scaled = compared(a, b), compared(b, a), compared(a + 7.0, b + 7.0)
    turned = compared(a[::-1], b[::-1])
    assert swapped.win_share == pytest.approx(1.0 - found.win_share)
    assert swapped.difference.value == -found.difference.value
    assert swapped.a12.value == pytest.approx(1.0 - found.a12.value)
    for other in (swapped, scaled, turned):
        assert other.wilcoxon == pytest.approx(found.wilcoxon)
        assert other.mann_whitney == pytest.approx(found.mann_whitney)
    assert (scaled.difference, turned.difference.value) == (found.difference, found.difference.value)
    assert found.a12.low <= found.a12.value <= found.a12.high


def test_a12_is_the_u_statistic() -> None:
    a, b = np.random.default_rng(0).integers(0, 6, (2, 15)).astype(float)
    assert statistics.a12(a, b).value == pytest.approx(stats.mannwhitneyu(b, a).statistic / 225)


def test_the_interval_of_a12_by_brute_force() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 12))
    draws = statistics._draws(12)[:300]
    slow = [np.mean((a[i][:, None] < b[i]) + 0.5 * (a[i][:, None] == b[i])) for i in draws]
    W = statistics.weights(12)[:300]
    beats = (a[:, None] < b) + 0.5 * (a[:, None] == b)
    np.testing.assert_allclose(np.einsum("ri,ri->r", W @ beats, W), slow)


def test_resamples_are_uniform_and_always_the_same() -> None:
    draws = statistics._draws(20)
    assert draws[0, :8].tolist() == [17, 1, 10, 7, 16, 0, 13, 15]
    counts = np.bincount(draws.ravel(), minlength=20)
    assert stats.chisquare(counts).pvalue > 1e-3
    np.testing.assert_allclose(statistics.weights(7).sum(axis=1), 1.0)


@pytest.mark.parametrize("n", [10, 20])
def test_the_interval_covers_the_median(n: int) -> None:
    """Skewed differences with a known median: in about 95 % of 400 studies the interval holds it."""
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(400):
        found = statistics.median(rng.exponential(size=n))
        hits += found.low <= math.log(2.0) <= found.high
    assert 0.91 <= hits / 400 <= 0.99


def test_the_interval_of_the_mean() -> None:
    """About that of the normal theory, where that holds."""
    d = np.random.default_rng(3).normal(1.0, 2.0, 400)
    found = statistics.mean(d)
    half = 1.96 * d.std() / 20.0
    assert (found.low, found.high) == pytest.approx((d.mean() - half, d.mean() + half), abs=0.02)


def test_infinite_regrets_stay_infinite() -> None:
    """Where every evaluation failed, the regret is infinite; no NaN may come of it."""
    found = compared(np.arange(7.0), np.full(7, math.inf))
    assert (found.difference.value, found.wins) == (-math.inf, 7)
    assert found.difference.low == found.difference.high == -math.inf


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
def test_holm_by_its_definition(p: list[float]) -> None:
    """Adjusted below alpha where the step-down procedure at alpha rejects."""
    adjusted = holm(p)
    for alpha in (0.01, 0.05, 0.3):
        rejected = set()
        for place, i in enumerate(np.argsort(p, kind="stable")):
            if p[i] * (len(p) - place) >= alpha:
                break
            rejected.add(int(i))
        assert {i for i, each in enumerate(adjusted) if each < alpha} == rejected


def test_a_share_with_wilsons_interval() -> None:
    found = statistics.share(3, 10)
    low, high = stats.binomtest(3, 10).proportion_ci(method="wilson")
    assert (found.value, found.low, found.high) == pytest.approx((0.3, low, high))
    assert statistics.share(0, 5).low == 0.0
    assert math.isnan(statistics.share(0, 0).value)
