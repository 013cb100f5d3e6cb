"""The examples of `nonstop ask` and `tell` in other programs: a shell, a device, Snakemake."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
import tty
from pathlib import Path

import pytest

import nonstop
from tests.helpers.commands import ENVIRONMENT, ROOT, completed, run, trials
from tests.integrations.hosts import host

EXAMPLES = ROOT / "examples" / "batch"
SPACE = ("-p", "angle=float:0:90", "-p", "speed=float:1:50")


def environment(folder: Path) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**ENVIRONMENT, "PATH": path, "NONSTOP_STORAGE": url(folder)}


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'lab.db'}"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    run("create", *SPACE, "--name", "lab", "--storage", url(tmp_path), cwd=tmp_path)
    return tmp_path


def value_at(trial: nonstop.Trial) -> float:
    params = trial.params or {}
    return float((params["angle"] - 40.0) ** 2 / 1000.0 + (params["speed"] - 20.0) ** 2 / 400.0)


def test_loops_in_a_shell_share_a_study(lab: Path) -> None:
    words = ["sh", str(EXAMPLES / "loop.sh"), "lab", "2"]
    loops = [subprocess.Popen(words, cwd=lab, env=environment(lab), stdout=subprocess.PIPE) for _ in range(2)]
    for loop in loops:
        loop.communicate(timeout=280)
        assert loop.returncode == 0
    found = trials(url(lab), "lab")
    assert completed(url(lab), "lab") == len(found) == 4
    assert [trial.value for trial in found] == pytest.approx([value_at(trial) for trial in found], rel=1e-4)


class Device(threading.Thread):
    """A device on a serial line, here a pseudo-terminal. Its second measurement fails."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._end, other = pty.openpty()
        tty.setraw(other)
        self.path = os.ttyname(other)
        self.measured: list[dict[str, float]] = []

    def run(self) -> None:
        settings: dict[str, float] = {}
        with os.fdopen(self._end, "r+b", buffering=0) as line:
            buffer = b""
            while True:
                command, newline, rest = buffer.partition(b"\n")
                if not newline:
                    buffer += line.read(1000) or b""
                    continue
                buffer = rest
                what, *words = command.decode().split()
                if what == "SET":
                    settings[words[0]] = float(words[1])
                    continue
                self.measured.append(dict(settings))
                line.write(b"ERROR no light\n" if len(self.measured) == 2 else b"-0.25\n")


def test_a_device_on_a_serial_line(lab: Path) -> None:
    device = Device()
    device.start()
    words = ["bash", str(EXAMPLES / "device.sh"), "lab", device.path, "3"]
    subprocess.run(words, cwd=lab, env=environment(lab), check=True, timeout=280)
    found = trials(url(lab), "lab")
    assert [trial.value for trial in found] == [-0.25, None, -0.25]
    assert found[1].reason == "ERROR no light"
    assert device.measured == [trial.params for trial in found]
    assert {trial.worker for trial in found} == {Path(device.path).name}


def test_jobs_of_snakemake(tmp_path: Path) -> None:
    host("snakemake")
    words = [sys.executable, "-m", "snakemake", "--snakefile", str(EXAMPLES / "Snakefile"), "--cores", "2"]
    subprocess.run([*words, "--config", "trials=4"], cwd=tmp_path, env=environment(tmp_path), check=True, timeout=280)
    found = trials(url(tmp_path), "lab")
    assert completed(url(tmp_path), "lab") == len(found) == 4
    assert [trial.value for trial in found] == pytest.approx([value_at(trial) for trial in found], rel=1e-4)
    assert {trial.worker for trial in found} == {f"snakemake-{index}" for index in range(4)}
    assert all(trial.notes == {"program": "awk"} for trial in found)
