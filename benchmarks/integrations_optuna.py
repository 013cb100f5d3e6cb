"""Eight processes on one study of Optuna, with nonstop's sampler and with Optuna's own: regret, time, utilisation.

    python benchmarks/integrations_optuna.py [--seeds 3] [--seconds 350] [--storage sqlite|journal] [--keep]

Every process runs 25 trials, so that there are 200 in all. An evaluation sleeps for 0.15 to 0.45 seconds, which its
trial's number decides, so all samplers meet the same durations. Clocks start when all processes are there. The table
goes to benchmarks/results/integrations.md; runs that do not fit into --seconds are left for the next call, which goes
on where this one ended.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # before the imports

import numpy as np
import optuna

RESULTS = Path(__file__).parent / "results" / "integrations.md"
RUNS = RESULTS.with_name("integrations_optuna.jsonl")
HEADING = "## Optuna"
PROCESSES, EACH = 8, 25
A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def branin(trial: optuna.Trial) -> float:
    x, y = trial.suggest_float("x", -5.0, 10.0), trial.suggest_float("y", 0.0, 15.0)
    bowl = y - 5.1 / (4.0 * math.pi**2) * x**2 + 5.0 / math.pi * x - 6.0
    return bowl**2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * math.cos(x) + 10.0


def hartmann6(trial: optuna.Trial) -> float:
    x = np.array([trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(6)])
    return -float(np.array([1.0, 1.2, 3.0, 3.2]) @ np.exp(-(A * (x - P) ** 2).sum(axis=1)))


PROBLEMS: dict[str, tuple[Callable[[optuna.Trial], float], float]] = {
    "Branin": (branin, 0.39788735772973816),
    "Hartmann-6": (hartmann6, -3.3223680114155147),
}


def sampler(name: str, seed: int, process: int) -> Any:
    """Optuna's own need a seed for each process, or all of them would begin with the same points."""
    if name == "NonstopSampler":
        from nonstop.integrations.optuna import NonstopSampler

        return NonstopSampler(seed=seed)
    if name == "GPSampler":
        return optuna.samplers.GPSampler(seed=1000 * seed + process)
    return optuna.samplers.TPESampler(seed=1000 * seed + process, constant_liar=True)


SAMPLERS = ("NonstopSampler", "TPESampler", "GPSampler")


def storage_at(folder: str, kind: str) -> Any:
    if kind == "journal":
        backend = optuna.storages.journal.JournalFileBackend(f"{folder}/optuna.log")
        return optuna.storages.JournalStorage(backend)
    return optuna.storages.RDBStorage(f"sqlite:///{folder}/optuna.db", engine_kwargs={"connect_args": {"timeout": 60}})


def work(folder: str, kind: str, problem: str, name: str, seed: int, process: int, ready: Any, times: Any) -> None:
    """One process: it tells how long it took, and how much of that its objective."""
    objective, _ = PROBLEMS[problem]
    study = optuna.load_study(study_name="s", storage=storage_at(folder, kind), sampler=sampler(name, seed, process))
    evaluating = 0.0

    def slow(trial: optuna.Trial) -> float:
        nonlocal evaluating
        value = objective(trial)
        began = time.perf_counter()
        time.sleep(0.15 + 0.3 * np.random.default_rng([seed, trial.number]).random())
        evaluating += time.perf_counter() - began
        return value

    ready.wait()
    began = time.perf_counter()
    study.optimize(slow, n_trials=EACH)
    times.put({"seconds": time.perf_counter() - began, "evaluating": evaluating})


