"""Moments of a simulated run: its data, its busy points, its posterior and its acquisition.

Everything is rebuilt from what the trials recorded (data version, busy trials, hyperparameters), so a moment shows the
posterior and acquisition from which the query came. Values are to be maximised, points are in the unit cube.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

import nonstop
from nonstop.acquisition.penalized import Penalty
from nonstop.acquisition.rule import Acquisition, Choice, Chooser, Score, View
from nonstop.acquisition.rules import rule_of
from nonstop.acquisition.scored import Scored
from nonstop.space.cube import Cube
from nonstop.space.encoding import encode
from nonstop.surrogate.fit import fit
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.output import Standardize
from nonstop_bench.records import Array
from nonstop_bench.simulate import Simulated


@dataclass(frozen=True, slots=True, eq=False)
class Busy:
    """A worker (1, 2, …) and where it evaluates."""

    worker: int
    x: Array


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """X (n, d) and y (n,) in order of completion; `query` is None before the first one that the model chose."""

    rule: str
    X: Array
    y: Array
    busy: Sequence[Busy]
    gp: GP
    scale: Standardize
    query: Busy | None = None

    def posterior(self, P: Array) -> tuple[Array, Array]:
        """Mean and standard deviation at the rows of P, in the units of y."""
        mean, variance = self.gp.moments(P)
        middle = self.scale.backward(mean)
        return middle, self.scale.backward(mean + np.sqrt(variance)) - middle

    def acquisition(self, P: Array) -> Array:
        """The rule's values at the rows of P. Penalized values are returned as such, not as logarithms."""
        found = acquisition_of(self.rule, self.gp, np.array([busy.x for busy in self.busy]))
        values = found.value(P)
        return np.exp(values) if isinstance(found, Penalty) else values


def acquisition_of(rule: str, gp: GP, busy: Array) -> Acquisition:
    """What a rule would maximise."""
    known, best = rule_of(rule), float(gp.y.max())
    if isinstance(known, Score):
        return Scored(known, gp, best, len(gp.X))
    if not isinstance(known, Chooser):
        raise ValueError(f"{rule} maximises nothing")
    seen: list[Acquisition] = []

    def keep(acquisition: Acquisition) -> Choice:
        seen.append(acquisition)
        return Choice(np.zeros(gp.X.shape[1]), 0.0, np.empty((0, gp.X.shape[1])))

    n, d = gp.X.shape
    known.choose(View(gp, best, n, busy, np.empty((0, d)), Cube.continuous(d), np.random.default_rng(0), keep))
    return seen[0]


def moments(simulated: Simulated, rule: str, workers: int) -> list[Moment]:
    """First the moment when all workers have started, then one for each query that the model chose."""
    study, initial = simulated.study, simulated.initial
    trials = sorted(study.trials, key=lambda trial: trial.number)
    started = trials[initial : initial + workers]
    X, y = _data(study, initial)
    scale = Standardize.of(y)
    first = Moment(rule, X, y, _busy(study, started), _posterior(X, y, scale, None), scale)
    return [first, *(_moment(study, rule, trial, trials) for trial in trials[initial + workers :])]


def _moment(study: nonstop.Study, rule: str, trial: nonstop.Trial, trials: Sequence[nonstop.Trial]) -> Moment:
    diagnostics = trial.diagnostics
    X, y = _data(study, trial.version)
    scale = Standardize.of(y)
    assert diagnostics is not None
    others = [trials[number] for number in diagnostics.busy]
    (query,) = _busy(study, [trial])
    return Moment(rule, X, y, _busy(study, others), _posterior(X, y, scale, diagnostics.hyperparameters), scale, query)


def _data(study: nonstop.Study, version: int) -> tuple[Array, Array]:
    done = sorted((t for t in study.trials if t.order is not None and t.order <= version), key=lambda t: t.order or 0)
    y = np.array([trial.value for trial in done], dtype=np.float64)
    return np.array([encode(study.spec.space, trial.params or {}) for trial in done]), study.spec.sign * y


def _posterior(X: Array, y: Array, scale: Standardize, fitted: Hyperparameters | None) -> GP:
    z = scale.forward(y)
    return GP.of(X, z, fitted or fit(X, z).hyperparameters)


def _busy(study: nonstop.Study, trials: Iterable[nonstop.Trial]) -> list[Busy]:
    """Simulated workers are called w0, w1, …"""
    return [Busy(int((trial.worker or "w0")[1:]) + 1, encode(study.spec.space, trial.params or {})) for trial in trials]
