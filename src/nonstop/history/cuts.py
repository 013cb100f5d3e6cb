"""Cuts through the model at the incumbent: along one parameter, and across the plane of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nonstop.acquisition.rule import Drawer, Score, rule_at
from nonstop.acquisition.rules import rule_of
from nonstop.acquisition.standard import UCB
from nonstop.errors import StudyError
from nonstop.history.posterior import Posterior, posterior
from nonstop.history.relevance import per_parameter, relevance_of
from nonstop.history.scale import Scale, columns_of, grid
from nonstop.history.window import Window, window
from nonstop.numerics.threads import limit_threads
from nonstop.space.encoding import cube_of
from nonstop.surrogate.model import surrogate_of
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Array

#: How many parameters get a slice, the most relevant ones; grid points along a slice, and on each axis of a contour.
MOST_SLICES, ALONG, ACROSS = 12, 61, 41
#: The acquisition is drawn down to so many units below its maximum, because log EI can be as low as -1000.
DEPTH = 8.0
#: Results less close to a slice than this are not worth showing with it.
NEAR = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """The model along one parameter, all others as in the incumbent: its mean, and an interval that holds 95 % of its
    probability. Places are on the scale. `acquisition` is scaled so that it goes from 0 to 1 over all slices.
    `closeness` is the correlation of each result with the slice, from 0 to 1: results far from it hardly matter to
    what it shows."""

    scale: Scale
    at: Array
    mean: Array
    low: Array
    high: Array
    acquisition: Array | None
    data: Array
    closeness: Array
    busy: Array


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """A slice for each of the most relevant parameters; `of` is how many parameters there are. `rule` names the
    acquisition that is shown: UCB, if the study's own rule is no function of the posterior; None if the study's rule
    uses no model."""

    slices: tuple[Slice, ...]
    of: int
    results: tuple[Trial, ...]
    values: Array
    busy: tuple[Trial, ...]
    incumbent: Trial | None
    rule: str | None
    #: The part worth showing of the results near a slice, and of the model too; None without a result.
    window: Window | None = None
    reach: Window | None = None

    @property
    def near(self) -> Array:
        """The values of the results that are near one of the slices."""
        close = [cut.closeness > NEAR for cut in self.slices]
        return self.values[np.any(close, axis=0)] if close else self.values


@dataclass(frozen=True, slots=True, eq=False)
class Contour:
    """The model on a grid over two parameters, x and y, all others as in the incumbent. Mean and sd are (y, x)."""

    x: Scale
    y: Scale
    at_x: Array
    at_y: Array
    mean: Array
    sd: Array
    results: tuple[Trial, ...]
    busy: tuple[Trial, ...]
    incumbent: Trial
    #: The parts of the mean and of the sd that are worth showing.
    window: Window
    spread: Window


def slices(spec: Spec, trials: Sequence[Trial], most: int = MOST_SLICES) -> Slices:
    """Slices through the incumbent along the `most` most relevant parameters; none without a result."""
    model = posterior(spec, trials)
    busy = running(trials)
    if model is None:
        return Slices((), len(spec.space), (), np.empty(0), busy, None, None)
    chosen = sorted(_most_relevant(spec, model, most))
    name, rule = _shown_rule(spec)
    with limit_threads(1):
        cuts = [_slice(spec, model, busy, axis, rule) for axis in chosen]
    best = model.trials[model.incumbent]
    record = Slices(_scaled(cuts), len(spec.space), model.trials, model.values, busy, best, name)
    seen = window(record.near, spec.sign)
    sides = np.concatenate([side for cut in cuts for side in (cut.mean, cut.low, cut.high)])
    return replace(record, window=seen, reach=seen.wider(sides))


def contour(spec: Spec, trials: Sequence[Trial], x: str | None = None, y: str | None = None) -> Contour | None:
    """Over the two most relevant parameters, unless they are named; None without a result or a second parameter."""
    names = list(spec.space)
    for name in (x, y):
        if name is not None and name not in names:
            raise StudyError(f"there is no parameter {name!r}: use one of {', '.join(names)}")
    model = posterior(spec, trials)
    if model is None or len(names) < 2:
        return None
    ranked = [names[axis] for axis in _most_relevant(spec, model, len(names))]
    first = x or next(name for name in ranked if name != y)
    second = y or next(name for name in ranked if name != first)
    on_x, on_y = (Scale.of(name, spec.space[name]) for name in (first, second))
    (at_x, X), (at_y, Y) = (grid(scale, spec.space[scale.name], ACROSS) for scale in (on_x, on_y))
    columns = columns_of(cube_of(spec.space))
    points = np.tile(model.gp.X[model.incumbent], (len(at_y), len(at_x), 1))
    points[:, :, columns[names.index(first)]] = X[None]
    points[:, :, columns[names.index(second)]] = Y[:, None]
    with limit_threads(1):
        mean, sd = model.predict(points.reshape(-1, points.shape[-1]))
    shape = len(at_y), len(at_x)
    return Contour(
        on_x,
        on_y,
        at_x,
        at_y,
        mean.reshape(shape),
        sd.reshape(shape),
        model.trials,
        running(trials),
        model.trials[model.incumbent],
        window(model.values, spec.sign).wider(mean),
        window(sd, -1.0),
    )


def running(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The trials that are being evaluated."""
    return tuple(t for t in trials if t.state is TrialState.RUNNING and t.params is not None)


