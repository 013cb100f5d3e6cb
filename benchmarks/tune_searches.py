"""How much of their time the workers of a Ray Tune run evaluate, when trials take different times: with a limiter that
waits for whole batches, which is how Tune has other model-based searchers keep their model in step, and without.

    python benchmarks/tune_searches.py [--trials 24] [--workers 4] [--seconds 4]

Each trial sleeps, so that the figures do not depend on the number of processors; how long is drawn from a lognormal
distribution by the order of the suggestions, the same for both. Printed is a table in Markdown.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import ray
from durations import drawn, ideal, row
from ray import tune
from ray.tune.search import ConcurrencyLimiter

from nonstop.integrations.ray import NonstopSearch


class Timed(NonstopSearch):
    """Tells each trial how long it is to take."""

    durations: Iterator[float]

    def suggest(self, trial_id: str) -> Any:
        found = super().suggest(trial_id)
        return {**found, "seconds": next(self.durations)} if isinstance(found, dict) else found


def trainable(config: dict[str, Any]) -> None:
    begin = time.time()
    time.sleep(config["seconds"])
    tune.report({"loss": (config["x"] - 0.3) ** 2, "begin": begin, "end": time.time()})


def measured(batch: bool, durations: list[float], workers: int) -> tuple[float, float]:
    """Seconds from the first trial's begin to the last one's end, and the share of worker time that trials took."""
    searcher = Timed({"x": tune.uniform(0.0, 1.0)}, metric="loss", mode="min")
    Timed.durations = iter(durations)
    with tempfile.TemporaryDirectory() as folder:
        results = tune.Tuner(
            trainable,
            tune_config=tune.TuneConfig(
                search_alg=ConcurrencyLimiter(searcher, max_concurrent=workers, batch=batch),
                num_samples=len(durations),
                reuse_actors=True,
            ),
            run_config=tune.RunConfig(storage_path=folder, verbose=0),
        ).fit()
        times = np.array([(result.metrics["begin"], result.metrics["end"]) for result in results])
    wall = times[:, 1].max() - times[:, 0].min()
    return wall, float(np.diff(times).sum() / (workers * wall))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=4.0)
    given = parser.parse_args()
    durations = drawn(given.trials, given.seconds)
    ray.init(num_cpus=given.workers, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    measured(False, [1.0] * given.workers, given.workers)  # Ray starts its workers
    print("| limiter | wall time (s) | share of worker time evaluating |\n|---|---|---|")
    for name, batch in (("batch=True", True), ("batch=False", False)):
        wall, share = measured(batch, durations, given.workers)
        print(row(f"NonstopSearch, ConcurrencyLimiter({name})", wall, share), flush=True)
    for way, wall in ideal(durations, given.workers):
        print(row(way, wall, sum(durations) / (given.workers * wall)))
    ray.shutdown()


if __name__ == "__main__":
    main()
