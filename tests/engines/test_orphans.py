"""Nothing outlives who started it: workers end with their parent, commands with their worker, even if it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

import nonstop
from nonstop.errors import ObjectiveError
from tests.engines.objectives import SPACE
from tests.engines.test_hearts import alive, until

ROOT = Path(__file__).parents[2]
#: Evaluations leave the number of their process. The parent says when it begins.
RUN = """
import os, sys, time
from pathlib import Path
import nonstop

def objective(params):
    Path(sys.argv[2], str(os.getpid())).touch()
    time.sleep(60.0)

if __name__ == "__main__":
    study = nonstop.load_study(sys.argv[1], "demo")
    print("begins", flush=True)
    study.optimize(objective, n_trials=9, workers=3)
"""
#: A command that starts another process, which would live for a minute; both leave their numbers.
COMMAND = """sh -c 'sleep 60 & echo $$ $! > "$1"; trap "" TERM; wait; echo 1' sh '{path}'"""
WORKER = """
import sys
import nonstop

nonstop.load_study(sys.argv[1], "demo").optimize(nonstop.Command(sys.argv[2]), n_trials=1)
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    nonstop.create_study(url, "demo", space=SPACE).storage.close()
    return url


def marked(mark: str) -> list[int]:
    """The processes with this mark in their environment: those that a marked process started have it, too."""

    def has_it(pid: int) -> bool:
        try:
            return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False

    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in numbers if has_it(pid) and alive(pid)]


@pytest.mark.parametrize("delay", [0.02, 0.15, 0.3])
def test_a_parent_killed_at_once_leaves_no_worker(url: str, tmp_path: Path, delay: float) -> None:
    mark, pids, script = uuid.uuid4().hex, tmp_path / "pids", tmp_path / "run.py"
    pids.mkdir()
    script.write_text(RUN)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MARK": mark}
    words = [sys.executable, str(script), url, str(pids)]
    with subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        time.sleep(delay)
        before = list(pids.iterdir())
        parent.kill()
    until(lambda: not marked(mark), "the workers to end")
    assert before == []
    assert list(pids.iterdir()) == [], "none has begun to evaluate"


def numbers_in(file: Path) -> list[int]:
    return [int(word) for word in file.read_text().split()] if file.exists() else []


def test_a_command_ends_with_its_worker_that_was_killed(url: str, tmp_path: Path) -> None:
    file = tmp_path / "numbers"
    words = [sys.executable, "-c", WORKER, url, COMMAND.format(path=file)]
    with subprocess.Popen(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}) as worker:
        until(lambda: len(numbers_in(file)) == 2, "the command to begin")
        pids = numbers_in(file)
        assert all(alive(pid) for pid in pids)
        worker.kill()
    until(lambda: not any(alive(pid) for pid in pids), "the command and its child to end", seconds=10.0)


def test_what_a_command_leaves_in_the_background_may_go_on(tmp_path: Path) -> None:
    file = tmp_path / "number"
    assert nonstop.Command(f"""sh -c 'sleep 60 & echo $! > "$1"; echo 3' sh '{file}'""")({}) == 3.0
    time.sleep(0.2)  # a guard that is about to kill it has done so by then
    (left,) = numbers_in(file)
    assert alive(left)
    os.kill(left, signal.SIGKILL)


def test_a_command_that_ends_leaves_no_guard_and_no_descriptor(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before, mark = descriptors(), uuid.uuid4().hex
    os.environ["MARK"] = mark
    try:
        assert nonstop.Command("echo 1")({}) == 1.0
        for failing in ("false", "/no/such/program", str(tmp_path)):
            with pytest.raises(ObjectiveError, match=r"exit code 1|cannot be started"):
                nonstop.Command(failing)({})
        with pytest.raises(ObjectiveError, match="time limit"):
            nonstop.Command("sleep 60", timeout=0.1)({})
        assert (descriptors(), marked(mark)) == (before, [])
    finally:
        del os.environ["MARK"]
