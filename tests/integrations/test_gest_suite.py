"""The tests that gest-api brings for its example, a random generator, with ours in its place.

Left out are those of what only the example does: it has no discrete variables, a constant that limits the number of
points, `best_point`, and the random numbers of one seed.
"""

from __future__ import annotations

import pytest

from tests.integrations.hosts import host

host("gest_api")
suite = host("gest_api.tests.test_generator")

from nonstop.integrations.gest import NonstopGenerator  # noqa: E402

OF_THE_EXAMPLE = {
    "test_gen_fails_with_discrete_variable",
    "test_suggest_max_points",
    "test_best_point_selection",
    "test_gen_with_constraints",
}
CASES = sorted(name for name in vars(suite) if name.startswith("test_") and name not in OF_THE_EXAMPLE)


@pytest.mark.parametrize("case", CASES)
def test_gest_apis_own_case(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "RandomGenerator", NonstopGenerator)
    getattr(suite, case)()


def test_there_are_cases() -> None:
    assert len(CASES) >= 4
    assert all(hasattr(suite, name) for name in OF_THE_EXAMPLE)
