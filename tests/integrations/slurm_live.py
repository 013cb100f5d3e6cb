"""`nonstop slurm` on a real Slurm of one node: `make test-slurm`, which needs root and the packages of slurmd.py."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import nonstop
from tests.helpers.commands import ROOT, completed, run, trials, wait_until
from tests.integrations.slurmd import missing, slurm

OBJECTIVES = """
import time

def square(params):
    time.sleep(0.2)
    return (params["x"] - 0.3) ** 2

def first_takes_long(params, trial):
    if trial.attempt == 1 and trial.number < 2:
        time.sleep(600)
    return square(params)
"""
SPACE = ("-p", "x=float:0:1")
#: As long as the objective above, and a command: Slurm sends it SIGTERM, too.
COMMAND = "bash -c 'if [ $NONSTOP_ATTEMPT = 1 ] && [ $NONSTOP_TRIAL -lt 2 ]; then sleep 600 || exit; fi; echo 0.5' {x}"


@pytest.fixture(scope="module", params=[0, 5], ids=["no grace", "grace of 5 s"])
def _slurm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    assert not missing(), f"make test-slurm needs {', '.join(missing())}: on Debian, slurm-wlm and munge"
    assert os.getuid() == 0, "make test-slurm needs root"
    with slurm(tmp_path_factory.mktemp("slurm"), grace=request.param):
        yield


@pytest.fixture
def folder(_slurm: None, tmp_path: Path) -> Iterator[Path]:
    work = tmp_path / "my study"
    work.mkdir()
    (work / "mine.py").write_text(OBJECTIVES)
    yield work
    subprocess.run(["scancel", "--user=root"], check=True)
    wait_until(lambda: not queue())


def submit(folder: Path, *words: str, tasks: int = 2, n_trials: int = 8) -> str:
    where = ("--storage", url(folder), "--one-machine", "--name", "demo", "--n-trials", str(n_trials))
    size = ("--array", str(tasks), "--partition", "low", "--lease", "20")
    environment = {"SLURM_CONF": os.environ["SLURM_CONF"], "PYTHONPATH": str(ROOT / "src")}
    return run("slurm", *words, *SPACE, *where, *size, cwd=folder, env=environment).stdout.strip()


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'runs.db'}"


def queue(job: str = "") -> dict[str, str]:
    """The state of each task."""
    jobs = [f"--jobs={job}"] if job else []
    words = ["squeue", "--noheader", "--array", "--format=%i %T", *jobs]
    said = subprocess.run(words, capture_output=True, text=True, check=False)
    return dict(line.split(" ", 1) for line in said.stdout.splitlines())


def running(folder: Path) -> int:
    return sum(trial.state is nonstop.TrialState.RUNNING for trial in trials(url(folder), "demo"))


def logs(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted((folder / "nonstop-logs").iterdir()))


def preempt(seconds: int) -> None:
    """A job of more importance, for all processors of the node."""
    wrap = ["sbatch", "--partition=high", "--cpus-per-task=4", "--output=/dev/null", "--time=1"]
    subprocess.run([*wrap, f"--wrap=sleep {seconds}"], check=True, stdout=subprocess.DEVNULL)


def test_an_array_completes_the_budget(folder: Path) -> None:
    job = submit(folder, "mine:square", "--time", "5", "--mem", "100", "--sbatch", "--comment='two words'")
    wait_until(lambda: not queue(job), 120.0)
    assert completed(url(folder), "demo") == 8, logs(folder)
    assert {trial.worker for trial in trials(url(folder), "demo")} == {f"{job}_0-w0", f"{job}_1-w0"}
    assert sorted(path.name for path in (folder / "nonstop-logs").iterdir()) == [f"demo-{job}_{i}.log" for i in (0, 1)]


@pytest.mark.parametrize("what", [("mine:first_takes_long",), ("--command", COMMAND)], ids=["function", "command"])
def test_preempted_tasks_give_back_their_trials_and_come_back(folder: Path, what: tuple[str, ...]) -> None:
    job = submit(folder, *what, "--time", "10")
    wait_until(lambda: running(folder) == 2)
    preempt(5)
    wait_until(lambda: running(folder) == 0)
    assert {trial.state for trial in trials(url(folder), "demo")} == {nonstop.TrialState.WAITING}, logs(folder)
    wait_until(lambda: queue(job) == {f"{job}_{task}": "PENDING" for task in (0, 1)})
    for task in queue(job):  # which Slurm would let wait for two minutes
        subprocess.run(["scontrol", "update", f"JobId={task}", "StartTime=now"], check=True)
    wait_until(lambda: completed(url(folder), "demo") == 8 and not queue(job), 200.0)
    found = trials(url(folder), "demo")
    assert [trial.attempt for trial in found] == [2, 2, 1, 1, 1, 1, 1, 1]
    assert all(trial.state is nonstop.TrialState.COMPLETED for trial in found)


def test_a_task_whose_time_is_up_comes_back(folder: Path) -> None:
    job = submit(folder, "mine:first_takes_long", "--time", "2", tasks=1)
    wait_until(lambda: running(folder) == 1)
    wait_until(lambda: "goes back into the queue" in logs(folder), 150.0)
    wait_until(lambda: trials(url(folder), "demo")[0].state is nonstop.TrialState.WAITING)
    wait_until(lambda: queue(job) == {f"{job}_0": "PENDING"})  # Slurm lets it wait for two minutes


def test_a_job_that_is_cancelled_does_not_come_back(folder: Path) -> None:
    job = submit(folder, "mine:first_takes_long", "--time", "10")
    wait_until(lambda: running(folder) == 2)
    subprocess.run(["scancel", job], check=True)
    wait_until(lambda: not queue(job), 120.0)
    assert {trial.state for trial in trials(url(folder), "demo")} == {nonstop.TrialState.WAITING}, logs(folder)
    assert "goes back into the queue" not in logs(folder)


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, *sys.argv[1:]]))
