"""Xopt, in its asynchronous form: a candidate is submitted as soon as one has finished."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gest_api.vocs import VOCS
from xopt import AsynchronousXopt, Evaluator

from nonstop.integrations.gest import NonstopGenerator


def simulate(point: dict[str, Any]) -> dict[str, float]:
    time.sleep(0.02 + 0.1 * point["x"])
    return {"f": (point["x"] - 0.3) ** 2, "c": point["x"]}


def main(trials: int = 24, workers: int = 3) -> None:
    vocs = VOCS(variables={"x": [0.0, 1.0]}, objectives={"f": "MINIMIZE"}, constraints={"c": ["GREATER_THAN", 0.5]})
    with ThreadPoolExecutor(workers) as executor:
        optimisation = AsynchronousXopt(
            generator=NonstopGenerator(vocs, seed=1),
            evaluator=Evaluator(function=simulate, executor=executor, max_workers=workers),
        )
        optimisation.random_evaluate(2, seed=0)  # any data of your own
        while optimisation.n_data < trials:
            optimisation.step()
    best = optimisation.generator.study.best_trial  # Xopt has made a copy of the generator
    print(f"{optimisation.n_data} evaluated, the best is {best.value:.4f} at {best.params}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
