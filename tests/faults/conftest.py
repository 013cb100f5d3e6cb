"""Where the storms rage: a new SQLite file, with either journal, and a new schema of a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.helpers.postgres import fresh
from tests.helpers.postgres import postgres_url as postgres_url
from tests.helpers.storages import with_a_journal


@pytest.fixture(params=["sqlite", "sqlite-journal", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """A new, empty storage at every call."""
    if request.param == "postgresql":
        server: str = request.getfixturevalue("postgres_url")
        return lambda: fresh(server)

    def new_file() -> str:
        path = Path(mkdtemp(dir=tmp_path)) / "runs.db"
        if request.param == "sqlite-journal":
            with_a_journal(path)
        return f"sqlite:///{path}"

    return new_file


@pytest.fixture
def url(new_url: Callable[[], str]) -> str:
    return new_url()
