"""HEBO behind its pipe, with a HEBO that is made up: the real one has an environment of its own (hebo_live.py)."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import nonstop
from nonstop_bench.peers.optimizers.hebo import PYTHON_VARIABLE, Hebo
from nonstop_bench.peers.registry import PeerError, make
from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.simulate import Setup, simulate

SPACE = nonstop.Space(
    {
        "rate": nonstop.Float(1e-5, 1e-1, log=True),
        "angle": nonstop.Float(-1.0, 1.0),
        "depth": nonstop.Int(1, 12),
        "width": nonstop.Int(1, 1000, log=True),
        "loss": nonstop.Categorical(["l1", None]),
    }
)
#: What hebo_process.py uses of HEBO and torch. A value of 13 is bad luck, and one of 14 the end.
DESIGN = """
class DesignSpace:
    def parse(self, parameters):
        self.parameters = parameters
        self.para_names = [each["name"] for each in parameters]
        return self
"""
OPTIMIZER = """
import os
import time
import numpy as np
import pandas as pd

class HEBO:
    def __init__(self, space, rand_sample, scramble_seed):
        self.space, self.told, self.asked = space, [], 0
        print("jitter = 1e-07")

    def observe(self, X, y):
        if y[0, 0] == 13.0:
            raise RuntimeError("bad luck")
        if y[0, 0] == 14.0:
            os._exit(3)
        self.told.append((X.to_dict("records")[0], float(y[0, 0])))

    def suggest(self, n_suggestions):
        print("jitter is too large, give up fitting GP", flush=True)
        if n_suggestions == 8 and self.told:
            time.sleep(600)
        self.asked += 1
        sum(range(300_000))
        low = {each["name"]: each.get("lb", "1") for each in self.space.parameters}
        rows = [{**low, "depth": np.int64(self.asked), "width": i + 1} for i in range(n_suggestions)]
        return pd.DataFrame(rows)[list(low)]
"""
TORCH = "def set_num_threads(n): assert n == 1\ndef manual_seed(seed): assert seed == 7\n"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment in which hebo and torch are the texts above; the path of its Python."""
    for name, text in {
        "torch.py": TORCH,
        "hebo/__init__.py": "",
        "hebo/design_space/__init__.py": "",
        "hebo/design_space/design_space.py": DESIGN,
        "hebo/optimizers/__init__.py": "",
        "hebo/optimizers/hebo.py": OPTIMIZER,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    python = tmp_path / "python"
    check = 'test "$OMP_NUM_THREADS$OPENBLAS_NUM_THREADS$MKL_NUM_THREADS$PYTHONPATH" = 111 || exit 5'
    python.write_text(f'#!/bin/sh\n{check}\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv(PYTHON_VARIABLE, str(python))
    return python


def test_params_of_every_kind_go_through_the_pipe(fake: Path) -> None:  # noqa: ARG001
    peer = make("hebo", SPACE, 7)
    for number in (1, 2):
        params = SPACE.validate(peer.ask([{"rate": 1e-3}]))
        assert params == {"rate": 1e-5, "angle": -1.0, "depth": number, "width": 1, "loss": None}
        peer.tell(params, 0.5)
    peer.tell(params, None)  # a failure is left out


def test_a_batch_is_asked_for_once_and_handed_out_one_by_one(fake: Path) -> None:  # noqa: ARG001
    peer = make("hebo-batch", SPACE, 7)
    found = [peer.ask([]) for _ in range(9)]
    assert [params["width"] for params in found] == [*range(1, 9), 1]
    assert [params["depth"] for params in found] == [1] * 8 + [2]


def test_an_error_of_hebo_is_shown(fake: Path) -> None:  # noqa: ARG001
    peer = make("hebo", SPACE, 7)
    params = peer.ask([])
    with pytest.raises(PeerError, match=r"(?s)HEBO failed:\nTraceback.*RuntimeError: bad luck"):
        peer.tell(params, 13.0)
    with pytest.raises(PeerError, match="the process of HEBO ended with exit code 3"):
        peer.tell(params, 14.0)
    with pytest.raises(PeerError, match="the process of HEBO ended with exit code 3"):
        peer.ask([])


def test_without_its_environment_there_is_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PYTHON_VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(PeerError, match=r"needs an environment of its own, and .*nothing is missing: make peers-hebo"):
        make("hebo", SPACE, 0)


def gone(pid: int) -> bool:
    """Is the process gone, or dead and not yet waited for by its parent?"""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return not state.strip() or state.strip().startswith("Z")


def wait_until_gone(pid: int, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not gone(pid):
        assert time.monotonic() < deadline, f"process {pid} is still there"
        time.sleep(0.02)


def test_the_process_ends_with_its_peer(fake: Path) -> None:  # noqa: ARG001
    peer = Hebo(SPACE, 7, "one")
    pid = peer._process.pid
    assert not gone(pid)
    del peer
    gc.collect()
    assert gone(pid)


def test_the_process_dies_with_its_parent(fake: Path) -> None:  # noqa: ARG001
    """Also if the parent is killed, and cannot say goodbye, while HEBO is at work for ten minutes."""
    code = (
        "import nonstop, time; from nonstop_bench.peers.optimizers.hebo import Hebo\n"
        "peer = Hebo(nonstop.Space({'depth': nonstop.Int(1, 12), 'width': nonstop.Int(1, 9)}), 7, 'batch')\n"
        "peer.tell({'depth': 1, 'width': 1}, 0.0)\n"
        "print(peer._process.pid, flush=True); peer.ask([])"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(0.2)
        assert not gone(pid)
        parent.send_signal(signal.SIGKILL)
    wait_until_gone(pid)


class Elsewhere:
    """A peer that takes two seconds of another process for each suggestion."""

    elsewhere = 0.0

    def ask(self, busy: Sequence[Mapping[str, object]]) -> Mapping[str, object]:  # noqa: ARG002
        self.elsewhere += 2.0
        return {"x1": 0.001 * self.elsewhere, "x2": 0.5}

    def tell(self, params: Mapping[str, object], value: float | None) -> None:
        pass


def test_processor_time_of_another_process_counts() -> None:
    setup = Setup(BRANIN, q=2, horizon=1e9, max_trials=5, overhead="measured", optimizer=Elsewhere())
    made = simulate(setup)
    taken = [made.seconds[number] for number in sorted(made.seconds)]
    assert all(seconds < 1.0 for seconds in taken[:-3])
    assert all(2.0 <= seconds < 3.0 for seconds in taken[-3:])


def test_hebo_answers_with_its_processor_time(fake: Path) -> None:  # noqa: ARG001
    peer = Hebo(SPACE, 7, "one")
    before = peer.elsewhere
    peer.ask([])
    assert 0.0 < before < peer.elsewhere
