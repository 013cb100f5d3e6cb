"""Which rows are kept of too many."""

import numpy as np
import pytest

from nonstop.surrogate.thinning import around, evenly, spread


@pytest.mark.parametrize(("n", "size"), [(10_000, 1000), (2001, 400), (100, 20), (21, 20), (12, 3), (5, 1), (7, 0)])
def test_the_closer_the_denser(n: int, size: int) -> None:
    squares = np.random.default_rng(0).permutation(n).astype(np.float64)
    ranks = np.sort(squares[around(squares, size)])
    assert 0.9 * size <= len(ranks) <= size
    assert len(np.unique(ranks)) == len(ranks)
    if size >= 20:
        steps = np.diff(ranks)
        assert ranks[0] == 0
        assert (steps[: size // 10] == 1).all()  # all of the nearest
        assert steps[-1] == max(steps) or steps[-1] >= max(steps) - 1
        assert ranks[-1] >= 0.75 * n


def test_as_many_for_each_doubling() -> None:
    ranks = around(np.arange(65536.0), 600)
    counts = [int(((ranks >= 2**i) & (ranks < 2 ** (i + 1))).sum()) for i in range(8, 16)]
    assert max(counts) - min(counts) <= 2


def test_few_rows_are_all_kept() -> None:
    assert sorted(around(np.array([3.0, 1.0, 2.0]), 5).tolist()) == [0, 1, 2]
    assert evenly(3, 5).tolist() == [0, 1, 2]


def test_the_farthest_comes_next() -> None:
    Z = np.array([[0.0, 0.0], [0.1, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.5]])
    assert spread(Z, 0, 4).tolist() == [0, 3, 2, 4]
    assert spread(Z, 0, 0).tolist() == []
    assert sorted(spread(Z, 2, 9).tolist()) == [0, 1, 2, 3, 4]


def test_copies_come_last() -> None:
    Z = np.zeros((6, 2))
    Z[3] = 1.0
    assert spread(Z, 0, 2).tolist() == [0, 3]
    assert len(set(spread(Z, 0, 6).tolist())) == 6
