"""Made-up studies of any size and shape, without a storage: what figures and reports have to cope with."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import nonstop
from nonstop.space import Space
from nonstop.space.encoding import cube_of, decode
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from tests.helpers.trials import QUASI_RANDOM, modelled

MIXED = Space(
    {
        "lr": nonstop.Float(1e-5, 1e-1, log=True),
        "depth": nonstop.Int(1, 12),
        "loss": nonstop.Categorical(["l1", "l2", "huber"]),
        "width": nonstop.Int(8, 1024, log=True),
    }
)
ONE = Space({"x": nonstop.Float(-1.0, 2.0)})
THIRTY = Space({f"parameter-number-{i:02d}-{'with a long name ' * 3}": nonstop.Float(0.0, 1.0) for i in range(30)})
#: Words that would like to be more than words.
NASTY = '<b>bold</b><a href="javascript:alert(1)">x</a><script>alert(1)</script></script><!-- & "'


def study(
    space: Space = MIXED,
    n: int = 40,
    *,
    workers: int = 4,
    seed: int = 0,
    value: Callable[[np.ndarray[tuple[int], np.dtype[np.float64]]], float] | None = None,
    fails: Callable[[int], bool] = lambda _: False,
    name: str = "worker",
) -> tuple[Spec, list[Trial]]:
    """n finished trials of workers that never wait, each with the diagnostics of a model-based proposal."""
    rng = np.random.default_rng(seed)
    cube = cube_of(space)
    free = np.zeros(workers)
    trials: list[Trial] = []
    for number in range(n):
        worker = int(free.argmin())
        asked = 1000.0 + float(free[worker])
        x = cube.spread(rng.random((1, cube.axes)))[0]
        took = 0.5 + abs(rng.normal())
        failed = fails(number)
        result = float(np.square(x - 0.4).sum()) if value is None else value(x)
        trials.append(
            Trial(
                number,
                TrialState.FAILED if failed else TrialState.COMPLETED,
                params=decode(space, x),
                value=None if failed else result,
                version=number,
                worker=f"{name}-{worker}",
                reason="ValueError: it broke" if failed else None,
                diagnostics=_diagnostics(rng, cube.dim, number),
                asked_at=asked,
                started_at=asked + 0.1,
                finished_at=asked + 0.1 + took,
            )
        )
        free[worker] += 0.1 + took
    return Spec(space), _ordered(trials)


def _diagnostics(rng: np.random.Generator, dim: int, number: int) -> Diagnostics:
    if number < 3:
        return QUASI_RANDOM
    scales = 0.3 + np.arange(dim) / dim + np.exp(-number / 10) * rng.random(dim)
    sd = math.exp(-number / 20)
    return modelled(*scales.tolist(), acquisition=1.0, mean=0.5, sd=sd, nearest_busy=0.1, seconds=0.05)


def _ordered(trials: list[Trial]) -> list[Trial]:
    """The trials with the order of their results."""
    done = sorted((t for t in trials if t.state is TrialState.COMPLETED), key=lambda trial: trial.finished_at or 0.0)
    orders = {trial.number: order for order, trial in enumerate(done, start=1)}
    return [replace(trial, order=orders.get(trial.number)) for trial in trials]
