"""Hearts beat outside of the objective's interpreter: what it does cannot silence them, and its death does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import pytest

import nonstop
from nonstop.workers.lease import Lease
from nonstop.workers.pacemaker import Hearts
from tests.engines.objectives import SPACE, Deaf, bowl, check_whole

ROOT = Path(__file__).parents[2]
#: One worker in the process of a script. Its evaluations leave their process's number.
SCRIPT = """
import os, sys
from pathlib import Path
import nonstop
from tests.engines.objectives import Deaf

def objective(params):
    Path(sys.argv[2], str(os.getpid())).touch()
    return Deaf(float(sys.argv[3]))(params)

nonstop.load_study(sys.argv[1], "demo").optimize(objective, n_trials=1, lease=1.0)
"""

OBSERVER = """
import sys, time
import nonstop
from nonstop.workers.lease import Heart, Lease

study = nonstop.load_study(sys.argv[1], "demo")
heart = Heart(study.storage, study.id, Lease(1.0))
print("watching", flush=True)
while True:
    heart.beat([])
    time.sleep(0.2)
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}"


@pytest.fixture
def study(url: str) -> Iterator[nonstop.Study]:
    study = nonstop.create_study(url, "demo", space=SPACE)
    yield study
    study.storage.close()


@contextmanager
def one_worker(url: str, folder: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    pids = folder / "pids"
    pids.mkdir()
    words = [sys.executable, "-c", SCRIPT, url, str(pids), str(seconds)]
    process = subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, text=True)
    try:
        until(lambda: list(pids.iterdir()), "the evaluation to begin")
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def observed(url: str) -> Iterator[None]:
    """What another run on the same study does: watch the leases of all. In a process: objectives here stop threads."""
    words = [sys.executable, "-c", OBSERVER, url]
    process = subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "watching\n"
        yield
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


def until(condition: Callable[[], object], what: str, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


def pacemakers(pid: int) -> list[int]:
    found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [child for child in found if stat(child)[1:2] == [str(pid)] and "pacemaker" in command_line(child)]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def stat(pid: int) -> list[str]:
    """State and parent of a process, and more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def alive(pid: int) -> bool:
    return stat(pid)[:1] not in ([], ["Z"])


def check_first_attempts(study: nonstop.Study, budget: int) -> None:
    check_whole(study, budget)
    assert [(trial.state, trial.attempt) for trial in study.trials] == [("completed", 1)] * budget


def test_processes_that_hold_the_global_lock_keep_their_leases(url: str, study: nonstop.Study) -> None:
    with observed(url):
        study.optimize(Deaf(4.4), n_trials=2, workers=2, lease=2.0)  # a pacemaker may take a second to start
    check_first_attempts(study, 2)


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_a_pool_that_holds_the_global_lock_keeps_its_leases(url: str, study: nonstop.Study, kind: str) -> None:
    make: Callable[[], Executor] = (
        (lambda: ThreadPoolExecutor(2))
        if kind == "threads"
        else lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    )
    with make() as pool, observed(url):
        study.optimize(Deaf(4.4), n_trials=2, workers=pool, lease=2.0)
    check_first_attempts(study, 2)


def test_one_worker_that_holds_the_global_lock_keeps_its_lease(url: str, study: nonstop.Study, tmp_path: Path) -> None:
    with observed(url), one_worker(url, tmp_path, seconds=2.2) as process:
        assert process.wait(60) == 0
    check_first_attempts(study, 1)


def test_the_pacemaker_ends_with_a_worker_that_is_killed(url: str, study: nonstop.Study, tmp_path: Path) -> None:
    with observed(url), one_worker(url, tmp_path, seconds=60.0) as process:
        (pacemaker,) = pacemakers(process.pid)
        process.kill()
        process.wait()
        until(lambda: not alive(pacemaker), "the pacemaker to end")
        until(lambda: study.trials[0].attempt == 2, "the trial to be handed on")


def test_a_stopped_worker_loses_its_lease_but_not_its_result(url: str, study: nonstop.Study, tmp_path: Path) -> None:
    with observed(url), one_worker(url, tmp_path, seconds=2.0) as process:
        process.send_signal(signal.SIGSTOP)
        until(lambda: study.trials[0].attempt == 2, "the trial to be handed on")
        process.send_signal(signal.SIGCONT)
        assert process.wait(60) == 0
    check_whole(study, 1)


def test_a_lost_pacemaker_is_replaced_by_a_thread(study: nonstop.Study) -> None:
    hearts = Hearts(study.storage, study.id, Lease(2.0))
    with hearts.of():
        trial = study.ask("me")
        hearts.hold(0, (trial.number, trial.attempt))
        (pacemaker,) = pacemakers(os.getpid())
        os.kill(pacemaker, signal.SIGKILL)
        until(lambda: not alive(pacemaker), "its end")
        beats = beat_of(study)
        until(lambda: beat_of(study) > beats + 2, "the thread to beat")
    assert pacemakers(os.getpid()) == []


def test_a_pacemaker_whose_pipe_the_objective_closed_is_replaced_too(study: nonstop.Study) -> None:
    """As os.closerange() does."""
    hearts = Hearts(study.storage, study.id, Lease(2.0))
    with hearts.of():
        (pacemaker,) = pacemakers(os.getpid())
        pipes = [int(path.name) for path in Path("/proc/self/fd").iterdir() if is_pipe_to(path, pacemaker)]
        assert len(pipes) == 1
        os.close(pipes[0])
        until(lambda: not alive(pacemaker), "its end")
        trial = study.ask("me")
        hearts.hold(0, (trial.number, trial.attempt))
        until(lambda: beat_of(study) > 1, "the thread to beat")


def is_pipe_to(descriptor: Path, pid: int) -> bool:
    try:
        return descriptor.readlink() == Path(f"/proc/{pid}/fd/0").readlink()
    except OSError:  # the descriptor of the listing itself
        return False


def beat_of(study: nonstop.Study) -> int:
    return study.storage.beat(study.id, [])[0].beat


def test_a_storage_in_memory_needs_no_process() -> None:
    study = nonstop.create_study(space=SPACE)
    trial = study.ask("me")
    hearts = Hearts(study.storage, study.id, Lease(0.1))
    with hearts.of():
        assert pacemakers(os.getpid()) == []
        hearts.hold(0, (trial.number, trial.attempt))
        until(lambda: beat_of(study) > 2, "the thread to beat")


def test_threads_share_one_pacemaker_until_the_last_one_ends(study: nonstop.Study) -> None:
    hearts = Hearts(study.storage, study.id, Lease(40.0), workers=2)
    with hearts.of(1):
        until(lambda: pacemakers(os.getpid()), "the pacemaker")
        (pacemaker,) = pacemakers(os.getpid())
        other = threading.Thread(target=lambda: hearts.of(0).__enter__())
        other.start()
        other.join()
        assert pacemakers(os.getpid()) == [pacemaker]
    assert pacemakers(os.getpid()) == [pacemaker]
    hearts.leave()
    assert pacemakers(os.getpid()) == []


def test_the_pacemaker_does_not_show_the_url(study: nonstop.Study) -> None:
    with Hearts(study.storage, study.id, Lease(40.0)).of():
        (pacemaker,) = pacemakers(os.getpid())
        assert "runs.db" not in command_line(pacemaker)


def test_a_run_leaves_no_pacemaker_behind(study: nonstop.Study) -> None:
    study.optimize(bowl, n_trials=3)
    assert pacemakers(os.getpid()) == []
