"""Which results the models hold. Up to `Surrogate.max_points` it is all of them; of more, those that matter.

An exact Gaussian process is cubic in its data. Of too many, a first model holds an even choice. Where it believes in
the best value, the focus, all results close by are kept, and the fewer of the others the farther they are. Some more
are chosen so that no place is far from all of them, some evenly, and the last ones, which may have been a surprise.
All are chosen by where or when they were, not by how good they were: of noisy values the best are those that were
lucky, and a model of these takes the noise for the function. The models of all outcomes hold the same results.

Away from the focus the models know little, and a rule may be drawn to where many results are that they do not hold. So
once a point is chosen, the results next to it are looked up; if some were left out, the models take them in, and the
rule chooses again (propose.py).

Symbols: n results with m outcomes, X (n, d), Y (m, n) oriented: larger is better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from nonstop.acquisition.aim import Aim
from nonstop.acquisition.sought import bound_in
from nonstop.numerics.hypervolume import nondominated
from nonstop.numerics.linalg import row_dots
from nonstop.space.embedding import Embedding
from nonstop.surrogate.fitted import Fitted, fitted, several_output
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import Surrogate
from nonstop.surrogate.output import Bilog, Output, Standardize
from nonstop.surrogate.thinning import around, evenly, spread
from nonstop.types import Array

_PART = 0.4  # of max_points: how many results the models hold, if there are more than that
_OLD = 0.25  # of Surrogate.refit: by which part of what they hold there are more results before a new fit
_PROMISING = 64  # best results, each of which may be the focus
_NEXT = 16  # results next to a chosen point that the models should hold
_TAKEN_IN = 64  # results that the models take in at once, at most

Rows: TypeAlias = NDArray[np.intp]


def modelled(
    surrogate: Surrogate,
    aim: Aim,
    X: Array,
    Y: Array,
    warm: Sequence[Hyperparameters | None],
    embedding: Embedding,
) -> tuple[Fitted, ...]:
    """A model of each outcome."""
    n = len(X)
    if n <= surrogate.max_points:
        return _models(surrogate, aim, X, Y, warm, embedding, np.arange(n), surrogate.refit)
    size = max(int(_PART * surrogate.max_points), 1)
    first = evenly(n, max(size // 2, 1))
    models = _models(surrogate, aim, X, Y, warm, embedding, first, math.inf)
    rows = _some(models, aim, X, Y, first, size)
    found = _models(surrogate, aim, X, Y, warm, embedding, rows, _OLD * surrogate.refit * size / n)
    return tuple(
        replace(model, seconds=model.seconds + before.seconds) for model, before in zip(found, models, strict=True)
    )


def overlooked(models: tuple[Fitted, ...], aim: Aim, X: Array, x: Array, most: int) -> Rows:
    """Results that the models should take in before x (d,) is chosen: none, if they hold those next to it, or as many
    as they may."""
    rows = models[0].rows
    room = min(most - len(rows), _TAKEN_IN)
    if len(rows) == len(X) or room <= 0:
        return rows[:0]
    nearest = np.argsort(_squares(_scaled(models, aim, X), _scaled(models, aim, x[None])), kind="stable")
    held = np.zeros(len(X), dtype=bool)
    held[rows] = True
    if held[nearest[:_NEXT]].all():
        return rows[:0]
    return np.sort(nearest[~held[nearest]][:room])


def _some(models: tuple[Fitted, ...], aim: Aim, X: Array, Y: Array, first: Rows, size: int) -> Rows:
    """About `size` results, given models of the first few. The best one is among them: a rule may have to beat it."""
    n, best = len(X), np.argsort(-_merit(aim, Y), kind="stable")[:_PROMISING]
    focus = _believed_best(models, aim, X, np.union1d(first, best))
    Z = _scaled(models, aim, X)
    near, far = around(_squares(Z, Z[focus]), size // 2), spread(Z, focus, size // 4)
    return np.unique(np.concatenate([best[:1], near, far, evenly(n, size // 8), np.arange(n - size // 8, n)]))


def _models(
    surrogate: Surrogate,
    aim: Aim,
    X: Array,
    Y: Array,
    warm: Sequence[Hyperparameters | None],
    embedding: Embedding,
    rows: Rows,
    refit: float,
) -> tuple[Fitted, ...]:
    least = _least(aim, Y[:, rows])
    models: list[Fitted] = []
    for i, y in enumerate(Y):
        output: Output | None = None
        if i in aim.constraints:
            output = Bilog.of(y[rows])
        elif len(aim.objectives) > 1:
            output = several_output(surrogate, y[rows], least[i])
        like = [model.gp for model in models]
        models.append(fitted(surrogate, X, y, warm[i], refit, embedding, output, rows, like))
    return tuple(models)


def _least(aim: Aim, Y: Array) -> dict[int, float]:
    """The worst value of the front in each of several objectives, by its column."""
    if len(aim.objectives) == 1:
        return {}
    kept = aim.kept(Y)
    values = Y[list(aim.objectives)][:, kept if kept.any() else ~kept].T
    least = values[nondominated(values)].min(axis=0)
    return dict(zip(aim.objectives, map(float, least), strict=True))


def _believed_best(models: tuple[Fitted, ...], aim: Aim, X: Array, rows: Rows) -> int:
    """Which of some results is the best, by what the models believe of its point."""
    believed = np.array([model.gp.moments(X[rows])[0] - bound_in(model) for model in models])
    return int(rows[_merit(aim, believed).argmax()])


def _scaled(models: tuple[Fitted, ...], aim: Aim, X: Array) -> Array:
    """The points as the models see them, in units of the shortest lengthscale of an objective for each dimension."""
    gps = [models[i].gp for i in aim.objectives]
    return np.asarray(gps[0].embedding.apply(X) / np.min([gp.scales for gp in gps], axis=0))


def _squares(Z: Array, z: Array) -> Array:
    """Squared distances (n,) of the rows of Z from z."""
    off = Z - z
    return np.asarray(row_dots(off, off))


def _merit(aim: Aim, Y: Array) -> Array:
    """How good each result is (n,), roughly: by its worst objective, and worse than all others if it violates a
    bound."""
    if len(Y) == 1:
        return cast("Array", Y[0])
    worst = np.min([Standardize.of(Y[i]).forward(Y[i]) for i in aim.objectives], axis=0)
    return np.asarray(np.where(aim.kept(Y), worst, worst - 1e6))
