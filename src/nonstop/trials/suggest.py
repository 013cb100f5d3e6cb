"""The params of a trial, from a mirror of the study: a pure function, so that any run can be replayed.

Which points a proposal uses (the paper's algorithm 1, and what it leaves open):
- data: the results up to the trial's version, and no later ones, even if the mirror has them.
- believed: trials proposed from the same version before, unless their result is among the data. Without new data the
  model would propose the same points again. Trials that are waiting, or completed by now, are believed too.
- busy: all running trials. Standard rules ignore them, but no proposal coincides with one.
- failed: those known to have failed when the proposal was made, whichever way: a model learns from them where
  evaluations succeed. A failure counts at once: it needs no version, the cursor says which ones were known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from nonstop.acquisition.inside import filling
from nonstop.numerics.seeds import seed_of
from nonstop.outcomes.goals import Goals
from nonstop.propose import Proposal, propose
from nonstop.space import Space
from nonstop.space.cube import Cube
from nonstop.space.encoding import cube_of, decode
from nonstop.space.holding import held
from nonstop.space.partial import partial_params, partial_point
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.mirror import Mirror, key_of
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Array, Params

#: What proposes: propose(), or a function of the same arguments that watches it.
Proposer: TypeAlias = Callable[..., Proposal]

_LOOKAHEAD = 64  # quasi-random points to check for a new one, before the model proposes in a discrete space


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The params of a trial, and what to store with them."""

    #: What to evaluate.
    params: Params
    #: The seed that they were proposed with.
    seed: int
    #: How they came about.
    diagnostics: Diagnostics


@dataclass(frozen=True, slots=True)
class Basis:
    """Which trials a proposal uses besides the data, by number. Recorded, because the mirror changes later."""

    #: Those that are running.
    busy: Sequence[int]
    #: Those proposed from the same data before.
    believed: Sequence[int]
    #: Those that failed.
    failed: Sequence[int]
    #: The one whose hyperparameters the fit starts from.
    warm: int | None
    #: Do proposals learn from failures? In nonstop 0.1.0, failed points were only not proposed again.
    learning: bool = True

    @classmethod
    def of(cls, mirror: Mirror, trial: Trial) -> Basis:
        """The basis for a proposal that is made now."""
        busy = mirror.numbers(TrialState.RUNNING)
        failed = mirror.numbers(TrialState.FAILED)
        others = (*busy, *failed, *mirror.numbers(TrialState.WAITING), *mirror.completed[trial.version :])
        siblings = [n for n in others if mirror.trials[n].version == trial.version]
        return cls(busy, sorted(siblings), failed, mirror.newest_fit)


def trial_seed(study_seed: int, number: int) -> int:
    """The seed of a trial: its own, and the same in every run."""
    return seed_of(study_seed, number)


def checked_fixed(space: Space, given: Mapping[str, object] | None) -> Params | None:
    """The fixed params of a trial, checked: ParamsError if one is wrong, SpaceError if the constraints of the space
    leave no point with them. None if there are none."""
    fixed = partial_params(space, given) if given is not None else {}
    if cube_of(space).region is not None:
        filling(_ground(space, fixed), 0, 0, 1)
    return fixed or None


def suggest(
    spec: Spec,
    mirror: Mirror,
    trial: Trial,
    basis: Basis,
    threads: int | None = 1,
    budget: int | None = None,
    proposer: Proposer | None = None,
) -> Suggestion:
    """The params for a trial that has a number and a data version but no params yet; `budget` is how many results the
    study is to have, if that is known. A replay needs none: it reads from the record whether the model proposed."""
    if not cube_of(spec.space).axes:  # every parameter has one value
        return Suggestion(decode(spec.space, ()), trial_seed(spec.seed, trial.number), Diagnostics("quasi-random", 0))
    if trial.number < spec.initial_within(budget) or (trial.version == 0 and not basis.failed):
        skip = _first_new(spec, mirror, trial)
        if skip is not None:
            params, seed = quasi_random(spec, trial, skip), trial_seed(spec.seed, trial.number)
            return Suggestion(params, seed, Diagnostics("quasi-random", skip))
    return model_based(spec, mirror, trial, basis, threads, proposer)


