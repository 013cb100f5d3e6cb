"""Workers of one study never share a name while they live, and have the same names again when a run is resumed."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import nonstop
from nonstop.engines.names import prefix_here, worker_names
from tests.helpers.commands import run, start, trials

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
HOLD = """
import sys
from nonstop.engines.names import worker_names
with worker_names("study", "host", int(sys.argv[1])) as names:
    print(*names, flush=True)
    sys.stdin.read()
"""
#: Ends when three processes have evaluated it.
TOGETHER = """
import os, pathlib, time

def slow(params):
    pathlib.Path(f"{os.getpid()}.here").touch()
    while len(list(pathlib.Path().glob("*.here"))) < 3:
        time.sleep(0.02)
    return params["x"]
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    for name in ("NONSTOP_WORKER", "NONSTOP_TRIAL", "SLURM_PROCID"):
        monkeypatch.delenv(name, raising=False)


def test_the_first_free_numbers() -> None:
    with worker_names("study", "host", 2) as first:
        assert first == ["host-w0", "host-w1"]
        with worker_names("study", "host", 1) as second, worker_names("study", "host", 2) as third:
            assert second == ["host-w2"]
            assert third == ["host-w3", "host-w4"]
        with worker_names("other", "host", 1) as other, worker_names("study", "left", 1) as left:
            assert (other, left) == (["host-w0"], ["left-w0"])
    with worker_names("study", "host", 3) as again:
        assert again == ["host-w0", "host-w1", "host-w2"]


def test_runs_that_start_at_once_and_are_killed(tmp_path: Path) -> None:
    held: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    runs = [subprocess.Popen([sys.executable, "-c", HOLD, "2"], **held) for _ in range(4)]
    try:
        names = [name for run in runs if run.stdout for name in run.stdout.readline().split()]
        assert sorted(names) == [f"host-w{number}" for number in range(8)]
    finally:
        for process in runs:
            process.send_signal(signal.SIGKILL)
            process.communicate()
    with worker_names("study", "host", 2) as again:
        assert again == ["host-w0", "host-w1"]
    assert not list(tmp_path.glob("*/*.names"))


def test_where_nothing_can_be_locked_there_are_names_nevertheless(tmp_path: Path) -> None:
    (tmp_path / f"nonstop-{os.getuid()}").touch()
    with worker_names("study", "host", 2) as names:
        assert names == ["host-w0", "host-w1"]


def test_the_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prefix_here() == platform.node()
    monkeypatch.setenv("SLURM_PROCID", "3")
    assert prefix_here() == f"{platform.node()}-3"
    monkeypatch.setenv("NONSTOP_WORKER", "left")
    assert prefix_here() == "left"
    monkeypatch.setenv("NONSTOP_TRIAL", "7")  # in a command of a worker
    assert prefix_here() == "left"
    monkeypatch.setenv("NONSTOP_WORKER", "left-w0")
    assert prefix_here() == f"{platform.node()}-3"


def test_threads_on_a_study_in_memory() -> None:
    study, barrier = nonstop.create_study(space=SPACE), threading.Barrier(2)

    def objective(params: Any) -> float:
        barrier.wait(30.0)
        return float(params["x"])

    def work(_: int) -> str:
        mine = nonstop.load_study(study.storage, study.name)
        (usage,) = mine.optimize(objective, n_trials=2)
        return usage.worker

    with ThreadPoolExecutor(2) as pool:
        names = list(pool.map(work, range(2)))
    assert len(set(names)) == 2


def test_two_terminals(tmp_path: Path) -> None:
    """Two real runs of one study, started at once."""
    (tmp_path / "mine.py").write_text(TOGETHER)
    words = ("run", "mine:slow", "-p", "x=float:0:1", "--n-trials", "6", "-q", "--workers")
    elsewhere = {"TMPDIR": str(tmp_path)}
    runs = [start(*words, workers, cwd=tmp_path, env=elsewhere) for workers in ("1", "2")]
    for process in runs:
        process.communicate(timeout=120)
    url = f"sqlite:///{tmp_path / 'nonstop.db'}"
    names = {trial.worker for trial in trials(url, "slow")}
    assert names == {f"{platform.node()}-w{number}" for number in range(3)}
    run(*words, "1", "--n-trials", "7", cwd=tmp_path, env=elsewhere)
    assert trials(url, "slow")[-1].worker == f"{platform.node()}-w0"
    assert not list(tmp_path.glob("nonstop-*/*.names"))
