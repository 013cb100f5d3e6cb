"""Random spaces of every kind: what holds for a box holds for nested, constrained and stepped ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonstop.space import Space
from tests.helpers.spaces import kinds_of, spaces
from tests.space.checks import CHECKS


@pytest.mark.parametrize("check", CHECKS)
def test_what_holds_for_every_space(check: Callable[[Space, int], None]) -> None:
    @settings(max_examples=60, deadline=None)
    @given(spaces(), st.integers(0, 2**32))
    def tried(space: Space, seed: int) -> None:
        check(space, seed)

    tried()


def test_the_random_spaces_are_of_every_kind() -> None:
    seen: set[str] = set()

    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(spaces())
    def look(space: Space) -> None:
        seen.update(kinds_of(space))

    look()
    assert seen == {"nested", "nested twice", "constrained", "stepped", "factor", "ordinal", "single", "one name twice"}
