"""Seconds to import, memory after a proposal, megabytes installed; always measured in fresh processes."""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path
from statistics import median

import nonstop

# Each proposal is at n = 300, d = 10, on data that cost nothing to make.
_DATA = """
import numpy as np
X = np.random.default_rng(0).random((300, 10))
y = np.sin(5 * X).sum(1)
y = (y - y.mean()) / y.std()
"""
_MEMORY = """
import json
from pathlib import Path
lines = [line.split() for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("Vm")]
print(json.dumps({name.rstrip(":"): int(kilobytes) / 1024 for name, kilobytes, _ in lines}))
"""
IMPORTS = {"nonstop": "import nonstop; nonstop.propose", "BoTorch": "import botorch", "Optuna": "import optuna, torch"}
PROPOSALS = {
    "nonstop": "import nonstop; nonstop.propose(X, y)",
    "BoTorch": "from nonstop_bench.peers import botorch; botorch.suggest(X, y)",
    "Optuna": "from nonstop_bench.peers import optuna; optuna.suggest(X, y)",
}


@dataclass(frozen=True)
class Footprint:
    """The footprint of one package. `resident` and `peak` (VmRSS, VmHWM) are megabytes after one proposal."""

    who: str
    import_seconds: float
    resident: float
    peak: float


def footprint(who: str, repeats: int = 5) -> Footprint:
    """Median import time and median memory over fresh processes."""
    times = [_import_seconds(IMPORTS[who]) for _ in range(repeats)]
    memory = [json.loads(_python(_DATA + PROPOSALS[who] + _MEMORY)) for _ in range(min(repeats, 3))]
    resident, peak = (median(each[key] for each in memory) for key in ("VmRSS", "VmHWM"))
    return Footprint(who, median(times), resident, peak)


def core_requirements() -> list[str]:
    """What `pip install nonstop` brings, without extras."""
    return [line for line in requires("nonstop") or [] if not re.search(r"extra\s*==", line)]


def install_megabytes() -> float:
    """Size of nonstop and its core dependencies, freshly installed by pip (compiled bytecode included)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        subprocess.run([*command, "--target", folder, *core_requirements()], check=True, stdout=subprocess.DEVNULL)
        return _megabytes(Path(folder)) + _megabytes(Path(nonstop.__file__).parent)


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _import_seconds(statement: str) -> float:
    timed = f"from time import perf_counter as now; start = now(); {statement}; print(now() - start)"
    return float(_python(timed))


def _python(code: str) -> str:
    """Run code in a fresh interpreter, from a neutral folder, and return the last line it printed."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tempfile.gettempdir())
    return run.stdout.strip().splitlines()[-1]
