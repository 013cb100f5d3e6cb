"""How far each query was from the others, and whether it explored or exploited."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nonstop.acquisition.rules import rule_of
from nonstop.acquisition.standard import UCB
from nonstop.history.scale import evenly
from nonstop.space.encoding import cube_of, encode_many
from nonstop.surrogate.kernels.distances import squared_distances
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array

#: Queries to measure: each is compared with all before it.
MOST = 1000
#: Closer than this on every axis of the unit cube, two queries are nearly the same.
NEAR = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """For each query of this study, in order, and in the unit cube: the Euclidean distance to the nearest point that
    was busy when it was proposed and to the nearest earlier point (NaN if there was none), and the share of
    exploration: of weight * sd + mean, what comes from sd. The mean counts from the average value, and not below it;
    NaN for queries without a model. `of` is how many queries there were before thinning."""

    trials: tuple[Trial, ...]
    to_busy: Array
    to_earlier: Array
    exploration: Array
    threshold: float
    weight: float
    of: int

    @property
    def duplicates(self) -> int:
        return int((self.to_earlier < self.threshold).sum())


def distances(spec: Spec, trials: Sequence[Trial], most: int = MOST) -> Distances:
    known = sorted((trial for trial in trials if trial.params is not None), key=lambda trial: trial.number)
    asked = [row for row, trial in enumerate(known) if trial.version >= 0]  # others came from outside
    rows = [asked[i] for i in evenly(len(asked), most)]
    X = encode_many(spec.space, [trial.params or {} for trial in known])
    shown = tuple(known[row] for row in rows)
    weight = _weight(spec)
    return Distances(
        shown,
        _to_busy(known, X, rows),
        _to_earlier(X, rows),
        np.array([_exploration(trial.diagnostics, weight) for trial in shown], dtype=np.float64),
        NEAR * math.sqrt(cube_of(spec.space).axes),
        weight,
        len(asked),
    )


def _to_earlier(X: Array, rows: Sequence[int]) -> Array:
    """Distances of the given rows of X to the nearest row above each."""
    nearest = np.full(len(rows), np.nan)
    for start in range(0, len(rows), 128):
        block = np.array(rows[start : start + 128])
        D = squared_distances(X[block], X[: block[-1]])
        D[np.arange(block[-1]) >= block[:, None]] = np.inf
        for i, row in enumerate(block):
            if row:
                # The product that finds the neighbour loses half of the digits of a short distance.
                nearest[start + i] = math.dist(X[row], X[D[i].argmin()])
    return nearest


def _to_busy(known: Sequence[Trial], X: Array, rows: Sequence[int]) -> Array:
    """As recorded; quasi-random queries record nothing, so what was busy is told by the times."""
    starts, ends = (
        np.array([_or(getattr(trial, name), math.inf) for trial in known]) for name in ("started_at", "finished_at")
    )
    nearest = np.full(len(rows), np.nan)
    for i, row in enumerate(rows):
        trial = known[row]
        if trial.diagnostics is not None and trial.diagnostics.proposed:
            nearest[i] = _or(trial.diagnostics.nearest_busy, math.nan)
        elif trial.started_at is not None:
            busy = (starts < trial.started_at) & (ends > trial.started_at)
            nearest[i] = np.sqrt(np.square(X[busy] - X[row]).sum(axis=1)).min(initial=math.inf)
    nearest[np.isinf(nearest)] = np.nan
    return nearest


def _exploration(said: Diagnostics | None, weight: float) -> float:
    if said is None or said.hyperparameters is None:
        return math.nan
    part, mean = weight * _or(said.sd, math.nan), max(_or(said.mean, math.nan), 0.0)
    return part / (part + mean) if part + mean > 0.0 else math.nan


def _weight(spec: Spec) -> float:
    """What the rule multiplies sd with, where it does; the paper's value for all others, so that runs compare."""
    rule = rule_of(spec.rule)
    beta = rule.beta if isinstance(rule, UCB) else 2.0
    return math.sqrt(beta) if isinstance(beta, int | float) else math.sqrt(2.0)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
