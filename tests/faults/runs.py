"""Starting a storm from a test, and reading its verdict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: `make faults` sets these for a longer storm.
SECONDS = float(os.environ.get("NONSTOP_FAULT_SECONDS", "8"))
WORKERS = int(os.environ.get("NONSTOP_FAULT_WORKERS", "32"))


@dataclass(frozen=True)
class Verdict:
    figures: dict[str, int]
    problems: list[str]

    def kinds(self) -> set[str]:
        return {problem.partition(":")[0] for problem in self.problems}


def begin(url: str, folder: Path, *options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.faults.chaos", url, str(folder), *map(str, options)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def verdict(storm: subprocess.Popen[str], timeout: float) -> Verdict:
    try:
        output, errors = storm.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        storm.terminate()
        storm.communicate()
        raise
    print(errors, output)  # pytest shows it if the test fails, or with -rP
    return Verdict(**json.loads(output.splitlines()[-1]))
