"""Real worker processes, killed, stopped and told to end. Nothing is lost, nothing is counted twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import nonstop
from nonstop.storage.sqlite import driver
from nonstop.trials.trial import Trial
from tests.engines.objectives import SPACE, check_whole

ROOT = Path(__file__).parents[2]
#: Evaluations leave the name of their process, so that a test knows whom to kill. The lease is short.
RUN = """
import os, sys, time
from pathlib import Path
import nonstop

def objective(params):
    pids = Path(sys.argv[2])
    (pids / str(os.getpid())).touch()
    time.sleep(float(sys.argv[5]))
    return (params["x"] - 0.3) ** 2 + params["y"]

if __name__ == "__main__":
    study = nonstop.load_study(sys.argv[1], "demo")
    study.optimize(objective, n_trials=int(sys.argv[3]), workers=int(sys.argv[4]), lease=1.0)
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}"


class Run:
    """A script that calls study.optimize(), and its workers."""

    def __init__(self, folder: Path, url: str, budget: int, workers: int, seconds: float) -> None:
        self.pids = folder / "pids"
        self.pids.mkdir(exist_ok=True)
        self.study = nonstop.create_study(url, "demo", space=SPACE, load_if_exists=True)
        (folder / "run.py").write_text(RUN)
        words = [sys.executable, str(folder / "run.py"), url, str(self.pids), str(budget), str(workers), str(seconds)]
        self.process = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True)

    def workers(self) -> list[int]:
        return sorted(int(path.name) for path in self.pids.iterdir())

    def finish(self, seconds: float = 90.0) -> str:
        _, errors = self.process.communicate(timeout=seconds)
        return errors

    def running(self) -> list[Trial]:
        return [trial for trial in self.study.trials if trial.state == "running"]


def until(condition: Callable[[], object], what: str, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


def stop(pid: int, file: Path) -> None:
    """Stop the process, but not in the middle of a transaction: there it would block the file until it goes on, as no
    dead process can (docs/decisions/0011)."""
    while True:
        os.kill(pid, signal.SIGSTOP)
        connection = driver().connect(file, timeout=2.0, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            return
        except driver().OperationalError:
            os.kill(pid, signal.SIGCONT)
            time.sleep(random.uniform(0.0, 0.1))
        finally:
            connection.close()


@contextmanager
def a_run(folder: Path, url: str, budget: int, workers: int, seconds: float) -> Iterator[Run]:
    run = Run(folder, url, budget, workers, seconds)
    try:
        yield run
    finally:
        run.process.kill()
        run.process.communicate()
        until(lambda: not any(alive(pid) for pid in run.workers()), "the workers to end after their run")
        run.study.storage.close()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_killed_worker_is_replaced_and_its_trial_completed(tmp_path: Path, url: str) -> None:
    with a_run(tmp_path, url, budget=16, workers=2, seconds=0.2) as run:
        until(lambda: run.workers(), "a worker")
        victim = run.workers()[0]
        os.kill(victim, signal.SIGKILL)
        assert run.finish() == ""
        assert run.process.returncode == 0
        check_whole(run.study, 16)
        assert len(run.study.trials) == 16
        assert len(run.workers()) == 3
        assert max(trial.attempt for trial in run.study.trials) == 2
        assert len({trial.worker for trial in run.study.trials}) == 2, "the one that came kept the name"


def test_a_stopped_worker_comes_back_late_and_nothing_counts_twice(tmp_path: Path, url: str) -> None:
    with a_run(tmp_path, url, budget=24, workers=3, seconds=0.3) as run:
        until(lambda: len(run.workers()) == 3, "three workers")
        victim = run.workers()[0]
        stop(victim, tmp_path / "runs.db")
        try:
            until(lambda: any(trial.attempt == 2 for trial in run.study.trials), "its trial to be handed on")
            time.sleep(1.0)
        finally:
            os.kill(victim, signal.SIGCONT)
        assert run.finish() == ""
        check_whole(run.study, 24)
        assert len(run.study.trials) == 24
        handed_on = [trial for trial in run.study.trials if trial.attempt > 1]
        assert len(handed_on) <= 2, "only the stopped worker's trial (and a stall of this machine) may be handed on"
        assert len(run.workers()) == 3, "it was late, not dead: nobody replaced it"


def test_sigterm_of_one_worker_is_the_end_of_that_worker_only(tmp_path: Path, url: str) -> None:
    with a_run(tmp_path, url, budget=12, workers=2, seconds=0.2) as run:
        until(lambda: len(run.workers()) == 2, "two workers")
        os.kill(run.workers()[0], signal.SIGTERM)
        assert run.finish() == ""
        check_whole(run.study, 12)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_run_ends_within_seconds_and_resumes_to_its_budget(
    tmp_path: Path, url: str, number: signal.Signals
) -> None:
    with a_run(tmp_path, url, budget=14, workers=4, seconds=30.0) as run:
        until(lambda: len(run.workers()) == 4, "four workers")
        asked = time.monotonic()
        run.process.send_signal(number)
        errors = run.finish(60.0)
        assert time.monotonic() - asked < 20.0
        assert run.process.returncode == (-signal.SIGINT if number == signal.SIGINT else 143), errors
        states = [trial.state for trial in run.study.trials]
        assert states == ["waiting"] * 4, "handed back, at once and without a lease"
    with a_run(tmp_path, url, budget=14, workers=4, seconds=0.05) as again:
        assert again.finish() == ""
        check_whole(again.study, 14)
        assert len(again.study.trials) == 14
        owners = {trial.worker for trial in again.study.trials}
        assert len(owners) <= 4, "the names are those of the first run"


def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path, url: str) -> None:
    with a_run(tmp_path, url, budget=10, workers=2, seconds=30.0) as run:
        until(lambda: len(run.workers()) == 2, "two workers")
        run.process.kill()
        until(lambda: not any(alive(pid) for pid in run.workers()), "the workers to notice", 20.0)
        until(lambda: not run.running(), "their trials to be handed back", 5.0)
    with a_run(tmp_path, url, budget=10, workers=2, seconds=0.05) as again:
        assert again.finish() == ""
        check_whole(again.study, 10)
