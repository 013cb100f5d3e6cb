"""How long one suggestion takes: nonstop, BoTorch and Optuna's GPSampler on the same data, one thread each.

    python -m nonstop_bench.suggest [--quick] [--out benchmarks/results]        (`make bench-suggest`)

Writes suggest.md (the tables) and suggest.jsonl (every single time).
"""

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np

from nonstop_bench.peers.datasets import history
from nonstop_bench.peers.effort import Effort, effort, gemm_rate
from nonstop_bench.peers.footprint import IMPORTS, Footprint, footprint, install_megabytes
from nonstop_bench.peers.report import Findings, markdown
from nonstop_bench.peers.timing import STARTS, Quality, Timing, measured, quality, warm_up

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
CELLS = ((2, 30), (6, 60), (6, 200), (10, 100), (10, 270), (20, 200), (10, 500), (50, 300), (10, 1000))
QUICK_CELLS = ((2, 30), (6, 60), (10, 100), (10, 270))
PACKAGES = ("nonstop", "numpy", "scipy", "torch", "gpytorch", "botorch", "optuna")
BUDGET, QUICK_BUDGET = 8.0, 1.0  # seconds for the repeats of one contender in one cell


def main() -> int:
    """Measure, write the results and print the tables."""
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        # BLAS reads these when it is loaded, so a new process must be started with them.
        command = [sys.executable, "-m", "nonstop_bench.suggest", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **ONE_THREAD})
    parser = argparse.ArgumentParser(prog="python -m nonstop_bench.suggest", description="Time one suggestion.")
    parser.add_argument("--quick", action="store_true", help="few cells, few repeats, no install")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"), help="folder for the results")
    arguments = parser.parse_args()
    found = findings(arguments.quick)
    write(found, arguments.out, "suggest-quick" if arguments.quick else "suggest")
    print("\n" + markdown(found))
    return 0


def findings(quick: bool) -> Findings:
    """Measure everything."""
    started = perf_counter()
    cells = QUICK_CELLS if quick else CELLS
    timings: list[Timing] = []
    qualities: list[Quality] = []
    warm_up()
    for d, n in cells:
        for start in STARTS:
            timings += measured(d, n, start, QUICK_BUDGET if quick else BUDGET)
        qualities.append(quality(d, n))
    print("where the time goes, memory, import, install", flush=True)
    return Findings(
        timings=timings,
        qualities=qualities,
        efforts=[effort(history(d, n)) for d, n in cells],
        gemm=gemm_rate(np.float64),
        gemm_single=gemm_rate(np.float32),
        footprints=[footprint(who, repeats=3 if quick else 5) for who in IMPORTS],
        install=None if quick else install_megabytes(),
        facts=facts(quick) | {"took": f"{perf_counter() - started:.0f} s", "load average": load()},
    )


def facts(quick: bool) -> dict[str, str]:
    """What a reader needs to judge or repeat the run."""
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return {
        "command": f"`python -m nonstop_bench.suggest{' --quick' if quick else ''}`, one thread each",
        "machine": f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": versions,
        "data": "a funnel with waves, evaluated at Halton points and a cluster round the best; the same for all",
        "nonstop": "`propose(X, y, rule='ucb', surrogate='paper')`, LogEI beside it, and the default, `propose(X, y)`",
        "BoTorch": "the paper's model and settings: MAP fit, UCB, 10 of 1000·d candidates polished by L-BFGS-B; "
        "candidates in batches of 64 or 256, which is faster than its default",
        "Optuna": "GPSampler as it comes (Matern-5/2, LogEI, 10 of 2048 candidates), `study.ask()`",
    }


def load() -> str:
    """The load of the machine during the run: 1 is this run alone."""
    return f"{os.getloadavg()[2]:.1f} over the last 15 minutes (this run alone would be 1)"


def processor() -> str:
    """The model name of the processor."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def write(found: Findings, out: Path, name: str) -> None:
    """Write NAME.jsonl with every time and NAME.md with the tables."""
    out.mkdir(parents=True, exist_ok=True)
    records: list[Timing | Quality | Footprint | Effort] = [*found.timings, *found.qualities]
    records += [*found.footprints, *found.efforts]
    lines = [json.dumps({"kind": type(each).__name__.lower(), **asdict(each)}) for each in records]
    (out / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    (out / f"{name}.md").write_text(markdown(found))


if __name__ == "__main__":
    sys.exit(main())
