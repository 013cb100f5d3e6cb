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
from nonstop.history.scale import Scale, grid, scales_of
from nonstop.history.window import Window, window
from nonstop.numerics.threads import limit_threads
from nonstop.outcomes.bound import Bound
from nonstop.outcomes.goals import VALUE
from nonstop.space import Parameter
from nonstop.space.encoding import cube_of
from nonstop.space.layout import layout_of
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
    uses no model, or looks at several outcomes."""

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
    #: The outcome that is shown, and what it has to be, if there is a constraint on it.
    name: str = VALUE
    bound: Bound | None = None

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
    #: The outcome that is shown.
    name: str = VALUE


def slices(spec: Spec, trials: Sequence[Trial], most: int = MOST_SLICES, outcome: str | None = None) -> Slices:
    """Slices through the incumbent along the `most` most relevant parameters, of one outcome; none without a
    result."""
    model = posterior(spec, trials, outcome=outcome)
    busy = running(trials)
    if model is None:
        return Slices((), cube_of(spec.space).axes, (), np.empty(0), busy, None, None)
    spec, outcomes = model.view.spec, model.view
    chosen = sorted(_most_relevant(spec, model)[:most])
    name, rule = (None, None) if outcomes.several else _shown_rule(spec)
    with limit_threads(1):
        cuts = [_slice(spec, model, busy, axis, rule) for axis in chosen]
    best = model.trials[model.incumbent]
    record = Slices(_scaled(cuts), cube_of(spec.space).axes, model.trials, model.values, busy, best, name)
    seen = window(record.near, spec.sign)
    sides = np.concatenate([side for cut in cuts for side in (cut.mean, cut.low, cut.high)])
    return replace(record, window=seen, reach=seen.wider(sides), name=outcomes.name, bound=outcomes.bound)


def contour(
    spec: Spec, trials: Sequence[Trial], x: str | None = None, y: str | None = None, outcome: str | None = None
) -> Contour | None:
    """One outcome over the two most relevant parameters of the incumbent, unless they are named; None without a result
    or a second parameter."""
    names, cube = spec.space.names, cube_of(spec.space)
    for name in (x, y):
        if name is not None and name not in names:
            raise StudyError(f"there is no parameter {name!r}: use one of {', '.join(names)}")
    model = posterior(spec, trials, outcome=outcome)
    pair = None if model is None else _pair(spec, model, x, y)
    if model is None or pair is None:
        return None
    first, second = pair
    on_x, on_y = (scales_of(spec.space)[axis] for axis in pair)
    (at_x, X), (at_y, Y) = (grid(on, _parameter(spec, axis), ACROSS) for on, axis in ((on_x, first), (on_y, second)))
    points = np.tile(model.gp.X[model.incumbent], (len(at_y), len(at_x), 1))
    points[:, :, cube.columns[first]] = X[None]
    points[:, :, cube.columns[second]] = Y[:, None]
    with limit_threads(1):
        mean, sd = model.predict(cube.snap(points.reshape(-1, points.shape[-1])))
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
        window(model.values, model.sign).wider(mean),
        window(sd, -1.0),
        model.view.name,
    )


def running(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The trials that are being evaluated."""
    return tuple(t for t in trials if t.state is TrialState.RUNNING and t.params is not None)


def _most_relevant(spec: Spec, model: Posterior) -> list[int]:
    """The axes that are active in the incumbent, the most relevant first."""
    relevance = relevance_of(per_parameter(spec, model.gp.hyperparameters))
    ranked: list[int] = np.argsort(-relevance, kind="stable").tolist()
    best, scales = model.trials[model.incumbent].params or {}, scales_of(spec.space)
    return [axis for axis in ranked if scales[axis].is_in(best)]


def _pair(spec: Spec, model: Posterior, x: str | None, y: str | None) -> tuple[int, int] | None:
    """The axes of a contour: those that are named, or the most relevant ones of which none depends on the other."""
    scales, ranked = scales_of(spec.space), _most_relevant(spec, model)
    named = []
    for name in (x, y):
        found = [axis for axis in ranked if scales[axis].name == name]
        if name is not None and not found:
            best = model.trials[model.incumbent].number
            raise StudyError(f"{name!r} cannot be drawn: it has one value, or is not there in the best trial, {best}")
        named.append(found)
    for first in named[0] or ranked:
        for second in named[1] or ranked:
            one, other = scales[first], scales[second]
            apart = not _leads(one, other) and not _leads(other, one)
            if first != second and (apart or (x and y)):
                return first, second
    return None


def _leads(choice: Scale, other: Scale) -> bool:
    """Is the other parameter there only with a certain value of this one?"""
    return any(name == choice.name for name, _ in other.when)


def _parameter(spec: Spec, axis: int) -> Parameter:
    return spec.space.leaves[layout_of(spec.space).owners[axis]].parameter


def _slice(spec: Spec, model: Posterior, busy: Sequence[Trial], axis: int, rule: Score | None) -> Slice:
    scale, cube = scales_of(spec.space)[axis], cube_of(spec.space)
    columns = cube.columns[axis]
    places, X = grid(scale, _parameter(spec, axis), ALONG)
    gp, best = model.gp, model.gp.X[model.incumbent]
    points = np.tile(best, (len(places), 1))
    points[:, columns] = X
    points = cube.snap(points)  # what another choice brings along starts in the middle
    projected = gp.X.copy()
    projected[:, columns] = best[columns]
    closeness = gp.correlations(projected, best[None])[:, 0]
    mean, variance = gp.moments(points)
    score = None
    if rule is not None:
        now = rule_at(rule, model.fitted.results, gp.X.shape[1])
        score = now.score(mean, np.sqrt(variance), gp.incumbent(surrogate_of(spec.surrogate).incumbent))[0]
        score = np.where(cube.holds(points), score, np.nan)  # nothing is proposed where a constraint does not hold
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
    scores = scores[np.isfinite(scores)]
    high = float(scores.max()) if len(scores) else 0.0
    low = max(float(scores.min()), high - DEPTH) if len(scores) else 0.0
    span = high - low if high > low else 1.0
    return tuple(
        cut if cut.acquisition is None else replace(cut, acquisition=np.clip((cut.acquisition - low) / span, 0.0, 1.0))
        for cut in cuts
    )
