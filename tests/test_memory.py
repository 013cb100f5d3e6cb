"""A process that keeps what it freed does not ask the system for it again."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np
from nonstop.memory import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

{prepare}
before = faults()
for size in range(200_000, 300_000, 1_000):  # growing, as the data do
    a, b = np.ones(size), np.ones(size)
    del a, b
print(faults() - before)
"""


def faults(prepare: str) -> int:
    shown = subprocess.run(
        [sys.executable, "-c", CODE.format(prepare=prepare)], check=True, capture_output=True, text=True
    )
    return int(shown.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only the GNU C library can be told")
def test_freed_memory_is_kept() -> None:
    assert faults("keep_freed_memory()") < 0.2 * faults("")
