"""The fixed share of the fuzzers that every test run has: always the same inputs. `make fuzz` has a million others."""

from __future__ import annotations

import pytest

from tests.fuzz.__main__ import SHORT, fuzzers

#: Seconds for each of them, on a machine that is busy.
DEADLINE = 60.0


@pytest.mark.parametrize("name", fuzzers())
def test_a_share_of_the_fuzz(name: str) -> None:
    module = fuzzers()[name]
    assert module.run(getattr(module, "SHORT", SHORT), 0, DEADLINE) > 0
