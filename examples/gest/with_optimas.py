"""optimas: an asynchronous exploration (run_async) with nonstop as its generator."""

from __future__ import annotations

import sys
import time
from typing import Any

from gest_api.vocs import VOCS
from optimas.evaluators import FunctionEvaluator
from optimas.explorations import Exploration
from optimas.generators import ExternalGenerator

from nonstop.integrations.gest import NonstopGenerator


def simulate(point: dict[str, Any], results: Any) -> None:
    time.sleep(0.02 + 0.1 * point["x"])
    failed = point["x"] > 0.9  # some do
    results["f"] = float("nan") if failed else (point["x"] - 0.3) ** 2 + point["n"]


def main(trials: int = 24, workers: int = 3) -> None:
    vocs = VOCS(variables={"x": [0.0, 1.0], "n": {1, 2, 3}}, objectives={"f": "MINIMIZE"})
    exploration = Exploration(
        generator=ExternalGenerator(ext_gen=NonstopGenerator(vocs, seed=1), vocs=vocs),
        evaluator=FunctionEvaluator(simulate),
        max_evals=trials,
        sim_workers=workers,
        run_async=True,
    )
    exploration.run()
    study = exploration.generator.gen.study  # a copy that came back from the process of the generator
    states = [trial.state.value for trial in study.trials]
    print(f"{states.count('completed')} completed, {states.count('failed')} failed")
    print(f"the best is {study.best_value:.4f} at {study.best_params}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