def measured(kind: str, problem: str, name: str, seed: int) -> dict[str, Any]:
    """One study. The processes are forked, after everything was imported that the sampler needs."""
    objective, optimum = PROBLEMS[problem]
    optuna.create_study(sampler=sampler(name, seed, 0)).optimize(objective, n_trials=12)
    fork = multiprocessing.get_context("fork")
    ready, queue = fork.Barrier(PROCESSES), fork.SimpleQueue()
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # not to measure the disk
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        optuna.create_study(study_name="s", storage=storage_at(folder, kind))
        common = folder, kind, problem, name, seed
        workers = [fork.Process(target=work, args=(*common, i, ready, queue)) for i in range(PROCESSES)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if any(worker.exitcode for worker in workers):
            raise RuntimeError("a process failed")
        times = [queue.get() for _ in workers]
        trials = optuna.load_study(study_name="s", storage=storage_at(folder, kind)).trials
    values = [
        trial.value
        for trial in sorted((t for t in trials if t.value is not None), key=lambda trial: trial.datetime_complete)
    ]
    best = np.minimum.accumulate(values) - optimum
    return {
        "storage": kind,
        "problem": problem,
        "sampler": name,
        "seed": seed,
        "trials": len(values),
        "regret_100": best[99],
        "regret_200": best[-1],
        "seconds": max(one["seconds"] for one in times),
        "utilisation": sum(one["evaluating"] for one in times) / sum(one["seconds"] for one in times),
    }


def table(runs: Sequence[dict[str, Any]]) -> str:
    """Medians over the seeds, and the range of the regret."""
    columns = ["storage", "problem", "sampler", "seeds", "regret after 100 trials", "after 200 (lowest to highest)"]
    columns += ["seconds", "time evaluating"]
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    kinds = dict.fromkeys((run["storage"], run["problem"], run["sampler"]) for run in runs)
    for kind in sorted(kinds, key=lambda kind: (kind[0] != "sqlite", kind[1], SAMPLERS.index(kind[2]))):
        of = [run for run in runs if (run["storage"], run["problem"], run["sampler"]) == kind]
        middle = {key: statistics.median(run[key] for run in of) for key in of[0] if key not in PLAIN}
        low, high = (pick(run["regret_200"] for run in of) for pick in (min, max))
        lines.append(
            f"| {' | '.join(kind)} | {len(of)} | {middle['regret_100']:.2g} | {middle['regret_200']:.2g} "
            f"({low:.2g} to {high:.2g}) | {middle['seconds']:.1f} | {100.0 * middle['utilisation']:.0f} % |"
        )
    return "\n".join(lines)


PLAIN = ("storage", "problem", "sampler", "seed", "trials")


def section(runs: Sequence[dict[str, Any]]) -> str:
    return f"""{HEADING}

`python benchmarks/integrations_optuna.py`: {PROCESSES} processes on one study, {PROCESSES * EACH} trials in all, on a
machine with {os.cpu_count()} processors. An evaluation sleeps for 0.15 to 0.45 s, so without any overhead a run takes
about {EACH * 0.3:.1f} s. Medians over the seeds. Optuna {optuna.__version__}; `TPESampler` has `constant_liar=True`, as
Optuna advises for many processes; all have 10 startup trials and one BLAS thread. Time evaluating is the share of the
processes' time that is spent in the objective; the rest is proposing, and Optuna's storage, which is in memory here
(tmpfs): on a disk, eight processes would mostly wait for SQLite. Single runs are in `integrations_optuna.jsonl`.

{table(runs)}
"""


def write(text: str) -> None:
    """Into the section of the results that is about Optuna; those of other hosts stay."""
    title = "# Inside other tools\n\nHow nonstop does in the tools that it plugs into, beside their own way.\n"
    old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else title
    parts = [part for part in old.split("\n## ") if not f"## {part}".startswith(f"{HEADING}\n")]
    RESULTS.write_text("\n## ".join([*(part.rstrip() + "\n" for part in parts), text[3:]]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=350.0)
    parser.add_argument("--storage", choices=["sqlite", "journal"], action="append")
    parser.add_argument("--samplers", nargs="*", default=SAMPLERS)
    parser.add_argument("--problems", nargs="*", default=list(PROBLEMS))
    parser.add_argument("--keep", action="store_true", help="only print")
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    began, took = time.monotonic(), dict.fromkeys(SAMPLERS, 0.0)
    runs = [json.loads(line) for line in RUNS.read_text().splitlines()] if RUNS.exists() and not options.keep else []
    done = {tuple(run[key] for key in PLAIN[:4]) for run in runs}
    kinds = options.storage or ["sqlite"]
    for seed, kind, problem, name in itertools.product(range(options.seeds), kinds, options.problems, options.samplers):
        started = time.monotonic()
        if (kind, problem, name, seed) in done or started - began + took[name] > options.seconds:
            continue
        runs.append(measured(kind, problem, name, seed))
        took[name] = max(took[name], time.monotonic() - started)
        print(json.dumps(runs[-1]), f"({took[name]:.0f} s)", flush=True)
        if not options.keep:
            with RUNS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(runs[-1]) + "\n")
    print(table(runs))
    if not options.keep:
        write(section(runs))


if __name__ == "__main__":
    main()
