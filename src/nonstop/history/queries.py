"""How far each query was from the others, and whether it explored or exploited."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nonstop.acquisition.rule import Score, rule_at
from nonstop.acquisition.rules import rule_of
from nonstop.acquisition.standard import UCB
from nonstop.history.scale import evenly
from nonstop.space.encoding import cube_of, encode_many
from nonstop.surrogate.kernels.distances import squared_distances
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial
from nonstop.types import Array

#: How many queries are measured, at most: each is compared with all before it.
MOST = 1000
#: Queries closer than this on every axis of the unit cube count as nearly the same.
NEAR = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """Where each query of this study was, in order, and why.

    `to_busy` and `to_earlier` are Euclidean distances in the unit cube, to the nearest point that was busy when the
    query was proposed and to the nearest earlier point; NaN if there was none. `exploration` is the share of sd in
    weight * sd + mean, where the mean counts from the average value, and not below it; NaN for queries without a
    model. `weights` are the rule's, at the time of each query. `of` is how many queries there were before thinning."""

    trials: tuple[Trial, ...]
    to_busy: Array
    to_earlier: Array
    exploration: Array
    threshold: float
    weights: Array
    of: int

    @property
    def duplicates(self) -> int:
        """How many queries were nearly the same as an earlier one."""
        return int((self.to_earlier < self.threshold).sum())


def distances(spec: Spec, trials: Sequence[Trial], most: int = MOST) -> Distances:
    """The distances of at most about `most` queries, evenly spread over the study."""
    known = sorted((trial for trial in trials if trial.params is not None), key=lambda trial: trial.number)
    asked = [row for row, trial in enumerate(known) if trial.version >= 0]  # others came from outside
    rows = [asked[i] for i in evenly(len(asked), most)]
    X = encode_many(spec.space, [trial.params or {} for trial in known])
    shown = tuple(known[row] for row in rows)
    weights = _weights(spec, shown)
    return Distances(
        shown,
        _to_busy(known, X, rows),
        _to_earlier(X, rows),
        np.array([_exploration(t.diagnostics, w) for t, w in zip(shown, weights, strict=True)], dtype=np.float64),
        NEAR * math.sqrt(cube_of(spec.space).axes),
        weights,
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
                # Distances from a matrix product have half of the digits only: the nearest one is computed again.
                nearest[start + i] = math.dist(X[row], X[D[i].argmin()])
    return nearest


def _to_busy(known: Sequence[Trial], X: Array, rows: Sequence[int]) -> Array:
    """As recorded. Quasi-random queries record nothing: for them, the times tell which points were busy."""
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


def _weights(spec: Spec, trials: Sequence[Trial]) -> Array:
    """The factor of sd in UCB when each trial was proposed. Other rules have none, and get that of the paper's UCB, so
    that runs can be compared."""
    rule, d = rule_of(spec.rule), cube_of(spec.space).dim
    known = rule if isinstance(rule, Score) else UCB()
    rules = (rule_at(known, trial.version, d) for trial in trials)
    return np.array([_weight(rule) for rule in rules], dtype=np.float64)


def _weight(rule: Score) -> float:
    beta = rule.beta if isinstance(rule, UCB) else UCB().beta
    return math.sqrt(float(beta))  # type: ignore[arg-type]  # rule_at() leaves no Schedule


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
