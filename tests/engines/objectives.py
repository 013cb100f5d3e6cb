"""Objectives that other processes can import."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path

import nonstop
from nonstop.types import Value

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})


def bowl(params: dict[str, Value]) -> float:
    return sum((float(str(value)) - 0.3) ** 2 for value in params.values())


def slow_bowl(params: dict[str, Value]) -> float:
    time.sleep(0.1)
    return bowl(params)


def failing(_params: dict[str, Value]) -> float:
    raise ValueError("no luck")


def fatal(_params: dict[str, Value]) -> float:
    """As the kernel does when memory runs out."""
    os.kill(os.getpid(), 9)
    raise AssertionError


class Deaf:
    """Holds Python's global lock for some seconds, as code in C may: no other thread of its process runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self, params: dict[str, Value]) -> float:
        ctypes.PyDLL(None).usleep(int(self.seconds * 1e6))
        return bowl(params)


class Marking:
    """Writes the process that runs it into a folder, and takes its time."""

    def __init__(self, folder: Path, seconds: float = 0.05) -> None:
        self.folder = folder
        self.seconds = seconds

    def __call__(self, params: dict[str, Value]) -> float:
        (self.folder / str(os.getpid())).touch()
        time.sleep(self.seconds)
        return bowl(params)


def check_whole(study: nonstop.Study, budget: int) -> None:
    """Exactly the budget was completed, numbers and places have no gaps, nothing is under way."""
    trials = study.trials
    assert [trial.number for trial in trials] == list(range(len(trials)))
    orders = sorted(trial.order for trial in trials if trial.order is not None)
    assert orders == list(range(1, budget + 1))
    assert not [trial for trial in trials if trial.state in ("running", "proposing")]
