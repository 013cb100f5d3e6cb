"""From data to the next query. This is the file to read: the rooms above it are its tools, and what comes after it only
brings the data here and carries the answer away.

    data -> a fitted model of each outcome -> what is sought: one posterior, the value to beat, the bounds to keep
         -> the point that the rule chooses -> the same, or another one if it is not free -> Proposal

With enough results, every second proposal goes this way once more before the rule chooses, with the data of a close-up.

A proposal is a pure function of its arguments: same data, same seed, same bytes, in any process.

Symbols: n results with m outcomes each, b busy points, d columns of the unit cube; X (n, d), Y (n, m), x (d,).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from nonstop.acquisition.aim import Aim, Goal
from nonstop.acquisition.closeup import CloseUp, close_up
from nonstop.acquisition.data import Data, checked_seed
from nonstop.acquisition.feasible import Conditions, Feasible, log_probability, success_terms
from nonstop.acquisition.inside import filling
from nonstop.acquisition.maximize import Guide, Terrain, maximize
from nonstop.acquisition.rule import Acquisition, Choice, Chooser, Drawer, Rule, Score, Term, View
from nonstop.acquisition.rules import default_rule, rule_for, rule_of
from nonstop.acquisition.scored import Scored
from nonstop.acquisition.sought import Prediction, Sought, modelled
from nonstop.acquisition.taken import without
from nonstop.arguments import flag, whole
from nonstop.errors import DataError
from nonstop.numerics.linalg import NotPositiveDefiniteError
from nonstop.numerics.seeds import generator, seed_of
from nonstop.numerics.threads import limit_threads
from nonstop.space.cube import Cube
from nonstop.space.embedding import embedding_of
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.model import DEFAULT_SURROGATE, Surrogate, surrogate_of
from nonstop.types import Array
from nonstop.wording import shown

_CENTERS = 8  # observations around which the maximiser searches
_ROUNDS = 3  # how often a standard rule is asked before a runner-up is taken
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
    #: The acquisition's value there, failures and bounds taken into account; NaN without one, and if another point than
    #: its maximum had to be taken. In a close-up, it is that of the model of its results.
    value: float
    #: The posterior mean of the objective there, in standardised units, as a distance from the mean of the process; NaN
    #: with several objectives.
    mean: float
    #: The posterior standard deviation there, in standardised units; NaN with several objectives.
    sd: float
    #: Those of the model, of the first objective if there are several; None without one.
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
    #: The probability that the outcomes keep all bounds.
    feasible: float = 1.0
    #: What each outcome's model says of the point, if goals were given; empty without a model.
    predictions: tuple[Prediction, ...] = ()
    #: How often the rule chose a point that was taken, by a busy one say, and was asked again or got a runner-up. In a
    #: discrete cube it chooses among the free points only.
    repeated: int = field(default=0, repr=False)
    #: Is the point a runner-up, because the rule's own choice was taken?
    replaced: bool = field(default=False, repr=False)
    #: The distance of the rule's first choice to the nearest busy point: `nearest_busy`, unless that choice was taken.
    first_nearest_busy: float = field(default=math.inf, repr=False)
    #: How long the proposal took.
    seconds: float = field(default=0.0, repr=False)
    #: How much of that was the fit.
    fit_seconds: float = field(default=0.0, repr=False)


def propose(
    X: ArrayLike,
    y: ArrayLike,
    busy: ArrayLike | None = None,
    rule: str | Rule | None = None,
    seed: int = 0,
    *,
    goals: Sequence[Goal] | None = None,
    believed: ArrayLike | None = None,
    avoid: ArrayLike | None = None,
    failed: ArrayLike | None = None,
    cube: Cube | None = None,
    fixed: ArrayLike | None = None,
    surrogate: str | Surrogate = DEFAULT_SURROGATE,
    warm: Hyperparameters | Sequence[Hyperparameters | None] | None = None,
    noisy: bool = False,
    threads: int | None = 1,
    repeats: bool = False,
) -> Proposal:
    """The next point to evaluate, to maximise y, or to reach the goals.

    X (n, d) in [0, 1]^d and y (n,) are the results in completion order. `failed` (f, d) are points whose evaluation
    gave no value, and so are those of X whose y is not finite: a model of where evaluations succeed learns from them,
    and its log-probability is added to the rule (acquisition/feasible.py); but not one at which there is a value, too:
    there a second evaluation succeeded. `busy` (b, d) are being evaluated now; standard rules do not look at them.
    `believed` are points that were proposed from these same results: the model takes its own mean for their values, so
    that it does not propose them again. `avoid` are points that may not be proposed for other reasons. The proposal
    differs from all of these by at least 5e-4 in some continuous coordinate or in a discrete one; in a discrete cube
    also from X, while an untried point is left. With `noisy`, a discrete cube excludes only the points that failed or
    are to be avoided. `rule` is a name or an object; None is the default, another one for several objectives.

    With `goals`, y is an array (n, m) with a column for every outcome of an evaluation, and a goal for each says what
    is sought: "minimize" or "maximize", or a bound that it has to keep, such as "<= 8.0" (or a Bound). At least one is
    an objective. What keeps the bounds counts as feasible: the best feasible result has to be beaten, and the
    log-probability of each bound is added to the rule. With several objectives the rule looks at a scalarisation of
    them, in a direction that the seed decides; points of the whole Pareto front are sought that way, one by one. For
    two and three objectives there are rules that look at the volume that the front dominates: the default has them.

    `fixed` (d,) are values to keep, NaN where a column is free: the others are optimised given these, by a model of all
    values. With a cube that has constraints, the proposal satisfies them.

    `warm` are hyperparameters to start the fit from, or to use as they are if the data have hardly grown since
    (`Surrogate.refit`); for several outcomes, a sequence of one for each, which may be None. `threads=None` lets BLAS
    use as many threads as it likes. With `repeats`, the rule's choice is returned whether it is free or not: this is
    for studies of the rules themselves.
    """
    started = time.perf_counter()
    aim = None if goals is None else Aim.of(goals)
    data = Data.of(aim, X, y, busy, believed, avoid, failed, cube, fixed, flag("noisy", noisy, DataError))
    data = replace(data, repeats=flag("repeats", repeats, DataError))
    surrogate, seed, objectives = surrogate_of(surrogate), checked_seed(seed), len(data.aim.objectives)
    rule = rule_for(rule_of(default_rule(objectives) if rule is None else rule), objectives)
    threads = None if threads is None else whole("threads", threads, DataError, least=1, most=_MOST_THREADS)
    starts = _starts(warm, len(data.aim.goals))
    with limit_threads(threads):
        proposal = _proposed(data, rule, surrogate, starts, seed)
    predictions = () if aim is None else proposal.predictions
    return replace(proposal, predictions=predictions, seconds=time.perf_counter() - started)


def propose_batch(
    X: ArrayLike,
    y: ArrayLike,
    size: int,
    rule: str | Rule = "kb-logei",
    seed: int = 0,
    goals: Sequence[Goal] | None = None,
) -> tuple[Proposal, ...]:
    """`size` points to evaluate together, to maximise y, or to reach the goals; the first is that of propose(). Each is
    proposed with those before it busy, so the rule should be one that looks at busy points: standard rules only keep a
    small distance."""
    size = whole("size", size, DataError, least=1)
    proposals = [propose(X, y, None, rule, seed, goals=goals)]
    first = proposals[0]
    warm = first.hyperparameters if goals is None else [known.hyperparameters for known in first.predictions] or None
    while len(proposals) < size:
        busy = [proposal.x for proposal in proposals]
        own_seed = seed_of(seed, len(proposals))
        proposals.append(propose(X, y, busy, rule, own_seed, goals=goals, warm=warm))
    return tuple(proposals)


def _starts(warm: object, outcomes: int) -> tuple[Hyperparameters | None, ...]:
    """Where the fit of each outcome starts from."""
    given = (None,) * outcomes if warm is None else (warm,) if isinstance(warm, Hyperparameters) else warm
    if not isinstance(given, Sequence) or not all(it is None or isinstance(it, Hyperparameters) for it in given):
        raise DataError(f"warm must be nonstop.Hyperparameters, or a sequence of them, not {shown(warm)}")
    if len(given) != outcomes:
        raise DataError(f"warm must be {outcomes} nonstop.Hyperparameters, one for each outcome, not {len(given)}")
    return tuple(given)


def _proposed(
    data: Data, rule: Rule, surrogate: Surrogate, warm: Sequence[Hyperparameters | None], seed: int
) -> Proposal:
    """By the rule and fitted models; or without a model, if the rule needs none or there can be none."""
    rng = generator(seed)
    if not data.cube.dim:  # every parameter has a single value
        return _unmodelled(data, np.empty((1, 0)), "quasi-random", rng)
    if isinstance(rule, Drawer):
        return _unmodelled(data, rule.draw(data.ground, rng), "random", rng)
    if not len(data.X):
        return _unmodelled(data, _filling(data, seed), "quasi-random", rng)
    data = data.exploring()
    try:
        search = _Search.of(data, surrogate, rule, warm, rng)
        near = close_up(data, search.sought, surrogate, rule, rng)
        if near is None:
            return _described(_asked(rule, search), search)
        inside = _Search.of(near.data, surrogate, rule, (None,) * len(warm), rng)
        described = _described(_asked(rule, inside).outside(near, data, rng), search)
        return replace(described, fit_seconds=described.fit_seconds + inside.sought.seconds)
    except NotPositiveDefiniteError:
        return _unmodelled(data, _filling(data, seed), "quasi-random", rng)


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """The point that is proposed, how many points were believed, what the rule chose first, and how many of its choices
    were taken."""

    choice: Choice
    believed: int
    first: Array
    repeated: int
    replaced: bool

    @classmethod
    def of(
        cls, data: Data, choice: Choice, rng: np.random.Generator, believed: int, asked: Sequence[Choice] = ()
    ) -> _Chosen:
        """The last choice, or another one if it is not free; `asked` are the choices before it, which were taken."""
        repeated = len(asked) + bool(len(data.taken.clashes(choice.x)))
        free = data.free(choice, rng)
        return cls(free, believed, (*asked, choice)[0].x, repeated, free is not choice)

    def outside(self, near: CloseUp, data: Data, rng: np.random.Generator) -> _Chosen:
        """What was chosen in a close-up, as a point of the whole cube; or another one, if it is not free there."""
        choice = near.choice(self.choice)
        free = data.free(choice, rng)
        return replace(self, choice=free, first=near.outside(self.first), replaced=self.replaced or free is not choice)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """What it takes to choose a point, whatever the rule. `success` and `bounds` are log-probabilities: that an
    evaluation does not fail, and that its outcomes keep their bounds."""

    data: Data
    sought: Sought
    terrain: Terrain
    success: tuple[Term, ...]
    bounds: tuple[Term, ...]
    rng: np.random.Generator

    @classmethod
    def of(
        cls,
        data: Data,
        surrogate: Surrogate,
        rule: Rule,
        warm: Sequence[Hyperparameters | None],
        rng: np.random.Generator,
    ) -> _Search:
        models = modelled(surrogate, data.aim, data.X, data.Y, warm, embedding_of(data.cube))
        kept = data.aim.kept(data.Y)[models[0].rows]
        sought = Sought.of(data.aim, models, kept, surrogate.incumbent, rng)
        cube, posterior = data.ground, sought.posterior
        # Next to a taken point of a continuous cube there are others almost as good, so nothing is left out beforehand.
        taken = data.taken.points if cube.is_discrete and not data.repeats else data.taken.points[:0]
        tolerance = min(1e-6, sought.noise)  # differences below the noise are none
        effort = surrogate.candidates, surrogate.starts, surrogate.around
        terrain = Terrain(cube, posterior.lengthscales, _centers(sought, cube), taken, tolerance, *effort)
        seen = data.busy[:0] if isinstance(rule, Score) else data.busy  # a standard rule does not look at busy points
        pending = np.concatenate([seen, data.believed])
        failures = data.X, data.failed, without(pending, data.failed)
        success = success_terms(*failures, embedding_of(data.cube)) if len(data.failed) else ()
        bounds = sought.terms(np.concatenate([seen, without(data.believed, seen)]))
        return cls(data, sought, terrain, success, bounds, rng)

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.success + self.bounds

    def maximize(self, acquisition: Acquisition) -> Choice:
        terrain = acquisition.guided(self.terrain) if isinstance(acquisition, Guide) else self.terrain
        if self.terms:  # without a feasible result there is nothing to improve on: one has to be found first
            acquisition = Feasible(acquisition, self.terms) if self.sought.found else Conditions(self.terms)
        return maximize(acquisition, terrain, self.rng)


def _centers(sought: Sought, cube: Cube) -> Array:
    """The best observations; if some values are fixed, the points with these values that are most like them and that
    the model thinks best."""
    posterior = sought.posterior
    if not cube.is_held:
        return cube.feasible(posterior.X[sought.ranking[:_CENTERS]])
    points = np.unique(cube.feasible(posterior.X), axis=0)
    return points[np.argsort(-posterior.moments(points)[0], kind="stable")[:_CENTERS]]


def _asked(rule: Score | Chooser, search: _Search) -> _Chosen:
    """What a rule of either kind chooses."""
    return _maximum(rule, search) if isinstance(rule, Score) else _chosen(rule, search)


def _maximum(rule: Score, search: _Search) -> _Chosen:
    """The maximum of a standard rule. Such a rule cannot see which points are taken: if its maximum is one of them,
    that one is believed too and the rule is asked again. Belief does not always move the maximum (a corner often stays
    the best point); then a runner-up is taken."""
    data, sought, believed = search.data, search.sought, search.data.believed
    asked: list[Choice] = []
    for _ in range(_ROUNDS):
        posterior = sought.posterior.condition(believed)
        asked.append(search.maximize(Scored(rule, posterior, sought.best, data.results, recent=len(believed))))
        unbelieved = without(data.taken.clashes(asked[-1].x), believed)
        if data.ground.is_discrete or data.repeats or not len(unbelieved):
            break
        believed = np.concatenate([believed, unbelieved])
    return _Chosen.of(data, asked[-1], search.rng, len(believed), asked[:-1])


def _chosen(rule: Chooser, search: _Search) -> _Chosen:
    """The choice of a rule that sees busy points and decides for itself."""
    data, sought = search.data, search.sought
    believed = without(data.believed, data.busy)
    posterior = sought.posterior.condition(believed)
    known = posterior, sought.best, data.results, data.busy, believed, data.ground
    kept = np.concatenate([sought.violation == 0.0, sought.expected(believed)])
    view = View(*known, search.rng, search.maximize, search.terms, sought.expected, kept)
    return _Chosen.of(data, rule.choose(view), search.rng, len(believed))


def _filling(data: Data, seed: int) -> Array:
    """Quasi-random points that fill the cube; as many are skipped as there are points already. If all that is known are
    failures, those farthest from them come first."""
    points = filling(data.ground, seed, len(data.known), _FILLING)
    if not len(data.failed):
        return points
    others = np.concatenate([data.failed, data.busy, data.believed])
    return points[np.argsort([-_nearest(point, others) for point in points], kind="stable")]


def _unmodelled(data: Data, points: Array, rung: Rung, rng: np.random.Generator) -> Proposal:
    """The first of the points that is free."""
    chosen = _Chosen.of(data, Choice(points[0], math.nan, points[1:]), rng, 0)
    x, guard = chosen.choice.x, (chosen.repeated, chosen.replaced, _nearest(chosen.first, data.busy))
    return Proposal(x, math.nan, 0.0, 1.0, None, rung, _nearest(x, data.busy), 0, 1.0, 1.0, (), *guard)


def _described(chosen: _Chosen, search: _Search) -> Proposal:
    """The choice, with what the models say of its point before any belief."""
    data, sought, x = search.data, search.sought, chosen.choice.x
    predictions = sought.predictions(x)
    first = predictions[data.aim.objectives[0]]
    several = len(data.aim.objectives) > 1
    return Proposal(
        x,
        chosen.choice.value,
        math.nan if several else first.mean,
        math.nan if several else first.sd,
        first.hyperparameters,
        sought.rung,
        _nearest(x, data.busy),
        chosen.believed,
        math.exp(log_probability(search.success, x[None])[0]) if search.success else 1.0,
        sought.feasible(predictions),
        predictions,
        chosen.repeated,
        chosen.replaced,
        _nearest(chosen.first, data.busy),
        fit_seconds=sought.seconds,
    )


def _nearest(x: Array, points: Array) -> float:
    return float(np.sqrt(np.square(points - x).sum(axis=1)).min(initial=math.inf))
