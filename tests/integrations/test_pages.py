"""The pages about hosts: their code runs where the hosts are, and prints what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import test_readme
from tests.integrations.hosts import PAGES

FOLDER = test_readme.ROOT / "docs" / "integrations"


@pytest.mark.parametrize("name", PAGES)
def test_the_python_of_a_page(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    test_readme.test_the_python_runs_and_prints_what_the_page_says(FOLDER / name, tmp_path, monkeypatch, capsys)
