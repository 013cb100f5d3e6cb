"""Constraints on one outcome: how they are written, and by how much a number violates them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonstop.errors import StudyError
from nonstop.outcomes.bound import Bound

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SIDES = st.sampled_from(["<=", ">="])
SPACES = st.sampled_from(["", " ", "  ", "\t", "\n"])


@given(SIDES, NUMBERS, st.tuples(SPACES, SPACES, SPACES))
def test_a_text_is_read_whatever_its_spaces(side: str, number: float, spaces: tuple[str, str, str]) -> None:
    before, between, after = spaces
    bound = Bound.of("memory", f"{before}{side}{between}{number!r}{after}")
    assert (bound.side, bound.value) == (side, number)
    assert Bound.of("memory", str(bound)) == bound
    assert Bound.of("memory", bound) is bound


@pytest.mark.parametrize(
    ("text", "value"), [("<=8", 8.0), (">= +1", 1.0), ("<= 1e-3", 1e-3), ("<= -.5", -0.5), (">= 1_000", 1000.0)]
)
def test_numbers_as_python_reads_them(text: str, value: float) -> None:
    assert Bound.of("memory", text).value == value


@pytest.mark.parametrize(
    ("given", "also"),
    [
        ("< 8", "write <= for <"),
        (">8", "write >= for >"),
        ("= 8", ""),
        ("== 8", ""),
        ("8", ""),
        ("<=", ""),
        ("", ""),
        ("<= 8 GB", ""),
        ("<= nan", ""),
        ("<= inf", ""),
        ("<= 1e999", ""),
        ("<= 8 <= 9", ""),
        ("<= <= 8", ""),
        (8.0, ""),
        (None, ""),
        (("<=", 8.0), ""),
    ],
)
def test_what_is_no_bound(given: object, also: str) -> None:
    with pytest.raises(StudyError, match="the constraint on 'memory' must be a text such as") as error:
        Bound.of("memory", given)
    assert also in str(error.value)


@given(SIDES, NUMBERS, NUMBERS)
def test_an_outcome_violates_it_or_has_slack(side: str, bound: float, outcome: float) -> None:
    limit = Bound.of("memory", f"{side} {bound!r}")
    satisfied = outcome <= bound if side == "<=" else outcome >= bound
    assert (limit.violation(outcome) == 0.0) == satisfied
    assert (limit.slack(outcome) >= 0.0) == satisfied
    assert limit.violation(bound) == limit.slack(bound) == 0.0


def test_violations_are_relative_to_the_bound() -> None:
    assert Bound("<=", 8.0).violation(10.0) == 0.25
    assert Bound(">=", -8.0).violation(-10.0) == 0.25
    assert Bound(">=", 0.0).violation(-3.0) == 3.0
