"""The example, killed half-way with all that it started, completes exactly its budget when it is started again."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.helpers.commands import BRANIN, completed, kill_group, run, start, trials, wait_until
from tests.helpers.postgres import fresh

BUDGET = 40


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_the_example_survives_a_kill(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    shared = backend == "postgresql"
    url = fresh(request.getfixturevalue("postgres_url")) if shared else f"sqlite:///{tmp_path / 'branin.db'}"
    environment = {"NONSTOP_STORAGE": url} if shared else {}
    command = ("run", BRANIN, "--lease", "2s")

    process = start(*command, cwd=tmp_path, env=environment)
    wait_until(lambda: completed(url, "branin") >= BUDGET // 2)
    kill_group(process, signal.SIGKILL)
    before = [trial for trial in trials(url, "branin") if trial.state.finished]
    assert BUDGET // 2 <= len(before) < BUDGET

    done = run(*command, cwd=tmp_path, env=environment)
    assert f"trials   {BUDGET} completed, in " in done.stdout
    after = trials(url, "branin")
    assert [trial.number for trial in after] == list(range(BUDGET))
    assert {trial.state.value for trial in after} == {"completed"}, "no trial is lost or stuck"
    assert all(after[trial.number] == trial for trial in before), "what was finished stayed as it was"
    assert "all 40 proposals are identical" in run("replay", url, "branin", cwd=tmp_path).stdout
