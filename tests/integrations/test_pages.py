"""The pages about other tools are true: their Python runs, and so do their commands, where the tools are installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import test_readme
from tests.integrations.hosts import host

#: What a page needs, by its name; another needs what all environments have.
NEEDS = {"gest-api": "gest_api", "hydra": "hydra", "optuna": "optuna", "ray-tune": "ray.tune"}
NEEDS |= {"scikit-learn": "sklearn"}


@contextmanager
def surroundings(page: Path) -> Iterator[None]:
    """What a page needs; the test is skipped where it is not installed."""
    if page.stem in NEEDS:
        host(NEEDS[page.stem])
    if page.stem != "ray-tune":
        yield
        return
    ray = host("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)  # Tune would start a larger one, and leave it
    try:
        yield
    finally:
        ray.shutdown()


@pytest.mark.filterwarnings("ignore")  # of the hosts
@pytest.mark.parametrize("page", test_readme.HOSTED, ids=test_readme.shown)
def test_the_python_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with surroundings(page):
        test_readme.test_the_python_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("page", test_readme.HOSTED, ids=test_readme.shown)
def test_the_commands_run(page: Path, tmp_path: Path) -> None:
    if page.stem in NEEDS:
        host(NEEDS[page.stem])
    test_readme.test_the_commands_are_run_by_ci_or_here(page, tmp_path)
