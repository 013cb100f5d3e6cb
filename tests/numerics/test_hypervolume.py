"""Dominated volumes, against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nonstop.numerics.hypervolume import hypervolume, nondominated
from nonstop.types import Array


def by_inclusion_and_exclusion(Y: Array, reference: Array) -> float:
    """The volume of a union of boxes, from the volumes of all intersections."""
    sides = np.maximum(Y - reference, 0.0)
    total = 0.0
    for count in range(1, len(sides) + 1):
        for some in itertools.combinations(range(len(sides)), count):
            total -= (-1) ** count * math.prod(sides[list(some)].min(axis=0))
    return total


@st.composite
def points(draw: st.DrawFn) -> tuple[Array, Array]:
    m = draw(st.integers(1, 5))
    # Few different numbers, so that there are ties, equal rows, and rows on the reference.
    number = st.integers(-2, 6).map(float)
    Y = draw(arrays(np.float64, (draw(st.integers(0, 7)), m), elements=number))
    return Y, draw(arrays(np.float64, m, elements=number))


@given(points())
def test_the_volume_is_that_of_all_boxes_together(case: tuple[Array, Array]) -> None:
    Y, reference = case
    assert hypervolume(Y, reference) == pytest.approx(by_inclusion_and_exclusion(Y, reference), abs=1e-9)


@given(points())
def test_a_row_stays_unless_another_dominates_it(case: tuple[Array, Array]) -> None:
    Y, _ = case
    expected = [not any((other >= row).all() and (other > row).any() for other in Y) for row in Y]
    assert nondominated(Y).tolist() == expected


def test_numbers_whose_sum_is_none() -> None:
    Y = np.array([[1e308, 1e308, -1e308], [1.7e308, 1e308, -1e308], [0.0, 0.0, 0.0]])
    assert nondominated(Y).tolist() == [False, True, True]


@pytest.mark.parametrize("m", [2, 3, 4])
def test_the_volume_of_many_points_agrees_with_sampling(m: int) -> None:
    rng = np.random.default_rng(m)
    Y = np.abs(rng.standard_normal((60, m)))
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    samples = rng.random((200_000, m))
    dominated = np.zeros(len(samples), dtype=bool)
    for row in Y:
        dominated |= (samples < row).all(axis=1)
    share = dominated.mean()
    error = math.sqrt(share * (1.0 - share) / len(samples))
    assert hypervolume(Y, np.zeros(m)) == pytest.approx(share, abs=5.0 * error)


def test_far_and_near_numbers_keep_their_digits() -> None:
    Y = np.array([[1e8 + 1.0, 1e-8], [1e8, 2e-8]])
    assert hypervolume(Y, np.array([1e8 - 1.0, 0.0])) == pytest.approx(2e-8 + 1e-8, rel=1e-7)
