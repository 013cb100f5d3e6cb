"""Nothing outlives who started it: workers end with their parent, commands with their worker, however these are killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import nonstop
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
COMMAND = """sh -c 'echo $$ > "$1/leader"; sleep 60 & echo $! > "$1/child"; wait; echo 1' sh {folder}"""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    nonstop.create_study(url, "demo", space=SPACE).storage.close()
    yield url


def marked(mark: str) -> list[int]:
    """The processes with this mark in their environment: those that a marked process started have it, too."""

    def has_it(pid: int) -> bool:
        try:
            return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False

    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if has_it(pid) and alive(pid)]


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
