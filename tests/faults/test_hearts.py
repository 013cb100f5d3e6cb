"""Objectives that silence their interpreter or kill it: every lease is kept that should be, and no other."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from pathlib import Path

import pytest

import nonstop
from nonstop.types import Value
from tests.engines.objectives import SPACE, bowl, check_whole

LEASE = 1.0


class Misbehaving:
    """The first calls, in all processes together, hold the global lock for three leases; then every fifth one kills its
    process, until enough did."""

    def __init__(self, folder: Path, deaf: int, fatal: int) -> None:
        self.folder, self.deaf, self.fatal = folder, deaf, fatal

    def __call__(self, params: dict[str, Value]) -> float:
        call = self._count()
        if call < self.deaf:
            ctypes.PyDLL(None).usleep(int(3 * LEASE * 1e6))
        elif (call - self.deaf) % 5 == 0 and call < self.deaf + 5 * self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.05)
        return bowl(params)

    def _count(self) -> int:
        """How many calls there were before this one."""
        for call in range(1000):
            try:
                (self.folder / str(call)).touch(exist_ok=False)
            except FileExistsError:
                continue
            return call
        raise AssertionError("too many calls")


@pytest.mark.timeout(240)
@pytest.mark.parametrize("new_url", ["sqlite", "postgresql"], indirect=True)
def test_live_workers_keep_their_trials_and_dead_ones_do_not(url: str, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    calls.mkdir()
    study = nonstop.create_study(url, "demo", space=SPACE)
    study.optimize(Misbehaving(calls, deaf=4, fatal=2), n_trials=16, workers=4, lease=LEASE)
    check_whole(study, 16)
    assert len(study.trials) == 16, "none failed"
    assert sum(trial.attempt - 1 for trial in study.trials) == 2, "only those of killed workers were handed on"
    study.storage.close()
