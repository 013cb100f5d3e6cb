"""How much of their time the jobs of a search in scikit-learn evaluate, if fits last differently long.

python benchmarks/integrations_sklearn.py    # four jobs: about two minutes, hardly any of it computing

A fit sleeps; how long is log-normal. Random search hands all candidates over at once, and so never waits: the best that
any search could do. Whoever learns from results in batches of four waits for the slowest of each; halving waits at the
end of each of its rounds.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from joblib import parallel_config
from scipy.stats import uniform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingRandomSearchCV, ParameterSampler, RandomizedSearchCV

import nonstop
from nonstop.integrations.sklearn import NonstopSearchCV
from nonstop.integrations.sklearn_private import BaseSearchCV

RESULTS = Path(__file__).parent / "results" / "integrations.md"
HEADING = "## scikit-learn"
HEADER = "| search | fits | wall time (s) | time of the jobs spent evaluating |\n|---|---|---|---|"
COUNTER = count()  # so that splits differ
SPLIT = [(np.arange(30), np.arange(30, 60))]
X, Y = np.arange(60.0)[:, np.newaxis], np.arange(60) % 2


class Sleeping(ClassifierMixin, BaseEstimator):
    """Best at x = 0.3; each candidate takes its own time, whose logarithm is normal."""

    def __init__(self, x: float = 0.5, scale: float = 0.3, spread: float = 0.8, n: int = 1) -> None:
        self.x, self.scale, self.spread, self.n = x, scale, spread, n

    def fit(self, X: Any, y: Any) -> Sleeping:  # noqa: ARG002
        self.classes_ = np.unique(y)
        chance = np.random.default_rng(int(self.x * 1e9) + next(COUNTER))
        time.sleep(self.scale * float(chance.lognormal(-(self.spread**2) / 2, self.spread)))
        return self

    def predict(self, X: Any) -> Any:
        return np.resize(self.classes_, len(X))

    def score(self, X: Any, y: Any) -> float:  # noqa: ARG002
        return float(-((self.x - 0.3) ** 2))


class Batches(BaseSearchCV):  # type: ignore[misc]
    """Hands over as many candidates as there are jobs, and waits for them: how BaseSearchCV lets one learn."""

    def __init__(self, estimator: Any, n_iter: int, batch: int, cv: Any = None, refit: bool = True) -> None:
        super().__init__(estimator, cv=cv, refit=refit)
        self.n_iter, self.batch = n_iter, batch

    def _run_search(self, evaluate_candidates: Callable[..., Any]) -> None:
        drawn = list(ParameterSampler({"x": uniform(0, 1)}, self.n_iter, random_state=0))
        for start in range(0, len(drawn), self.batch):
            evaluate_candidates(drawn[start : start + self.batch])


def row(name: str, search: Any, jobs: int) -> str:
    """Fit, and say how much of the time of all jobs fits took."""
    with parallel_config("threading", n_jobs=jobs):
        began = time.perf_counter()
        search.fit(X, Y)
        wall = time.perf_counter() - began
    times = search.n_splits_ * (search.cv_results_["mean_fit_time"] + search.cv_results_["mean_score_time"])
    fits = search.n_splits_ * len(times)
    return f"| {name} | {fits} | {wall:.1f} | {100 * times.sum() / (jobs * wall):.0f} % |"


def write(section: str) -> None:
    """Put the section of this host into the file that all hosts share."""
    text = (
        RESULTS.read_text(encoding="utf-8")
        if RESULTS.exists()
        else "# Inside other tools: how busy their workers are\n"
    )
    parts = [part for part in text.split("\n## ") if not part.startswith(HEADING.removeprefix("## "))]
    RESULTS.write_text("\n## ".join(parts).rstrip() + f"\n\n{HEADING}\n\n{section}\n", encoding="utf-8")


def table(jobs: int, splits: int, seconds: float, candidates: int) -> str:
    """All searches with so many candidates, whose fits on each split last so long on average."""
    common: dict[str, Any] = {"cv": SPLIT * splits, "refit": False}
    halving: dict[str, Any] = {
        "n_candidates": 3 * candidates // 5,
        "resource": "n",
        "max_resources": 27,
        "random_state": 0,
    }
    model, distribution = Sleeping(scale=seconds), {"x": uniform(0, 1)}
    own = NonstopSearchCV(model, {"x": nonstop.Float(0.0, 1.0)}, n_iter=candidates, random_state=0, **common)
    rows = [
        row("NonstopSearchCV", own, jobs),
        row(
            f"batches of {jobs} candidates (no model: only the waiting)",
            Batches(model, candidates, jobs, **common),
            jobs,
        ),
        row("HalvingRandomSearchCV", HalvingRandomSearchCV(model, distribution, **halving, **common), jobs),
        row(
            "RandomizedSearchCV (learns nothing)",
            RandomizedSearchCV(model, distribution, n_iter=candidates, random_state=0, **common),
            jobs,
        ),
    ]
    proposing = median(trial.diagnostics.seconds for trial in own.study_.trials if trial.diagnostics)
    about = (
        f"{splits} split{'s' * (splits > 1)}, fits of {seconds:g} s on average, {candidates} candidates; a proposal "
        f"took {1000 * proposing:.0f} ms (median):"
    )
    return "\n".join([about, "", HEADER, *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=4)
    jobs = parser.parse_args().jobs
    about = (
        f"`python benchmarks/integrations_sklearn.py`: {jobs} jobs (threads of joblib), fits that sleep, log-normal "
        "with a spread of 0.8. At the end of a search jobs run out of work, whichever search it is."
    )
    load = f"Load of the machine before: {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors."
    section = "\n\n".join([f"{about} {load}", table(jobs, 5, 0.3, 24), table(jobs, 1, 1.0, 40)])
    write(section)
    print(section)


if __name__ == "__main__":
    main()
