"""How much of their time the workers of libEnsemble and optimas evaluate, when evaluations take different times: with
results given back in batches, which is the default of libEnsemble, and one by one.

    python benchmarks/gest_hosts.py [--trials 64] [--workers 4] [--seconds 0.5]

Each evaluation sleeps, so that the figures do not depend on the number of processors; how long is a lognormal function
of its point. Measured is from the begin of the first evaluation to the end of the last. Printed is a table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from gest_api.vocs import VOCS
from libensemble import Ensemble
from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
from libensemble.gen_classes.external.sampling import UniformSample
from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

from nonstop.integrations.gest import NonstopGenerator

VARIABLES = {"x": [-5.0, 10.0], "y": [0.0, 15.0]}
#: The times of evaluations, one line each; its folder is that of the run.
TIMES = "NONSTOP_TIMES"


def branin(x: float, y: float) -> float:
    bent = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return float(bent**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10)


def evaluated(point: Any) -> float:
    """Sleep for a time that the point decides, and write down when."""
    x, y = float(point["x"]), float(point["y"])
    draw = np.random.default_rng([int(1e6 * (x + 5)), int(1e6 * y)]).standard_normal()
    began = time.time()
    time.sleep(float(os.environ["NONSTOP_SECONDS"]) * float(np.exp(0.8 * draw - 0.32)))  # the mean is that of seconds
    with Path(os.environ[TIMES]).open("a") as record:
        record.write(json.dumps([began, time.time()]) + "\n")
    return branin(x, y)


def simulate(point: dict[str, Any], **_: Any) -> dict[str, float]:
    return {"f": evaluated(point)}


def fill(point: dict[str, Any], results: Any) -> None:
    results["f"] = evaluated(point)


def vocs() -> VOCS:
    return VOCS(variables=VARIABLES, objectives={"f": "MINIMIZE"})


def libensemble(generator: Any, trials: int, workers: int, one_by_one: bool) -> float:
    ensemble = Ensemble(
        libE_specs=LibeSpecs(comms="local", nworkers=workers, gen_on_manager=True, disable_log_files=True),
        gen_specs=GenSpecs(generator=generator, vocs=vocs(), initial_batch_size=workers),
        sim_specs=SimSpecs(simulator=simulate, vocs=vocs()),
        alloc_specs=AllocSpecs(alloc_f=only_persistent_gens, user={"async_return": one_by_one}),
        exit_criteria=ExitCriteria(sim_max=trials),
    )
    history, _, _ = ensemble.run()
    return float(history["f"][history["sim_ended"]].min())


def optimas(trials: int, workers: int, one_by_one: bool) -> float:
    from optimas.evaluators import FunctionEvaluator
    from optimas.explorations import Exploration
    from optimas.generators import ExternalGenerator

    exploration = Exploration(
        generator=ExternalGenerator(ext_gen=NonstopGenerator(vocs()), vocs=vocs()),
        evaluator=FunctionEvaluator(fill),
        max_evals=trials,
        sim_workers=workers,
        run_async=one_by_one,
    )
    exploration.run()
    return float(exploration.generator.gen.study.best_value)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    logging.disable(logging.INFO)  # optimas tells of every trial
    size = options.trials, options.workers
    os.environ["NONSTOP_SECONDS"] = str(options.seconds)
    print(f"{size[0]} evaluations of Branin, {options.seconds} s each in the mean, {size[1]} workers;")
    print(f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()}.\n")
    print("| host | generator | results come back | time (s) | workers evaluate | best |\n|---|---|---|---|---|---|")
    ways: list[tuple[str, str, str, Any]] = [
        ("libEnsemble", "its uniform sample", "in batches", lambda: libensemble(UniformSample(vocs()), *size, False)),
        ("libEnsemble", "nonstop", "in batches", lambda: libensemble(NonstopGenerator(vocs()), *size, False)),
        ("libEnsemble", "nonstop", "one by one", lambda: libensemble(NonstopGenerator(vocs()), *size, True)),
        ("optimas", "nonstop", "in batches", lambda: optimas(*size, False)),
        ("optimas", "nonstop", "one by one", lambda: optimas(*size, True)),
    ]
    for host, generator, how, run in ways:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.environ[TIMES] = f"{folder}/times.jsonl"
            best = run()
            times = np.array([json.loads(line) for line in Path(os.environ[TIMES]).read_text().splitlines()])
            wall = times[:, 1].max() - times[:, 0].min()
            share = np.diff(times).sum() / (size[1] * wall)
            print(f"| {host} | {generator} | {how} | {wall:.1f} | {100 * share:.1f} % | {best:.3f} |", flush=True)
            os.chdir("/")


if __name__ == "__main__":
    main()
