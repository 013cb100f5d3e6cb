"""From data to the next query. This is the file to read: the rooms above it are its tools, and what comes after it only
brings the data here and carries the answer away.

    data -> fitted model -> the point that the rule chooses -> the same, or another one if it is not free -> Proposal

A proposal is a pure function of its arguments: same data, same seed, same bytes, in any process.

Symbols: n results, b busy points, d columns of the unit cube; X (n, d), y (n,), x (d,).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from types import NoneType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from nonstop.acquisition.branches import neglected_branch
from nonstop.acquisition.feasible import Feasible, log_probability, success_terms
from nonstop.acquisition.inside import filling
from nonstop.acquisition.maximize import Terrain, maximize
from nonstop.acquisition.rule import Acquisition, Choice, Chooser, Drawer, Rule, Score, View
from nonstop.acquisition.rules import DEFAULT_RULE, rule_of
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.taken import Taken, without
from nonstop.arguments import flag, plain, whole, whole_of
from nonstop.errors import DataError
from nonstop.numerics.linalg import NotPositiveDefiniteError
from nonstop.numerics.seeds import generator, seed_of
from nonstop.numerics.threads import limit_threads
from nonstop.space.cube import Cube
from nonstop.space.embedding import embedding_of
from nonstop.space.holding import held
from nonstop.surrogate.fitted import Fitted, fitted
from nonstop.surrogate.gp import GP
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import DEFAULT_SURROGATE, Surrogate, surrogate_of
from nonstop.types import Array
from nonstop.wording import shown

_CENTERS = 8  # observations around which the maximiser searches
_ROUNDS = 3  # how often a standard rule is asked before a runner-up is taken
_ENTRIES = (Real, Decimal, NoneType)  # what an array of objects may hold; None is NaN
_MOST_THREADS = 1024  # BLAS libraries know no more
_FILLING = 64  # quasi-random points, of which the first free one is taken

#: How the point came about: from the fitted model; from a model whose matrix needed jitter; from the hyperparameters of
#: an earlier proposal (or the prior), because the fit failed; without a model, for want of data; or by a rule that
#: needs none.
Rung: TypeAlias = Literal["model", "jitter", "previous", "quasi-random", "random"]


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """The next query, and what led to it. Without a model, mean and sd are those of the prior."""

    #: The point (d,) to evaluate next.
    x: Array
    #: The acquisition's value there, failures taken into account; NaN without one, and if another point than its
    #: maximum had to be taken.
    value: float
    #: The posterior mean there, in standardised units.
    mean: float
    #: The posterior standard deviation there, in standardised units.
    sd: float
    #: Those of the model; None without one.
    hyperparameters: Hyperparameters | None
    #: How the point came about.
    rung: Rung
    #: The Euclidean distance to the nearest busy point; infinite without one.
    nearest_busy: float
    #: For how many points the model took its own mean for a result.
    believed: int
    #: The probability that the evaluation succeeds, by the model of failures; 1 as long as nothing failed, or failures
    #: seem to come at random.
    success: float = 1.0
    #: How long the proposal took.
    seconds: float = field(default=0.0, repr=False)
    #: How much of that was the fit.
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
    failed: ArrayLike | None = None,
    cube: Cube | None = None,
    fixed: ArrayLike | None = None,
    surrogate: str | Surrogate = DEFAULT_SURROGATE,
    warm: Hyperparameters | None = None,
    noisy: bool = False,
    threads: int | None = 1,
) -> Proposal:
    """The next point to evaluate, to maximise y.

    X (n, d) in [0, 1]^d and y (n,) are the results in completion order. `failed` (f, d) are points whose evaluation
    gave no value, and so are those of X whose y is not finite: a model of where evaluations succeed learns from them,
    and its log-probability is added to the rule (acquisition/feasible.py); but not one at which there is a value, too:
    there a second evaluation succeeded. `busy` (b, d) are being evaluated now;
    standard rules do not look at them. `believed` are points that were proposed from these same results: the model
    takes its own mean for their values, so that it does not propose them again. `avoid` are points that may not be
    proposed for other reasons. The proposal differs from all of these by at least 5e-4 in some continuous coordinate or
    in a discrete one; in a discrete cube also from X, while an untried point is left. With `noisy`, a discrete cube
    excludes only the points that failed or are to be avoided.

    `fixed` (d,) are values to keep, NaN where a column is free: the others are optimised given these, by a model of all
    values. With a cube that has constraints, the proposal satisfies them.

    `warm` are hyperparameters to start the fit from, or to use as they are if the data have hardly grown since
    (`Surrogate.refit`). `threads=None` lets BLAS use as many threads as it likes.
    """
    started = time.perf_counter()
    data = _Data.of(X, y, busy, believed, avoid, failed, cube, fixed, flag("noisy", noisy, DataError))
    rule, surrogate, seed = rule_of(rule), surrogate_of(surrogate), _checked_seed(seed)
    threads = None if threads is None else whole("threads", threads, DataError, least=1, most=_MOST_THREADS)
    if warm is not None and not isinstance(warm, Hyperparameters):
        raise DataError(f"warm must be nonstop.Hyperparameters, not {shown(warm)}")
    with limit_threads(threads):
        proposal = _proposed(data, rule, surrogate, warm, seed)
    return replace(proposal, seconds=time.perf_counter() - started)


def propose_batch(
    X: ArrayLike, y: ArrayLike, size: int, rule: str | Rule = "kb-logei", seed: int = 0
) -> tuple[Proposal, ...]:
    """`size` points to evaluate together, to maximise y; the first is that of propose(). Each is proposed with those
    before it busy, so the rule should be one that looks at busy points: standard rules only keep a small distance."""
    size = whole("size", size, DataError, least=1)
    proposals = [propose(X, y, None, rule, seed)]
    while len(proposals) < size:
        busy = [proposal.x for proposal in proposals]
        own_seed = seed_of(seed, len(proposals))
        proposals.append(propose(X, y, busy, rule, own_seed, warm=proposals[0].hyperparameters))
    return tuple(proposals)


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """The arguments, checked. X and y hold the finite results only; `ground` is the part of the cube to search, that of
    the fixed values; `taken` are the points that may not be proposed."""

    X: Array
    y: Array
    busy: Array
    believed: Array
    avoid: Array
    failed: Array
    cube: Cube
    ground: Cube
    taken: Taken

    @classmethod
    def of(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        busy: ArrayLike | None,
        believed: ArrayLike | None,
        avoid: ArrayLike | None,
        failed: ArrayLike | None,
        cube: Cube | None,
        fixed: ArrayLike | None,
        noisy: bool,
    ) -> _Data:
        points, values = _results(X, y, cube)
        d = points.shape[1]
        cube = cube if cube is not None else Cube.continuous(d)
        ground = cube if fixed is None else held(cube, _partial(fixed, d))
        running, trusted = _points("busy", busy, d), _points("believed", believed, d)
        avoided, lost = _points("avoid", avoid, d), _points("failed", failed, d)
        usable = np.isfinite(values)
        if not usable.all():
            lost = np.concatenate([lost, points[~usable]])
            points, values = points[usable], values[usable]
        taken = [running, avoided, lost, trusted]
        lost = without(lost, points)  # evaluated again there, and with a value: it is no point that fails
        if ground.is_discrete:  # a noisy objective is worth a second evaluation at the same point, a failure is not
            taken = taken[1:3] if noisy else [*taken, points]
        return cls(points, values, running, trusted, avoided, lost, cube, ground, Taken.of(taken, ground))

    @property
    def known(self) -> Array:
        """All points, whatever became of them."""
        return np.concatenate([self.X, self.busy, self.believed, self.avoid, self.failed])

    def exploring(self) -> _Data:
        """The same, or only with a branch of the space that was neglected so far."""
        branch = neglected_branch(self.ground, self.known) if self.ground.is_conditional else None
        return self if branch is None else replace(self, ground=branch, taken=Taken.of([self.taken.points], branch))


def _results(X: ArrayLike, y: ArrayLike, cube: Cube | None) -> tuple[Array, Array]:
    """X (n, d) and y (n,), which may hold values that are not finite."""
    values, given = _numbers("y", y), _numbers("X", X)
    if cube is not None and not isinstance(cube, Cube):
        raise DataError(f"cube must be a Cube, not {shown(cube)}")
    if values.ndim != 1:
        raise DataError(f"y must be one-dimensional, not of shape {values.shape}")
    d = cube.dim if cube is not None else (given.shape[1] if given.ndim == 2 else 0)
    if d == 0 and cube is None:
        raise DataError(f"X must be of shape (n, d) with d >= 1, not {given.shape}")
    points = _points("X", given, d)
    if len(points) != len(values):
        raise DataError(f"X has {len(points)} rows but y has {len(values)} values")
    return points, values


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        array = np.asarray(given)
        # NumPy would take texts and dates for numbers.
        of_objects = array.dtype.kind == "O" and all(isinstance(plain(it), _ENTRIES) for it in array.flat)
        if array.dtype.kind not in "fiub" and not of_objects:
            raise DataError(f"{name} must be an array of numbers, not of {array.dtype}")
        with np.errstate(all="ignore"):  # a long double may be beyond the range of a double
            return np.asarray(array, dtype=np.float64, order="C")
    except DataError:
        raise
    except Exception as error:  # what the objects in it do
        why = " ".join(str(error).split())[:200]
        raise DataError(f"{name} must be an array of numbers: {why}") from None


def _points(name: str, given: ArrayLike | None, d: int) -> Array:
    """An (n, d) array inside the unit cube; None is an empty one."""
    points = np.empty((0, d)) if given is None else _numbers(name, given)
    if points.size == 0:
        return np.empty((0 if d else len(points), d))
    if points.ndim != 2 or points.shape[1] != d:
        raise DataError(f"{name} must be of shape (n, {d}), not {points.shape}")
    if not (points.min() >= 0.0 and points.max() <= 1.0):  # true for NaN as well
        row = int(np.flatnonzero(~((points >= 0.0) & (points <= 1.0)).all(axis=1))[0])
        raise DataError(f"{name} must lie in [0, 1]: row {row} is {points[row].tolist()}")
    return points


def _partial(fixed: ArrayLike, d: int) -> Array:
    """A (d,) array of numbers in [0, 1], or NaN where nothing is fixed."""
    values = _numbers("fixed", fixed)
    if values.shape != (d,) or not ((values >= 0.0) & (values <= 1.0) | np.isnan(values)).all():
        raise DataError(f"fixed must be {d} numbers in [0, 1], or NaN where nothing is fixed, not {shown(fixed)}")
    return values


def _checked_seed(seed: int) -> int:
    number = whole_of(seed)
    if number is None or number < 0:
        raise DataError(f"seed must be an integer >= 0, not {shown(seed)}")
    return number


def _proposed(data: _Data, rule: Rule, surrogate: Surrogate, warm: Hyperparameters | None, seed: int) -> Proposal:
    """By the rule and a fitted model; or without a model, if the rule needs none or there can be none."""
    rng = generator(seed)
    if not data.cube.dim:  # every parameter has a single value
        return _unmodelled(data, np.empty((1, 0)), "quasi-random", rng)
    if isinstance(rule, Drawer):
        return _unmodelled(data, rule.draw(data.ground, rng), "random", rng)
    if not len(data.y):
        return _unmodelled(data, _filling(data, seed), "quasi-random", rng)
    data = data.exploring()
    try:
        model = fitted(surrogate, data.X, data.y, warm, embedding=embedding_of(data.cube))
        search = _Search.of(data, model, surrogate, rule, rng)
        choice, believed = _maximum(rule, search) if isinstance(rule, Score) else _chosen(rule, search)
    except NotPositiveDefiniteError:
        return _unmodelled(data, _filling(data, seed), "quasi-random", rng)
    return _described(choice, believed, search)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """What it takes to choose a point, whatever the rule. `best` is the value to beat; `terms` are the
    log-probabilities that an evaluation is feasible."""

    data: _Data
    model: Fitted
    best: float
    terrain: Terrain
    terms: tuple[Acquisition, ...]
    rng: np.random.Generator

    @classmethod
    def of(cls, data: _Data, model: Fitted, surrogate: Surrogate, rule: Rule, rng: np.random.Generator) -> _Search:
        gp, cube = model.gp, data.ground
        centers = _centers(gp, cube)
        # Next to a taken point of a continuous cube there are others almost as good, so nothing is left out beforehand.
        taken = data.taken.points if cube.is_discrete else data.taken.points[:0]
        tolerance = min(1e-6, gp.hyperparameters.noise)  # differences below the noise are none
        terrain = Terrain(cube, gp.lengthscales, centers, taken, tolerance, surrogate.candidates)
        pending = data.believed if isinstance(rule, Score) else np.concatenate([data.busy, data.believed])
        failures = data.X, data.failed, without(pending, data.failed)
        terms = success_terms(*failures, gp.embedding) if len(data.failed) else ()
        return cls(data, model, gp.incumbent(surrogate.incumbent), terrain, terms, rng)

    def maximize(self, acquisition: Acquisition) -> Choice:
        sought = Feasible(acquisition, self.terms) if self.terms else acquisition
        return maximize(sought, self.terrain, self.rng)

    def success(self, x: Array) -> float:
        """The probability that an evaluation at x succeeds."""
        return math.exp(log_probability(self.terms, x[None])[0]) if self.terms else 1.0


def _centers(gp: GP, cube: Cube) -> Array:
    """The best observations; if some values are fixed, the points with these values that are most like them and that
    the model thinks best."""
    if not cube.is_held:
        return cube.feasible(gp.X[np.argsort(-gp.y, kind="stable")[:_CENTERS]])
    points = np.unique(cube.feasible(gp.X), axis=0)
    return points[np.argsort(-gp.moments(points)[0], kind="stable")[:_CENTERS]]


def _maximum(rule: Score, search: _Search) -> tuple[Choice, int]:
    """The maximum of a standard rule, and how many points were believed. Such a rule cannot see which points are taken:
    if its maximum is one of them, that one is believed too and the rule is asked again. Belief does not always move the
    maximum (a corner often stays the best point); then a runner-up is taken."""
    data, model, believed = search.data, search.model, search.data.believed
    for _ in range(_ROUNDS):
        gp = model.gp.condition(believed)
        choice = search.maximize(Scored(rule, gp, search.best, model.results, recent=len(believed)))
        unbelieved = without(data.taken.clashes(choice.x), believed)
        if data.ground.is_discrete or not len(unbelieved):
            break
        believed = np.concatenate([believed, unbelieved])
    return data.taken.free(choice, search.rng), len(believed)


def _chosen(rule: Chooser, search: _Search) -> tuple[Choice, int]:
    """The choice of a rule that sees busy points and decides for itself, and how many points were believed."""
    data, model = search.data, search.model
    believed = without(data.believed, data.busy)
    gp = model.gp.condition(believed)
    known = gp, search.best, model.results, data.busy, believed, data.ground
    view = View(*known, search.rng, search.maximize, search.terms)
    return data.taken.free(rule.choose(view), search.rng), len(believed)


def _filling(data: _Data, seed: int) -> Array:
    """Quasi-random points that fill the cube; as many are skipped as there are points already. If all that is known are
    failures, those farthest from them come first."""
    points = filling(data.ground, seed, len(data.known), _FILLING)
    if not len(data.failed):
        return points
    others = np.concatenate([data.failed, data.busy, data.believed])
    return points[np.argsort([-_nearest(point, others) for point in points], kind="stable")]


def _unmodelled(data: _Data, points: Array, rung: Rung, rng: np.random.Generator) -> Proposal:
    """The first of the points that is free."""
    x = data.taken.free(Choice(points[0], math.nan, points[1:]), rng).x
    return Proposal(x, math.nan, 0.0, 1.0, None, rung, _nearest(x, data.busy), 0)


def _described(choice: Choice, believed: int, search: _Search) -> Proposal:
    """The choice, with what the model says of its point before any belief."""
    model, nearest = search.model, _nearest(choice.x, search.data.busy)
    (mean,), (variance,) = model.gp.moments(choice.x[None])
    about = choice.value, float(mean), math.sqrt(variance), model.hyperparameters, model.rung
    return Proposal(choice.x, *about, nearest, believed, search.success(choice.x), fit_seconds=model.seconds)


def _nearest(x: Array, points: Array) -> float:
    return float(np.sqrt(np.square(points - x).sum(axis=1)).min(initial=math.inf))
