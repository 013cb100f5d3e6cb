"""The audit bites: with one protection removed, the storm that passes otherwise must fail, and for that reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.runs import begin, verdict

OPTIONS = ("--workers", 8, "--seconds", 2.5, "--lease", 0.06)


def test_the_storm_passes_with_all_protections(url: str, tmp_path: Path) -> None:
    result = verdict(begin(url, tmp_path, *OPTIONS), 120)
    assert result.problems == []
    assert result.figures["handed on"] > 0


@pytest.mark.parametrize(
    ("mutant", "kind"), [("unique", "numbers"), ("compare-and-set", "lease"), ("sequence", "reader")]
)
def test_the_storm_fails_without_one_of_them(
    new_url: Callable[[], str], tmp_path: Path, mutant: str, kind: str
) -> None:
    """A race does not show in every short storm; one in five is enough to know that the audit sees it."""
    for attempt in range(5):
        folder = tmp_path / f"storm {attempt}"
        folder.mkdir()
        result = verdict(begin(new_url(), folder, *OPTIONS, "--mutant", mutant), 120)
        if kind in result.kinds():
            return
    pytest.fail(f"five storms without {mutant}, and the audit saw nothing: {result}")
