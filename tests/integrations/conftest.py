"""What the tests of some hosts expect of their own test environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thread_unsafe: scikit-learn's tests have it")


@pytest.fixture
def enable_slep006() -> Iterator[None]:
    """Metadata routing is on; tests of scikit-learn before 1.5 ask for it."""
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        yield
