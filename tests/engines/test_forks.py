"""Objectives and threads that fork: our locks, signal handlers and pipes do them no harm, nor they us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import nonstop
from tests.engines.objectives import check_whole

ROOT = Path(__file__).parents[2]

THREADS = """
import os, sys, threading
import nonstop

study = nonstop.create_study(sys.argv[1], "demo", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
others = [nonstop.load_study(sys.argv[1], "demo") for _ in range(3)]

def fork():
    for _ in range(15):
        study.trials
        child = os.fork()
        if child == 0:
            os._exit(len(study.trials))
        assert os.waitpid(child, 0)[1] == 0

threads = [threading.Thread(target=fork) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(study.trials))
"""

INSIDE = """
import os, sys
import nonstop

study = nonstop.create_study(sys.argv[1], "demo", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
database = study.storage._database

def work(run):
    child = os.fork()
    if child == 0:
        try:
            study.storage.counts(study.id)
        except nonstop.StorageError as error:
            os._exit(7 if "forked" in str(error) else 8)
        os._exit(9)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def falls_through(run):
    if os.fork() == 0:
        return None
    return os.waitstatus_to_exitcode(os.wait()[1])

print(database.run(work, write=True))
parent = os.getpid()
try:
    print(database.run(falls_through, write=True))
except nonstop.StorageError as error:
    os._exit(7 if os.getpid() != parent and "forked" in str(error) else 8)
study.enqueue({"x": 0.5})
print(len(study.trials))
"""

#: What each objective finds out is its value: 0 is right.
OBJECTIVES = """
import multiprocessing, os, signal, subprocess, sys, threading, time
import nonstop

def ended_by(number, child):
    os.kill(child, number)
    return abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) + number)

def sleeping():
    time.sleep(120.0)
    return "it did not end"

def forked(_params):
    child = os.fork()
    if child == 0:
        sleeping()
        os._exit(0)
    return ended_by(signal.SIGTERM, child)

def forked_in_a_thread(params):
    found = []
    threads = [threading.Thread(target=lambda: found.append(forked(params))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(found)

def restored(_params):
    child = os.fork()
    if child == 0:
        before = signal.SIG_IGN, signal.default_int_handler  # a shell in the background lets its programs ignore Ctrl-C
        right = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        os._exit(0 if right and signal.getsignal(signal.SIGINT) in before else 3)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def kept(_params):
    # The objective's own handler is its children's too.
    ours = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        os._exit(0 if signal.getsignal(signal.SIGTERM) == signal.SIG_IGN else 3)
    signal.signal(signal.SIGTERM, ours)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def chained(_params):
    # The objective's own handler calls ours, in its child too: no stop is raised there.
    ours = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda number, frame: ours(number, frame))
    child = os.fork()
    if child == 0:
        signal.raise_signal(signal.SIGTERM)
        os._exit(0)
    signal.signal(signal.SIGTERM, ours)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def processes(_params):
    wrong = 0
    for method in ("fork", "spawn"):
        process = multiprocessing.get_context(method).Process(target=sleeping)
        process.start()
        process.terminate()
        process.join()
        wrong += process.exitcode != -signal.SIGTERM
    return wrong

def masked(_params):
    shown = "import signal; print(len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))"
    return int(subprocess.run([sys.executable, "-c", shown], capture_output=True, check=True).stdout)

AT_IMPORT = []  # a thread that starts while the worker process imports this script, and the mask that it has
thread = threading.Thread(target=lambda: AT_IMPORT.append(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
thread.start()
thread.join()

def masked_at_import(_params):
    return int(signal.SIGTERM in AT_IMPORT[0])

def exits(_params):
    # The child ends with its own code, and never goes on as a second worker.
    child = os.fork()
    if child == 0:
        sys.exit(5)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) - 5

def returns(_params):
    child = os.fork()
    if child == 0:
        return 3.0
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def raises(_params):
    child = os.fork()
    if child == 0:
        raise ValueError("meant for the child")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) - 1

def leaves_a_child(_params):
    if os.fork() == 0:
        sleeping()
        os._exit(0)
    return 0

def leaves_a_process(_params):
    multiprocessing.get_context("fork").Process(target=sleeping).start()
    return 0

def leaves_a_thread(_params):
    threading.Thread(target=sleeping).start()
    return 0

def objective(params):
    return globals()[params["what"]](params)

if __name__ == "__main__":
    study = nonstop.load_study(sys.argv[1], "demo")
    study.optimize(objective, n_trials=int(sys.argv[3]), workers=int(sys.argv[2]))
"""


def run(folder: Path, script: str, *arguments: object, seconds: float = 60.0) -> str:
    """What the script printed. It is killed with all that it left behind when it ends, or after so many seconds."""
    path, printed = folder / "script.py", folder / "printed"
    path.write_text(script)
    with printed.open("w") as out:  # a file, and no pipe: children that live on would hold it open
        words = [sys.executable, str(path), *map(str, arguments)]
        process = subprocess.Popen(words, cwd=ROOT, stdout=out, stderr=out, start_new_session=True)
        try:
            code = process.wait(seconds)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert code == 0, printed.read_text()
    return printed.read_text()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}"


def test_threads_may_fork_at_once(tmp_path: Path, url: str) -> None:
    assert run(tmp_path, THREADS, url) == "0\n"


def test_a_fork_inside_a_transaction_neither_hangs_nor_shares_it(tmp_path: Path, url: str) -> None:
    assert run(tmp_path, INSIDE, url).split() == ["7", "7", "1"]


def outcomes(folder: Path, url: str, workers: int, *names: str) -> tuple[dict[str, object], str]:
    """What each of these objectives found out, or why it failed; and what the run printed."""
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "what": nonstop.Categorical(names)})
    study = nonstop.create_study(url, "demo", space=space)
    for name in names:
        study.enqueue({"x": 0.5, "what": name})
    printed = run(folder, OBJECTIVES, url, workers, len(names))
    check_whole(study, len(names))
    return {str((trial.params or {})["what"]): trial.reason or trial.value for trial in study.trials}, printed


@pytest.mark.parametrize("workers", [1, 2])
def test_children_of_an_objective_are_not_ours(tmp_path: Path, url: str, workers: int) -> None:
    names = ("forked", "forked_in_a_thread", "restored", "kept", "chained", "processes", "masked", "masked_at_import")
    assert outcomes(tmp_path, url, workers, *names) == (dict.fromkeys(names, 0.0), "")


def test_a_child_that_leaves_the_objective_is_no_second_worker(tmp_path: Path, url: str) -> None:
    found, printed = outcomes(tmp_path, url, 1, "exits", "returns", "raises")
    assert found == dict.fromkeys(("exits", "returns", "raises"), 0.0)
    assert printed.count("ValueError: meant for the child") == 1


@pytest.mark.parametrize("objectives", [["leaves_a_child"], ["leaves_a_process", "leaves_a_thread"]], ids=str)
def test_a_run_ends_though_something_it_started_lives_on(tmp_path: Path, url: str, objectives: list[str]) -> None:
    """They sleep for 120 s, and the run may take 60."""
    assert outcomes(tmp_path, url, 2, *objectives, "restored")[1] == ""
