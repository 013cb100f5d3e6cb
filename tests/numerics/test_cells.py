"""What a front does not dominate, as boxes, against sampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nonstop.numerics.cells import Cells
from nonstop.numerics.hypervolume import nondominated
from nonstop.types import Array

PROBES = np.random.default_rng(0).uniform(-3.0, 8.0, (400, 3))


def holding(cells: Cells, points: Array) -> Array:
    """In how many boxes each point is (m,)."""
    inside = np.ones((len(points), len(cells.lower[0])), dtype=bool)
    for i, (levels, lower, upper) in enumerate(zip(cells.levels, cells.lower, cells.upper, strict=True)):
        inside &= points[:, i, None] > levels[lower]
        if upper is not None:
            inside &= points[:, i, None] <= levels[upper]
    return np.asarray(inside.sum(axis=1))


@st.composite
def fronts(draw: st.DrawFn) -> tuple[Array, Array]:
    k = draw(st.integers(2, 3))
    # Few different numbers, so that there are ties, equal rows, and rows on the reference.
    number = st.integers(-2, 6).map(float)
    return draw(arrays(np.float64, (draw(st.integers(0, 9)), k), elements=number)), draw(
        arrays(np.float64, k, elements=number)
    )


@given(fronts())
def test_every_point_that_is_not_dominated_is_in_one_box(case: tuple[Array, Array]) -> None:
    front, reference = case
    points = PROBES[:, : len(reference)]
    dominated = np.any((points[:, None] < front).all(axis=2), axis=1)
    expected = (points > reference).all(axis=1) & ~dominated
    np.testing.assert_array_equal(holding(Cells.of(front, reference), points), expected.astype(int))


@given(fronts(), st.lists(st.sampled_from([0.0, 2.0, 5.0, np.inf]), min_size=3, max_size=3))
def test_no_box_is_beyond_the_ends(case: tuple[Array, Array], limits: list[float]) -> None:
    front, reference = case
    ends = np.array(limits[: len(reference)])
    points = PROBES[:, : len(reference)]
    uncut, cut = (holding(Cells.of(front, reference, given), points) for given in (None, ends))
    below = uncut * (points < ends).all(axis=1)
    assert (cut == below).all() or (not below.any() and (cut == uncut).all())
    assert holding(Cells.of(front, reference, reference), points).sum() == uncut.sum(), "ends that leave nothing"


@pytest.mark.parametrize("k", [2, 3])
def test_there_are_few_boxes(k: int) -> None:
    front = np.abs(np.random.default_rng(k).standard_normal((200, k)))
    front /= np.linalg.norm(front, axis=1, keepdims=True)
    assert nondominated(front).all()
    assert len(Cells.of(front, np.zeros(k)).lower[0]) == (k - 1) * 200 + 1
