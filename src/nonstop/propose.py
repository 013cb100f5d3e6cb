"""From data to the next query. This is the file to read: everything before it is a tool for it, everything after it
only brings the data here and carries the answer away.

    data -> standardise -> fit -> condition on believed points -> maximise the rule -> Proposal

A proposal is a pure function of its arguments: same data, same seed, same bytes, in any process.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from nonstop.acquisition.maximize import ENUMERABLE, Terrain, maximize
from nonstop.acquisition.rule import Choice, Chooser, Rule, Score, View, is_standard
from nonstop.acquisition.rules import DEFAULT_RULE, rule_of
from nonstop.acquisition.scored import Scored
from nonstop.errors import DataError
from nonstop.numerics.linalg import NotPositiveDefiniteError
from nonstop.numerics.quasirandom import halton
from nonstop.numerics.seeds import generator, seed_of
from nonstop.numerics.threads import limit_threads
from nonstop.space.cube import Cube
from nonstop.surrogate.fit import fit, prior_mode
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import DEFAULT_SURROGATE, Surrogate, surrogate_of
from nonstop.surrogate.output import output_of
from nonstop.surrogate.thinning import best_and_even
from nonstop.types import Array

#: Two points closer than this in every coordinate are the same query.
SAME = 1e-6

#: How far apart points have to be that come from the same data. The maximiser finds the same hilltop again to about
#: 1e-4, so anything closer would be the same query after all.
_APART = 5e-4

#: How the point came about: from the fitted model; from a model whose matrix needed jitter; from the hyperparameters
#: of an earlier proposal (or the prior) because the fit failed; without a model, for want of data; or by a rule that
#: needs none.
Rung: TypeAlias = Literal["model", "jitter", "previous", "quasi-random", "random"]


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """The next query, and what led to it. `value`, `mean` and `sd` are in standardised units; `believed` counts the
    points whose value the model was made to believe."""

    x: Array
    value: float
    mean: float
    sd: float
    hyperparameters: Hyperparameters | None
    rung: Rung
    nearest_busy: float
    believed: int
    seconds: float = field(repr=False)
    fit_seconds: float = field(default=0.0, repr=False)


def propose(
    X: ArrayLike,
    y: ArrayLike,
    busy: ArrayLike | None = None,
    rule: str | Rule = DEFAULT_RULE,
    seed: int = 0,
    *,
    believed: ArrayLike | None = None,
    avoid: ArrayLike | None = None,
    cube: Cube | None = None,
    surrogate: str | Surrogate = DEFAULT_SURROGATE,
    warm: Hyperparameters | None = None,
    noisy: bool = False,
    threads: int | None = 1,
) -> Proposal:
    """The next point to evaluate, to maximise y.

    X (n, d) in [0, 1]^d and y (n,) are the completed evaluations in completion order; rows whose y is not finite are
    left out. `busy` (b, d) are being evaluated; standard rules ignore them. `believed` are points proposed from this
    same data before: the model takes its own mean for their values, so that it does not propose them again. `avoid` are
    points that failed. The proposal differs from all of these; in a discrete cube also from X, while an untried point
    is left. With `noisy`, a discrete cube keeps only the points of `avoid` from coming again.
    `warm` are hyperparameters to start the fit from, or, if the data have hardly grown since (`Surrogate.refit`), to do
    without one; `threads=None` lets BLAS use as many threads as it likes.
    """
    started = time.perf_counter()
    data = _Data.of(X, y, busy, believed, avoid, cube)
    rule, model = rule_of(rule), surrogate_of(surrogate)
    rng = generator(_checked_seed(seed))
    with limit_threads(threads):
        if hasattr(rule, "draw"):  # isinstance() of a protocol takes five hundred times as long
            return _unmodelled(data, rule.draw(data.cube, rng), "random", noisy, started)
        if not len(data.y):
            return _unmodelled(data, _filling(data, seed), "quasi-random", noisy, started)
        try:
            gp, rung, fit_seconds = _fitted(data, model, warm)
            choice, count = _chosen(rule, gp, model, data, noisy, rng)
            mean, variance = gp.moments(choice.x[None])
        except NotPositiveDefiniteError:
            return _unmodelled(data, _filling(data, seed), "quasi-random", noisy, started)
    return Proposal(
        x=choice.x,
        value=choice.value,
        mean=float(mean[0]),
        sd=math.sqrt(variance[0]),
        hyperparameters=gp.hyperparameters,
        rung=rung,
        nearest_busy=_nearest(choice.x, data.busy),
        believed=count,
        seconds=time.perf_counter() - started,
        fit_seconds=fit_seconds,
    )


def propose_batch(
    X: ArrayLike, y: ArrayLike, size: int, rule: str | Rule = "kb-logei", seed: int = 0
) -> tuple[Proposal, ...]:
    """`size` points to evaluate together, to maximise y. The rule must heed busy points; standard ones do not."""
    if size < 1:
        raise DataError(f"a batch has at least one point, not {size!r}")
    proposals: list[Proposal] = []
    for number in range(size):
        busy = [proposal.x for proposal in proposals]
        warm = proposals[0].hyperparameters if proposals else None
        proposals.append(propose(X, y, busy, rule, _batch_seed(seed, number), warm=warm))
    return tuple(proposals)


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """The arguments, checked: X and y without the rows that cannot be modelled, in float64."""

    X: Array
    y: Array
    busy: Array
    believed: Array
    avoid: Array
    cube: Cube

    @classmethod
    def of(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        busy: ArrayLike | None,
        believed: ArrayLike | None,
        avoid: ArrayLike | None,
        cube: Cube | None,
    ) -> _Data:
        values = _numbers("y", y)
        if values.ndim != 1:
            raise DataError(f"y must be one-dimensional, not of shape {values.shape}")
        points = _numbers("X", X)
        d = cube.dim if cube is not None else (points.shape[1] if points.ndim == 2 else 0)
        if d == 0:
            raise DataError(f"X must be of shape (n, d) with d >= 1, not {points.shape}")
        points = _points("X", points, d)
        if len(points) != len(values):
            raise DataError(f"X has {len(points)} rows but y has {len(values)} values")
        avoided, usable = _points("avoid", avoid, d), np.isfinite(values)
        if np.count_nonzero(usable) < len(usable):  # what failed once is not asked for again
            avoided = np.concatenate([avoided, points[~usable]])
            points, values = points[usable], values[usable]
        others = _points("busy", busy, d), _points("believed", believed, d)
        return cls(points, values, *others, avoided, cube if cube is not None else Cube.continuous(d))

    @property
    def reserved(self) -> Array:
        """Points that may not be proposed again."""
        return np.concatenate([self.busy, self.avoid, self.believed])

    def taken(self, noisy: bool) -> Array:
        """Points that a discrete cube does not offer again; a noisy objective is worth a second look, a failure not."""
        return self.avoid if noisy and self.cube.is_discrete else np.concatenate([self.reserved, self.X])


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        return np.asarray(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be an array of numbers: {error}") from None


def _points(name: str, given: ArrayLike | None, d: int) -> Array:
    """An (n, d) array inside the unit cube; nothing is an empty one."""
    points = np.empty((0, d)) if given is None else _numbers(name, given)
    if points.size == 0:
        return np.empty((0, d))
    if points.ndim != 2 or points.shape[1] != d:
        raise DataError(f"{name} must be of shape (n, {d}), not {points.shape}")
    if not (points.min() >= 0.0 and points.max() <= 1.0):  # nor NaN
        row = int(np.flatnonzero(~((points >= 0.0) & (points <= 1.0)).all(axis=1))[0])
        raise DataError(f"{name} must lie in [0, 1]: row {row} is {points[row].tolist()}")
    return points


def _checked_seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise DataError(f"seed must be an integer >= 0, not {seed!r}")
    return int(seed)


def _fitted(data: _Data, model: Surrogate, warm: Hyperparameters | None) -> tuple[GP, Rung, float]:
    """The GP of the data and the rung of the ladder it stands on."""
    started = time.perf_counter()
    X, y = data.X, data.y
    if len(y) > model.max_points:
        rows = best_and_even(y, model.max_points)
        X, y = X[rows], y[rows]
    z = output_of(model.output, y).forward(y)
    d = X.shape[1]
    if warm is not None and len(warm.lengthscales) != d:
        raise DataError(f"warm has {len(warm.lengthscales)} lengthscales, but the points have {d} dimensions")
    hyperparameters, rung = _estimated(X, z, model, warm, len(data.y))
    gp = GP.of(X, z, hyperparameters, model.kernel)
    if gp.jitter > 0.0 and rung == "model":
        rung = "jitter"
    return gp, rung, time.perf_counter() - started


def _estimated(
    X: Array, z: Array, model: Surrogate, warm: Hyperparameters | None, results: int
) -> tuple[Hyperparameters, Rung]:
    if warm is not None and warm.results:
        fewer, more = sorted((warm.results, results))  # whoever estimated them may have been a result ahead of us
        if more < (1.0 + model.refit) * fewer:
            return warm, "model"
    found = fit(X, z, model, warm)
    if not math.isfinite(found.objective):
        return warm or prior_mode(X.shape[1], model), "previous"
    return replace(found.hyperparameters, results=results), "model"


def _chosen(
    rule: Score | Chooser, gp: GP, model: Surrogate, data: _Data, noisy: bool, rng: np.random.Generator
) -> tuple[Choice, int]:
    """The rule's point. If it coincides with a reserved one, that point is believed too and the rule asked again; if
    belief does not move it (a corner often stays the best), the best runner-up that is free is taken."""
    standard, discrete = is_standard(rule), data.cube.is_discrete
    believed = data.believed if standard else _except(data.believed, data.busy)
    taken = data.taken(noisy) if discrete else data.reserved
    for _ in range(3):
        # Only a discrete cube leaves taken points out beforehand: next to a point, it has nothing that is almost it.
        excluded = taken if discrete else taken[:0]
        choice = _choice(rule, gp, model, believed, data, excluded, rng)
        clash = _coinciding(choice.x, taken)
        if not discrete:
            clash = np.concatenate([clash, _coinciding(choice.x, data.believed, _APART)])
        if not len(clash):
            return choice, len(believed)
        fresh = _except(clash, believed)
        if discrete or not len(fresh):
            break
        believed = np.concatenate([believed, fresh])
    return _runner_up(choice, data, taken, rng), len(believed)


def _runner_up(choice: Choice, data: _Data, taken: Array, rng: np.random.Generator) -> Choice:
    """The best other point of the choice that is clearly apart from all taken ones, else any such point, else, in a
    discrete cube that is exhausted, the choice itself."""
    everything = data.cube.enumerate(ENUMERABLE)
    pool = data.cube.spread(rng.random((64, data.cube.axes))) if everything is None else rng.permutation(everything)
    apart = SAME if data.cube.is_discrete else _APART
    for x in (*choice.others, *pool):
        if not len(_coinciding(x, taken, apart)):
            return replace(choice, x=x, value=math.nan)
    return choice


def _choice(
    rule: Score | Chooser,
    gp: GP,
    model: Surrogate,
    believed: Array,
    data: _Data,
    taken: Array,
    rng: np.random.Generator,
) -> Choice:
    best = gp.incumbent(model.incumbent)
    order = np.argsort(-gp.y, kind="stable")[:8]
    tolerance = min(1e-6, gp.hyperparameters.noise)  # below the noise there is nothing to find
    terrain = Terrain(data.cube, gp.lengthscales, gp.X[order], taken, tolerance, model.candidates)
    believer = gp.condition(believed)
    if is_standard(rule):
        return maximize(Scored(rule, believer, best, recent=len(believed)), terrain, rng)
    view = View(believer, best, data.busy, data.cube, rng, lambda acquisition: maximize(acquisition, terrain, rng))
    return cast("Chooser", rule).choose(view)


def _filling(data: _Data, seed: int) -> Array:
    """Points that fill the cube; the number of points already there tells where in the sequence they begin."""
    known = len(data.X) + len(data.busy) + len(data.believed) + len(data.avoid)
    return data.cube.spread(halton(64, data.cube.axes, seed, start=known))


def _unmodelled(data: _Data, points: Array, rung: Rung, noisy: bool, started: float) -> Proposal:
    """The first of the points that is free; in a discrete cube that has an untried point, such a one."""
    taken = data.taken(noisy)
    everything = data.cube.enumerate(ENUMERABLE)
    pool = points if everything is None else np.concatenate([points, everything])
    x = next((x for x in pool if not len(_coinciding(x, taken))), points[0])
    return Proposal(
        x=x,
        value=math.nan,
        mean=0.0,
        sd=1.0,
        hyperparameters=None,
        rung=rung,
        nearest_busy=_nearest(x, data.busy),
        believed=0,
        seconds=time.perf_counter() - started,
    )


def _coinciding(x: Array, points: Array, within: float = SAME) -> Array:
    return points[np.abs(points - x).max(axis=1, initial=0.0) < within] if len(points) else points


def _except(points: Array, others: Array) -> Array:
    return np.array([p for p in points if not len(_coinciding(p, others))]).reshape(-1, points.shape[1])


def _nearest(x: Array, points: Array) -> float:
    return float(np.sqrt(np.square(points - x).sum(axis=1)).min(initial=math.inf))


def _batch_seed(seed: int, number: int) -> int:
    """The first point is that of propose() with the same seed."""
    return seed if number == 0 else seed_of(seed, number)