def model_based(
    spec: Spec, mirror: Mirror, trial: Trial, basis: Basis, threads: int | None = 1, proposer: Proposer | None = None
) -> Suggestion:
    """What the model proposes, from the data of the trial's version and the basis alone."""
    seed, goals = trial_seed(spec.seed, trial.number), spec.goals
    X, y = mirror.data(trial.version)
    failed = mirror.points(basis.failed)
    proposal = (proposer or propose)(
        X,
        mirror.outcomes(trial.version, goals.names) if goals.named else goals.sign * y,
        goals=goals.by_column if goals.named else None,
        busy=mirror.points(basis.busy),
        rule=spec.rule,
        seed=seed,
        believed=mirror.points(basis.believed),
        avoid=None if basis.learning else failed,
        failed=failed if basis.learning else None,
        cube=cube_of(spec.space),
        fixed=None if trial.fixed is None else partial_point(spec.space, trial.fixed),
        surrogate=spec.surrogate,
        warm=_warm(mirror, basis.warm, goals),
        noisy=spec.noisy,
        threads=threads,
    )
    diagnostics = _diagnostics(proposal, basis, mirror.cursor, goals)
    return Suggestion(_params(spec.space, proposal.x, trial), seed, diagnostics)


def quasi_random(spec: Spec, trial: Trial, skip: int) -> Params:
    """The point of the study's quasi-random sequence for this trial, or the one `skip` places after it. The sequence
    is one of feasible points with the fixed values of the trial, and depends on the space and the seed alone."""
    ground = _ground(spec.space, trial.fixed or {})
    return _params(spec.space, filling(ground, spec.seed, trial.number + skip, 1)[0], trial)


def _params(space: Space, x: Array, trial: Trial) -> Params:
    """The params of a point; those that are fixed to the last bit, which encoding and decoding may change."""
    params = decode(space, x)
    return params if trial.fixed is None else {name: trial.fixed.get(name, value) for name, value in params.items()}


def _ground(space: Space, fixed: Params) -> Cube:
    """The part of the cube that has the fixed values."""
    return held(cube_of(space), partial_point(space, fixed)) if fixed else cube_of(space)


def _first_new(spec: Spec, mirror: Mirror, trial: Trial) -> int | None:
    """How many points of the sequence to skip: in a discrete space, those that were tried; None if all were."""
    ground = _ground(spec.space, trial.fixed or {})
    if not ground.is_discrete:
        return 0
    points, tried = filling(ground, spec.seed, trial.number, _LOOKAHEAD), mirror.tried()
    return next((skip for skip, x in enumerate(points) if key_of(_params(spec.space, x, trial)) not in tried), None)


def _warm(mirror: Mirror, number: int | None, goals: Goals) -> Hyperparameters | tuple[Hyperparameters, ...] | None:
    """What the fit starts from: the hyperparameters of an earlier trial, of each outcome if they have names."""
    recorded = None if number is None else mirror.trials[number].diagnostics
    if recorded is not None and goals.named:
        return tuple(prediction.hyperparameters for prediction in recorded.predictions) or None
    found = None if recorded is None else recorded.hyperparameters
    # Until 0.2, a single choice had an axis: what such a study recorded then is of another cube.
    return None if found is None or len(found.lengthscales) != cube_of(mirror.space).dim else found


def _diagnostics(proposal: Proposal, basis: Basis, cursor: int, goals: Goals) -> Diagnostics:
    return Diagnostics(
        rung=proposal.rung,
        acquisition=proposal.value if math.isfinite(proposal.value) else None,
        mean=None if math.isnan(proposal.mean) else proposal.mean,
        sd=None if math.isnan(proposal.sd) else proposal.sd,
        nearest_busy=proposal.nearest_busy if math.isfinite(proposal.nearest_busy) else None,
        seconds=proposal.seconds,
        busy=tuple(basis.busy),
        believed=tuple(basis.believed),
        warm=basis.warm,
        cursor=cursor,
        hyperparameters=proposal.hyperparameters,
        success=proposal.success,
        feasible=proposal.feasible if goals.constraints else None,
        predictions=proposal.predictions,
    )
