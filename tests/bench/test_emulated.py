"""The emulator of PROTEUS is what it says: a process through the recorded evaluations, with a known minimum."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from nonstop.space.encoding import decode, encode
from nonstop.surrogate.fitted import fitted
from nonstop.surrogate.model import PAPER
from nonstop.types import Array
from nonstop_bench.problems.catalogue import find
from nonstop_bench.problems.emulated import OPTIMUM, Emulator

RESULTS = Path(__file__).parents[2] / "benchmarks/results/proteus"
EMULATOR = Emulator.of_table()


def test_it_goes_through_the_recorded_evaluations() -> None:
    task = find("proteus-emulated")
    lines = [line for name in ("ucb", "random") for line in (RESULTS / f"{name}.jsonl").read_text().splitlines()]
    trials = [trial for trial in map(json.loads, lines) if trial["state"] == "completed"]
    assert len(trials) == len(EMULATOR.X) == 120
    for trial in trials:
        assert abs(task.objective(trial["params"]) - np.log(trial["value"])) < 1e-3
        assert np.abs(EMULATOR.X - encode(task.space, trial["params"])).max(axis=1).min() < 1e-6


def test_its_minimum_is_the_least_that_descents_find() -> None:
    rng = np.random.default_rng(1)
    candidates = rng.random((4000, 9))
    starts = [*candidates[np.argsort(EMULATOR(candidates))[:6]], *EMULATOR.X[np.argsort(EMULATOR(EMULATOR.X))[:6]]]

    def misfit(x: Array) -> float:
        return float(EMULATOR(x[None])[0])

    found = [minimize(misfit, start, method="L-BFGS-B", bounds=[(0.0, 1.0)] * 9) for start in starts]
    best = min(found, key=lambda each: float(each.fun))
    assert abs(float(best.fun) - OPTIMUM) < 1e-6
    task = find("proteus-emulated")
    assert task.optimum == OPTIMUM
    assert abs(task.objective(decode(task.space, best.x)) - OPTIMUM) < 1e-6


def test_it_explains_what_the_page_says() -> None:
    """Each evaluation predicted from the others."""
    logs = EMULATOR(EMULATOR.X)
    gp = fitted(replace(PAPER, kernel="matern52"), EMULATOR.X, -logs).gp
    off = gp.alpha / np.diag(gp.R.T @ gp.R)
    assert 0.65 < 1.0 - float(off @ off) / float(gp.y @ gp.y) < 0.75
