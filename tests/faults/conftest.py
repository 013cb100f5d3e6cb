"""Where the storms rage: a new SQLite file, and a new schema of a real PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.postgres import fresh
from tests.postgres import postgres_url as postgres_url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return fresh(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'runs.db'}"