def _most_relevant(spec: Spec, model: Posterior, most: int) -> list[int]:
    relevance = relevance_of(per_parameter(spec, model.gp.hyperparameters))
    ranked: list[int] = np.argsort(-relevance, kind="stable")[:most].tolist()
    return ranked


def _slice(spec: Spec, model: Posterior, busy: Sequence[Trial], axis: int, rule: Score | None) -> Slice:
    name = list(spec.space)[axis]
    scale = Scale.of(name, spec.space[name])
    columns = columns_of(cube_of(spec.space))[axis]
    places, X = grid(scale, spec.space[name], ALONG)
    gp, best = model.gp, model.gp.X[model.incumbent]
    points = np.tile(best, (len(places), 1))
    points[:, columns] = X
    projected = gp.X.copy()
    projected[:, columns] = best[columns]
    closeness = gp.correlations(projected, best[None])[:, 0]
    mean, variance = gp.moments(points)
    score = None
    if rule is not None:
        now = rule_at(rule, model.fitted.results, gp.X.shape[1])
        score = now.score(mean, np.sqrt(variance), gp.incumbent(surrogate_of(spec.surrogate).incumbent))[0]
    data, working = (scale.places(trial.params or {} for trial in some) for some in (model.trials, busy))
    return Slice(scale, places, *model.band(mean, np.sqrt(variance)), score, data, closeness, working)


def _shown_rule(spec: Spec) -> tuple[str | None, Score | None]:
    """The acquisition that slices show, and its name."""
    rule = rule_of(spec.rule)
    if isinstance(rule, Drawer):
        return None, None
    if isinstance(rule, Score):
        return (spec.rule if isinstance(spec.rule, str) else type(rule).__name__), rule
    return "ucb", UCB()


def _scaled(cuts: Sequence[Slice]) -> tuple[Slice, ...]:
    """The slices with acquisitions from 0 to 1, on one scale, so that they can be compared."""
    scores = np.concatenate([cut.acquisition for cut in cuts if cut.acquisition is not None] or [np.zeros(1)])
    high = float(scores.max())
    low = max(float(scores.min()), high - DEPTH)
    span = high - low if high > low else 1.0
    return tuple(
        cut if cut.acquisition is None else replace(cut, acquisition=np.clip((cut.acquisition - low) / span, 0.0, 1.0))
        for cut in cuts
    )
