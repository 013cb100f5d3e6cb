"""How much of their time the workers of a Hydra sweep evaluate, when jobs take different times: by batches, which is
the way of Hydra's launchers, and one by one.

    python benchmarks/hydra_sweeps.py [--jobs 24] [--workers 4] [--seconds 4]

Each job sleeps, so that the figures do not depend on the number of processors; how long is drawn from a lognormal
distribution by the number of the job, the same for all arrangements. Printed is a table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from durations import drawn, ideal, row

APP = """
import json, time
from pathlib import Path
import hydra
from hydra.core.hydra_config import HydraConfig

@hydra.main(version_base=None, config_path=None)
def app(config):
    about = HydraConfig.get()
    begin = time.time()
    time.sleep(json.loads(Path(config.durations).read_text())[about.job.num])
    Path(about.runtime.output_dir, "times.json").write_text(json.dumps([begin, time.time()]))
    return (config.x - 0.3) ** 2

if __name__ == "__main__":
    app()
"""


def arrangements(jobs: int, workers: int) -> dict[str, list[str]]:
    """The overrides of each way to run as many jobs on as many workers."""
    points = ",".join(f"{x:.3f}" for x in np.linspace(0.0, 1.0, jobs))
    grid = [f"+x={points}", f"hydra.sweeper.max_batch_size={workers}"]
    search = ["+x=interval(0.0,1.0)", "hydra/sweeper=nonstop", f"hydra.sweeper.n_trials={jobs}"]
    search += [f"hydra.sweeper.n_jobs={workers}"]
    return {
        "Hydra's basic sweeper, batches, joblib launcher": [
            *grid,
            "hydra/launcher=joblib",
            f"hydra.launcher.n_jobs={workers}",
        ],
        "Hydra's basic sweeper, batches, submitit launcher": [*grid, "hydra/launcher=submitit_local"],
        "nonstop, submitit launcher": [*search, "hydra/launcher=submitit_local"],
        "nonstop, processes": search,
    }


def measured(folder: Path, overrides: list[str], workers: int) -> tuple[float, float]:
    """Seconds from the first job's begin to the last one's end, and the share of the workers' time that jobs took."""
    out = folder / f"out-{time.time_ns()}"
    command = [
        sys.executable,
        "app.py",
        "-m",
        f"+durations={folder}/durations.json",
        f"hydra.sweep.dir={out}",
        *overrides,
    ]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=os.environ)
    times = np.array([json.loads(path.read_text()) for path in out.glob("*/times.json")])
    wall = times[:, 1].max() - times[:, 0].min()
    return wall, float(np.diff(times).sum() / (workers * wall))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=24)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=4.0)
    given = parser.parse_args()
    durations = drawn(given.jobs, given.seconds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "app.py").write_text(APP, encoding="utf-8")
        (folder / "durations.json").write_text(json.dumps(durations), encoding="utf-8")
        print("| sweep | wall time (s) | share of worker time evaluating |\n|---|---|---|")
        for way, overrides in arrangements(given.jobs, given.workers).items():
            wall, share = measured(folder, overrides, given.workers)
            print(row(way, wall, share), flush=True)
    for way, wall in ideal(durations, given.workers):
        print(row(way, wall, sum(durations) / (given.workers * wall)))


if __name__ == "__main__":
    main()
