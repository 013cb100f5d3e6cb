"""From results to a model: the one implementation behind every proposal and every picture of a study.

results -> thin them out, if there are too many -> transform the values -> estimate hyperparameters -> GP
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nonstop.errors import DataError
from nonstop.space.embedding import PLAIN, Embedding
from nonstop.surrogate.fit import fit, prior_mode
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import Surrogate
from nonstop.surrogate.output import Compress, Output, Shifted, output_of
from nonstop.surrogate.thinning import best_and_even
from nonstop.types import Array

_LEVELS, _LEVEL = 8, 1e-3  # rounds of fitting a constant mean, and how little it may move in the last

#: What a model rests on: a regular fit; a fit whose matrix needed jitter; or earlier hyperparameters (else the prior's
#: mode), because the fit failed.
FitRung: TypeAlias = Literal["model", "jitter", "previous"]


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A Gaussian process of some results, and how it came about."""

    #: The posterior, of transformed values.
    gp: GP
    #: The transform of the values, and its inverse.
    output: Output
    #: What the model rests on.
    rung: FitRung
    #: Which results the GP holds: row i of gp.X is result rows[i].
    rows: NDArray[np.intp]
    #: How many results there were, those that were thinned out included.
    results: int
    #: How long the fit took.
    seconds: float = field(repr=False)

    @property
    def hyperparameters(self) -> Hyperparameters:
        """What the fit found, or what it was given."""
        return self.gp.hyperparameters


def fitted(
    surrogate: Surrogate,
    X: Array,
    y: Array,
    warm: Hyperparameters | None = None,
    refit: float | None = None,
    embedding: Embedding = PLAIN,
    output: Output | None = None,
    rows: NDArray[np.intp] | None = None,
    like: Sequence[GP] = (),
) -> Fitted:
    """The model of X (n, d) in [0, 1]^d and y (n,), larger being better.

    `warm` are hyperparameters of an earlier fit. They are used as they are while the data have grown by less than the
    fraction `refit` since then (the surrogate's, unless given; infinity: always), else the fit starts from them.
    `embedding` is that of the cube of the points. `output` is the transform of the values, the surrogate's unless
    given; `rows` are the results to keep, the best and some others unless given. `like` are models of other values at
    the same points: one that has the same hyperparameters shares its factorised matrix.
    Raises NotPositiveDefiniteError if no jitter helps.
    """
    started = time.perf_counter()
    results, d = X.shape
    if warm is not None and len(warm.lengthscales) != d:
        raise DataError(f"warm has {len(warm.lengthscales)} lengthscales, but the points have {d} dimensions")
    rows = best_and_even(y, surrogate.max_points) if rows is None else rows
    if len(rows) < results:
        X, y = X[rows], y[rows]
    output = output_of(surrogate.output, y) if output is None else output
    z = output.forward(y)
    rung: FitRung = "model"
    known = _still_good(warm, results, surrogate.refit_in(d) if refit is None else refit)
    if known is None:
        hyperparameters, rung = _estimated(surrogate, X, z, warm, results, embedding)
    else:
        hyperparameters = known
    twin = next((gp for gp in like if gp.hyperparameters == hyperparameters), None)
    gp = GP.of(X, z, hyperparameters, surrogate.kernel, embedding) if twin is None else twin.of_values(z)
    if surrogate.mean == "constant":
        gp, output = _levelled(surrogate, gp, output, results, known is not None)
    if gp.jitter > 0.0 and rung == "model":
        rung = "jitter"
    return Fitted(gp, output, rung, rows, results, time.perf_counter() - started)


def _levelled(surrogate: Surrogate, gp: GP, output: Output, results: int, reused: bool) -> tuple[GP, Output]:
    """The same with a constant mean: the likeliest one given the hyperparameters, which are then estimated again, and
    so on until it stays where it is. Each step makes the likelihood larger, so the end is a maximum in all of them.
    Hyperparameters that are used again stay as they are."""
    z, level = gp.y, 0.0
    for _ in range(_LEVELS):
        likeliest = _likeliest_level(gp, z)
        if abs(likeliest - level) < _LEVEL:
            break
        level = likeliest
        if reused:
            return gp.of_values(z - level), Shifted(output, level)
        found, _ = _estimated(surrogate, gp.X, z - level, gp.hyperparameters, results, gp.embedding)
        gp = GP.of(gp.X, z - level, found, surrogate.kernel, gp.embedding)
    return gp, Shifted(output, level)


def _likeliest_level(gp: GP, z: Array) -> float:
    """The constant mean that makes these values likeliest, given the hyperparameters: 1' K^-1 z / 1' K^-1 1."""
    ones = gp.of_values(np.ones(len(z)))
    return float(ones.alpha @ z / ones.alpha.sum())


def several_output(surrogate: Surrogate, y: Array, least: float) -> Output:
    """The transform of one of several objectives. What is bad in one may be best in another: so values as good as
    `least`, the worst of the front, are not compressed."""
    return Compress.of(y, least) if surrogate.output == "compress" else output_of(surrogate.output, y)


def _still_good(warm: Hyperparameters | None, results: int, refit: float) -> Hyperparameters | None:
    """What is known already, if the data have hardly grown since. They may also have shrunk: the worker that recorded
    `warm` can be ahead."""
    if warm is None or refit == math.inf:
        return warm
    if warm.results is None:
        return None
    fewer, more = sorted((warm.results, results))
    return warm if more < (1.0 + refit) * fewer else None


def _estimated(
    surrogate: Surrogate, X: Array, z: Array, warm: Hyperparameters | None, results: int, embedding: Embedding
) -> tuple[Hyperparameters, FitRung]:
    found = fit(X, z, surrogate, warm, embedding)
    if not math.isfinite(found.objective):
        return warm or prior_mode(X.shape[1], surrogate, embedding), "previous"
    return replace(found.hyperparameters, results=results), "model"
