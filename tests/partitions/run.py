"""A run whose evaluations are written down when they are finished: the witness of what must not be lost.

python -m tests.partitions.run URL FOLDER BUDGET WORKERS SECONDS LEASE
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

import nonstop
from tests.faults.diary import Diary


def objective(_params: object) -> float:
    """A value that no other evaluation has."""
    time.sleep(float(sys.argv[5]))
    value = random.SystemRandom().random()
    Diary(Path(sys.argv[2]) / f"{os.getpid()}.diary").write("finished", value)
    return value


def main() -> None:
    url, _, budget, workers, _, lease = sys.argv[1:]
    study = nonstop.load_study(url, "demo", rule="random")
    study.optimize(objective, n_trials=int(budget), workers=int(workers), lease=float(lease))


if __name__ == "__main__":
    main()
