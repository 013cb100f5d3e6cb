"""The committed tables are what the committed results say."""

from __future__ import annotations

from pathlib import Path

import pytest

from nonstop_bench import tables

ROOT = Path(__file__).parents[2]
RESULTS = Path("benchmarks/results")  # as the command that made the tables names it


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_tables_of_the_paper_come_from_the_results() -> None:
    assert (RESULTS / "paper/tables.md").read_text(encoding="utf-8") == tables.document(RESULTS)
